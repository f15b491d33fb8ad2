//! Which uses are certain in languages that link by name.

use super::account_tests::check;

#[test]
fn a_function_is_meant_wherever_its_declaration_is_known() {
    let one = "//- a.h\nint f(int x);\n//- a.c\n#include \"a.h\"\nint f(int x) { return x; }\n\
         //- b.c\n#include \"b.h\"\nint g(void) {\n  int (*p)(int) = f;\n  return f(1);\n}\nint h(struct s *s, int f) {\n  return s->f + f;\n}\n\
         //- b.h\n#include \"a.h\"\n#define CALL f(3)\n//- c.c\nint k(void) {\n  return f(2);\n}\n";
    check(one, "a.c#f", "b.c:3 b.c:4 ~b.h:2 ~c.c:2");
    // The prototype and the function are one.
    check(one, "a.h#f", "b.c:3 b.c:4 ~b.h:2 ~c.c:2");
}

#[test]
fn a_function_of_several_files_is_meant_in_its_own() {
    let two = "//- a.c\nstatic int f(void) { return 1; }\nint g(void) {\n  return f();\n}\n\
         //- b.c\nstatic int f(void) { return 2; }\nint h(void) {\n  return f();\n}\n//- c.c\nint f(void);\nint k(void) {\n  return f();\n}\n";
    check(two, "a.c#f", "a.c:3 ~c.c:1 ~c.c:3");
    check(two, "b.c#f", "b.c:3 ~c.c:1 ~c.c:3");
}

#[test]
fn a_macro_of_the_same_name_makes_uses_uncertain() {
    let both = "//- a.h\nint f(int x);\n#ifdef FAST\n#define f(x) fast(x)\n#endif\n//- a.c\n#include \"a.h\"\nint f(int x) { return x; }\n//- b.c\n#include \"a.h\"\nint g(void) {\n  return f(1);\n}\n";
    check(both, "a.c#f", "~a.h:1 ~a.h:3 ~b.c:3");
}
