//! Tests the declarations and references of Java.

use crate::syntax::declaring::shown::{outline, references, signature_of};

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(outline("A.java", text), expected, "{text}");
}

#[track_caller]
fn check_references(text: &str, expected: &str) {
    assert_eq!(references("A.java", text), expected, "{text}");
}

#[test]
fn types_are_declared_with_their_members() {
    check(
        "\
package p;
import q.Base;
public class A extends Base {
  private int x, y = 1;
  public A(int x) {}
  protected void run() { int local = 1; }
  static { boot(); }
  interface Inner { void go(); }
}
enum Color { RED, GREEN { void m() {} }; int code() { return 1; } }
record Point(int x, int y) {}
@interface Mark { String value() default \"\"; }
",
        "\
+class A …
 property x
 property y
 +constructor A …
 +method run …
 interface Inner …
  +method go
enum Color …
 member RED
 member GREEN …
 method code …
class Point …
 +property x
 +property y
interface Mark …
 +method value",
    );
}

#[test]
fn signature_has_its_javadoc_and_annotations() {
    let text = "/* licence */\nclass A {\n  /** Says. */\n  @Override\n  public int say() { return 1; }\n}\n";
    assert_eq!(signature_of("A.java", text, "say"), "/** Says. */|@Override\n  public int say()");
}

#[test]
fn bare_names_are_locals_members_or_types() {
    check_references(
        "\
import static q.Helper.twice;
class A extends B {
  C c;
  void f(D d) {
    c.go(d.size());
    g();
    twice(inherited);
    Util.run(d);
    new E(1).start();
  }
  void g() {}
}
",
        "tB tC tD .c .go .size .g .twice .inherited tUtil .run tE .start",
    );
}

#[test]
fn broken_code_is_read_as_far_as_possible() {
    check(
        "class A { void f( { }\n  int x;\n  void g() {} }\n",
        "class A …\n method f …\n property x\n method g …",
    );
}

#[test]
fn marks_of_fields_and_classes_make_accessors() {
    use portolan_types::declarations::Builtins as _;
    let made = |marks: &str| super::JavaBuiltins.made_accessors(marks, "port").len();
    for marks in [
        "@Data class A ",
        "@lombok.Value\npublic final class A ",
        "@Getter enum A ",
        "@Getter private int port;",
        "@Setter(AccessLevel.NONE) @With int port = 1;",
    ] {
        assert_eq!(made(marks), 4, "{marks}");
    }
    for marks in [
        "@Value(\"${server.port}\") private int port;",
        "@Value(\"${of the class}\") int port;",
        "@Column(type = A.class) @Value int port;",
        "class A ",
        "int port;",
    ] {
        assert_eq!(made(marks), 0, "{marks}");
    }
}
