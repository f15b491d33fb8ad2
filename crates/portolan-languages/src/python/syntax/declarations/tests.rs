//! Tests the declarations and references of Python.

use crate::syntax::declaring::shown::{outline, references, signature_of};

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(outline("a.py", text), expected, "{text}");
}

#[track_caller]
fn check_references(text: &str, expected: &str) {
    assert_eq!(references("a.py", text), expected, "{text}");
}

#[test]
fn declarations_are_found_with_members() {
    check(
        "\
LIMIT = 1
_hidden: int = 2
a, (b, *c) = pair()
type Key = str

def run(x):
    inner = 1
    def helper(): pass

@mark
class C(Base):
    size = 1
    def __init__(self, app):
        self.app = app
        self.app = 2
        local = 3
    @property
    def name(self): return self.app.name
    class Meta: ordering = []

print(run)
",
        "\
+variable LIMIT
variable _hidden
+variable a
+variable b
+variable c
+type Key
+function run …
+class C …
 +property size
 +method __init__ …
 +property app
 +getter name …
 +class Meta …
  +property ordering
statement",
    );
}

#[test]
fn every_branch_counts() {
    check(
        "try:\n    import json\nexcept ImportError:\n    json = None\n\
         if sys.version_info > (3,):\n    def f(): pass\nelse:\n    f = 1\n",
        "+variable json\n+function f …\n+variable f",
    );
}

#[test]
fn signature_ends_at_its_colon_and_includes_decorators() {
    let text = "@route('/')\ndef view(\n    x: int = {1: 2},\n) -> str:\n    '''Doc.'''\n";
    assert_eq!(
        signature_of("a.py", text, "view"),
        "|@route('/')\ndef view(\n    x: int = {1: 2},\n) -> str"
    );
}

#[test]
fn references_cover_imports_types_and_members() {
    check_references(
        "from .m import f, C as D\ndef g(x: D, y: 'D') -> None:\n    local = f(x)\n    len(local)\n    x.go()\n",
        "tD tD vf .go",
    );
    check_references("import a.b\na.b.run()\n", ".run");
    check_references("from m import *\nthing()\n", "vthing");
}

#[test]
fn broken_code_is_read_as_far_as_possible() {
    check(
        "x = 1)\n\nclass C:\n    def m(self): pass\n\ndef f(): pass\n",
        "+variable x\n+class C …\n +method m …\n+function f …",
    );
}

#[test]
fn deep_code_still_gives_names() {
    let deep = format!("from m import x\ny = {}x{}\n", "(".repeat(5_000), ")".repeat(5_000));
    check(&deep, "+variable y");
    check_references(&deep, "vx");
}

#[test]
fn the_end_of_a_line_is_looked_for_once() {
    let long = "x".repeat(4 << 20);
    let text = format!("{}b = '{long}'\n", "a=1;".repeat(80_000));
    assert!(outline("a.py", &text).contains("+variable b"));
    // It takes half a second; where each statement looked for the end of its line it took fifteen.
}
