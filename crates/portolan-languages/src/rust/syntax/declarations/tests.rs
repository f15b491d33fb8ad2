//! Tests the declarations and references of Rust.

use crate::syntax::declaring::shown::{outline, references, signature_of};

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(outline("src/a.rs", text), expected, "{text}");
}

#[track_caller]
fn check_references(text: &str, expected: &str) {
    assert_eq!(references("src/a.rs", text), expected, "{text}");
}

#[test]
fn items_are_declared_and_impls_extend_their_type() {
    check(
        "\
use a::B;
pub const LIMIT: u32 = 1;
static NAME: &str = \"\";
pub struct S<T> { pub a: T, b: u8 }
pub enum E { One, Two { x: u8 } }
pub trait Do { type Out; fn go(&self) -> Self::Out; fn twice(&self) {} }
impl<T> Do for S<T> { fn go(&self) {} }
impl S<u8> { pub fn new() -> Self { S { a: 1, b: 2 } } }
type Alias = S<u8>;
mod inner { pub fn f() {} }
mod outer;
macro_rules! m { () => {} }
fn run() { fn nested() {} }
thread_local! { static X: u8 = 1; }
",
        "\
+variable LIMIT
variable NAME
+class S …
 +property a
 property b
+enum E …
 +member One
 +member Two
+interface Do …
 +type Out
 +method go
 +method twice …
extension S …
 +method go …
extension S …
 +method new …
type Alias
namespace inner …
 +function f …
namespace outer
function m
function run …
variable X",
    );
}

#[test]
fn items_in_macros_are_declared() {
    check(
        "cfg_net! {\n    /// Doc.\n    pub struct S { a: u8 }\n    cfg_io! { impl S { pub fn f(&self) {} } }\n}\nrun!(1);\n",
        "statement \n+class S …\n property a\nextension S …\n +method f …",
    );
}

#[test]
fn signature_has_its_docs_and_attributes() {
    let text = "//! Of the file.\n\n// ---\n/// Does.\n#[inline]\npub fn f(x: u8) -> u8 { x }\n";
    assert_eq!(signature_of("src/a.rs", text, "f"), "/// Does.|#[inline]\npub fn f(x: u8) -> u8");
}

#[test]
fn paths_members_and_macros_are_references() {
    check_references(
        "use a::B;\nfn f(b: &B, v: Vec<u8>) -> Option<u8> {\n    let n = b.size();\n    crate::x::go(n);\n    B::new(n)\n}\n",
        "tB .size vgo tB .new",
    );
    check_references(
        "struct S { a: u8 }\nfn f(s: S) { my!(s.a, crate::m::g(1)) }\n",
        "tS vmy .a vg",
    );
    check_references(
        "fn f(p: P) { if let Some(x) = p.get() { x.go(); } match p { K::A(y) => y, k::C => k::D } }\n",
        "tP .get .go tK .A vC vD",
    );
}

#[test]
fn attribute_path_refers_to_its_macro() {
    check_references("#[tokio::main]\nasync fn go() {}\n#[inline]\nfn f() {}\n", "vmain");
}

#[test]
fn self_refers_to_the_implemented_type() {
    check_references(
        "struct S { a: u8 }\nimpl S { fn f(&self) -> Self { Self { a: self.a } } fn g() { Self::f(); } }\n",
        "tS .a .a .f",
    );
}

#[test]
fn broken_code_is_read_as_far_as_possible() {
    check(
        "fn f( { let x = ;\n\npub struct S { a: u8 }\nfn g() {}\n",
        "+class S …\n property a\nfunction g …",
    );
    check(
        "pub fn a() -> u32 { 1 }\npub fn c( { a(. }\n/// Doc.\n#[inline]\npub fn d() -> u32 { a() }\n",
        "+function a …\n+function d …",
    );
}
