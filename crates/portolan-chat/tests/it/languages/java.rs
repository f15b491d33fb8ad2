//! Tests the resolution of Java imports.

use portolan_testkit::{check_edges, check_targets, map_of};

#[test]
fn types_are_found_by_the_package_they_declare() {
    check_edges(
        "//- src/main/java/a/App.java\npackage a;\nimport b.Store;\nimport b.Outer.Inner;\nimport static b.Util.max;\nimport java.util.List;\nimport org.lib.Thing;\n\
         public class App extends Base { Store s; List<Inner> l; Thing t; int m = max(1); }\n\
         //- src/main/java/a/Base.java\npackage a;\nclass Base {}\n//- elsewhere/Store.java\npackage b;\npublic interface Store {}\n\
         //- lib/Outer.java\npackage b;\npublic class Outer { public static class Inner {} }\n//- lib/Util.java\npackage b;\npublic class Util {}\n",
        &[
            "src/main/java/a/App.java -> elsewhere/Store.java runtime",
            "src/main/java/a/App.java -> java:java.util runtime",
            "src/main/java/a/App.java -> lib/Outer.java runtime",
            "src/main/java/a/App.java -> lib/Util.java runtime",
            "src/main/java/a/App.java -> org.lib runtime",
            "src/main/java/a/App.java ~> src/main/java/a/Base.java runtime",
        ],
    );
}

#[test]
fn an_import_on_demand_leads_to_the_types_that_are_used() {
    check_edges(
        "//- a/A.java\npackage a;\nimport b.*;\nimport static b.Consts.*;\nclass A { One one; Own own; }\n//- a/Own.java\npackage a;\nclass Own {}\n\
         //- b/One.java\npackage b;\npublic class One {}\n//- b/Two.java\npackage b;\npublic class Two {}\n//- b/Own.java\npackage b;\npublic class Own {}\n\
         //- b/Consts.java\npackage b;\npublic class Consts {}\n",
        &[
            "a/A.java ~> a/Own.java runtime",
            "a/A.java -> b/Consts.java runtime",
            "a/A.java -> b/One.java runtime",
        ],
    );
}

#[test]
fn names_that_are_written_out_and_reflection_count() {
    check_edges(
        "//- a/A.java\npackage a;\nclass A { b.Two t = new b.Two(); Object o = Class.forName(\"b.One\"); }\n\
         //- b/One.java\npackage b;\npublic class One {}\n//- b/Two.java\npackage b;\npublic record Two(int x) {}\n",
        &["a/A.java -> b/One.java dynamic", "a/A.java -> b/Two.java runtime"],
    );
}

#[test]
fn of_several_declarations_the_nearest_is_meant() {
    check_targets(
        "//- x/src/u/U.java\npackage u;\nimport p.T;\nclass U { T t; }\n//- x/src/p/T.java\npackage p;\npublic class T {}\n//- w/src/p/T.java\npackage p;\npublic class T {}\n",
        "x/src/u/U.java",
        "x/src/p/T.java",
    );
}

#[test]
fn a_second_copy_in_a_folder_of_its_own_is_not_meant_by_the_first() {
    let (copy, text) = ("package q;\npublic class L {}\n", "package q;\nclass T { L l; }\n");
    let import = "package r;\nimport q.L;\nclass U { L l; }\n";
    check_edges(
        &format!(
            "//- android/lib/src/q/L.java\n{copy}//- android/lib-tests/src/q/T.java\n{text}//- android/lib-tests/src/r/U.java\n{import}\
             //- lib/src/q/L.java\n{copy}//- lib-tests/src/q/T.java\n{text}//- lib-tests/src/r/U.java\n{import}"
        ),
        &[
            "android/lib-tests/src/q/T.java ~> android/lib/src/q/L.java runtime",
            "android/lib-tests/src/r/U.java -> android/lib/src/q/L.java runtime",
            "lib-tests/src/q/T.java ~> lib/src/q/L.java runtime",
            "lib-tests/src/r/U.java -> lib/src/q/L.java runtime",
        ],
    );
}

#[test]
fn what_a_type_extends_is_not_its_own_member() {
    check_edges(
        "//- a/H.java\npackage a;\nclass H implements Builder<Integer> { static class Builder {} Own own; static class Own {} }\n\
         //- a/R.java\npackage a;\nrecord R(Own own) implements Marker { static class Own {} interface Marker {} }\n\
         //- a/Builder.java\npackage a;\ninterface Builder<T> {}\n//- a/Own.java\npackage a;\nclass Own {}\n//- a/Marker.java\npackage a;\ninterface Marker {}\n",
        &["a/H.java ~> a/Builder.java runtime", "a/R.java ~> a/Marker.java runtime"],
    );
}

#[test]
fn a_module_declaration_needs_its_services() {
    check_targets(
        "//- module-info.java\nmodule m { requires java.base; exports s; uses s.Service; provides s.Service with s.Impl; }\n\
         //- s/Service.java\npackage s;\npublic interface Service {}\n//- s/Impl.java\npackage s;\npublic class Impl {}\n",
        "module-info.java",
        "s/Impl.java s/Service.java",
    );
}

#[test]
fn strings_comments_and_members_are_not_types() {
    check_edges(
        "//- a/A.java\npackage a;\nclass A {\n  // Base\n  /* Base */ String s = \"Base\"; String t = \"\"\"\n    Base \"quoted\"\n    \"\"\";\n  int x = this.Base + s.Base();\n}\n//- a/Base.java\npackage a;\nclass Base {}\n",
        &[],
    );
}

#[test]
fn tests_see_what_they_test_and_are_not_seen_by_it() {
    check_edges(
        "//- src/main/java/a/A.java\npackage a;\nclass A { Parent parent; }\n//- src/test/java/a/ATest.java\npackage a;\nclass ATest { A a; Parent parent; }\nclass Parent {}\n\
         //- src/test/java/a/Other.java\npackage a;\nclass Other { Parent parent; }\n",
        &[
            "src/test/java/a/ATest.java ~> src/main/java/a/A.java runtime",
            "src/test/java/a/Other.java ~> src/test/java/a/ATest.java runtime",
        ],
    );
}

#[test]
fn the_javadoc_of_the_type_describes_the_file() {
    let report = map_of(
        "//- A.java\n/* License. */\npackage a;\n/**\n * Reads {@code things} <b>fast</b>.\n * More.\n * @since 1\n */\npublic class A {}\n",
    );
    let node = report.graph.node(report.graph.index_of("A.java").unwrap());
    assert_eq!(node.description.as_deref(), Some("Reads things fast."));
    let report = map_of(
        "//- a/package-info.java\n/** License. */\n/** All of it. More. */\n@Safe\npackage a;\n",
    );
    let node = report.graph.node(report.graph.index_of("a/package-info.java").unwrap());
    assert_eq!(node.description.as_deref(), Some("All of it."));
}

#[test]
fn a_list_of_services_leads_to_the_classes_that_provide_them() {
    check_edges(
        "//- src/main/resources/META-INF/services/a.Engine\n# ours\na.b.Fast  # quick\nother.Slow\n\
         //- src/main/java/a/b/Fast.java\npackage a.b;\nclass Fast {}\n",
        &["src/main/resources/META-INF/services/a.Engine -> src/main/java/a/b/Fast.java dynamic"],
    );
}

#[test]
fn a_resource_is_the_file_that_is_shipped_with_the_classes() {
    check_edges(
        "//- src/main/java/a/A.java\npackage a;\nclass A { Object o = A.class.getResource(\"near.txt\"); Object p = getClass().getResourceAsStream(\"/b/far.txt\");\n\
         Object q = loader().getResource(\"top.txt\"); Object r = A.class.getResource(name); Object s = A.class.getResource(\"none.txt\"); }\n\
         //- src/main/resources/a/near.txt\n//- src/main/resources/b/far.txt\n//- src/main/resources/top.txt\n//- src/test/resources/top.txt\n//- other/near.txt\n",
        &[
            "src/main/java/a/A.java -> src/main/resources/a/near.txt runtime",
            "src/main/java/a/A.java -> src/main/resources/b/far.txt runtime",
            "src/main/java/a/A.java -> src/main/resources/top.txt runtime",
        ],
    );
}

#[test]
fn a_file_that_is_not_told_of_is_known_by_its_name_and_those_beside_it() {
    let token = format!("ghp_{}", "0123456789abcdefghijABCDEFGHIJ012345");
    check_targets(
        &format!(
            "//- a/A.java\npackage a;\nimport b.Keys;\nimport b.Other;\nclass A {{ Keys k; Other o; }}\n//- b/Other.java\npackage b;\npublic class Other {{}}\n\
         //- b/Keys.java\npackage b;\npublic class Keys {{ String token = \"{token}\"; }}\n"
        ),
        "a/A.java",
        "b/Keys.java b/Other.java",
    );
}

#[test]
fn a_member_type_that_is_inherited_leads_to_who_declares_it_too() {
    check_edges(
        "//- p/Base.java\npackage p;\npublic class Base { public enum Order { A } }\n//- p/Middle.java\npackage p;\npublic class Middle extends Base {}\n\
         //- p/Tester.java\npackage p;\npublic class Tester extends Middle { static class Own {} }\n\
         //- q/User.java\npackage q;\nimport p.Tester.Order;\nimport p.Tester.Own;\nimport p.Tester.Nobody;\n\
         //- p/Beside.java\npackage p;\nclass Beside { Object x = Tester.Order.A; Tester.Own own; }\n//- q/Code.java\npackage q;\nimport p.Tester;\nclass Code { Tester.Order x; }\n",
        &[
            "p/Beside.java -> p/Base.java runtime",
            "p/Beside.java ~> p/Tester.java runtime",
            "p/Middle.java ~> p/Base.java runtime",
            "p/Tester.java ~> p/Middle.java runtime",
            "q/Code.java -> p/Base.java runtime",
            "q/Code.java -> p/Tester.java runtime",
            "q/User.java -> p/Base.java runtime",
            "q/User.java -> p/Tester.java runtime",
        ],
    );
}
