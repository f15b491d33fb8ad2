//! Tests the declarations and references of Go.

use crate::syntax::declaring::shown::{outline, references, signature_of};

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(outline("a.go", text), expected, "{text}");
}

#[track_caller]
fn check_references(text: &str, expected: &str) {
    assert_eq!(references("a.go", text), expected, "{text}");
}

#[test]
fn declarations_are_found_and_methods_extend_their_type() {
    check(
        "\
package p

const Limit = 1
var (
	a, b = pair()
	C    int
)

type Server struct {
	Base
	Name, addr string
}
type Handler interface {
	Handle(w Writer) error
}
type Celsius float64

func Run(x int) { local := 1 }
func (s *Server) Serve() {}
func init() {}
",
        "\
+variable Limit
variable a
variable b
+variable C
+class Server …
 +property Base
 +property Name
 property addr
+interface Handler …
 +method Handle
+type Celsius
+function Run …
+extension Server …
 +method Serve …
function init …",
    );
}

#[test]
fn comment_directly_before_is_the_doc() {
    let text = "package p\n\n// Other.\n\n// Run runs.\n// Twice.\nfunc Run(x int) error {\n}\n";
    assert_eq!(signature_of("a.go", text, "Run"), "// Run runs.\n// Twice.|func Run(x int) error");
    let group = "package p\nconst (\n\t// A is first.\n\tA = 1\n)\n";
    assert_eq!(signature_of("a.go", group, "A"), "// A is first.|A = 1");
}

#[test]
fn package_names_may_be_shadowed_by_locals() {
    check_references(
        "package p\nimport u \"net/url\"\nfunc f(q u.URL) {\n\tu.Parse(q.Host)\n\tu := q\n\tu.Host()\n}\n",
        "tURL vParse .Host .Host",
    );
}

#[test]
fn package_names_and_fields_are_references() {
    check_references(
        "package p\nfunc f(s *Server) int {\n\tx := newServer(s.Name)\n\treturn len(x.conns) + limit\n}\n",
        "tServer vnewServer .Name .conns vlimit",
    );
    check_references("package p\nvar s = Server{Name: other}\n", "tServer :Name vother");
}

#[test]
fn broken_code_is_read_as_far_as_possible() {
    check(
        "package p\nfunc f() { x := }\n\nfunc G() {}\ntype T struct { a int }\n",
        "function f …\n+function G …\n+class T …\n property a",
    );
}
