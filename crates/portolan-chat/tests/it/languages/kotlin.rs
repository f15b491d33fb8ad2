//! Tests the resolution of Kotlin imports, and between Kotlin and Java.

use portolan_testkit::{check_edges, check_targets, map_of};

#[test]
fn types_functions_and_properties_are_found_by_package() {
    check_edges(
        "//- src/main/kotlin/a/App.kt\npackage a\n\nimport b.Store\nimport b.load\nimport b.limit as most\nimport kotlin.math.max\nimport org.lib.go\nimport java.util.UUID\n\n\
         class App(val store: Store) : Base() {\n    fun run() = helper(load(most)) + max(1, 2)\n}\n\
         //- src/main/kotlin/a/Base.kt\npackage a\nopen class Base\n//- src/main/kotlin/a/helpers.kt\npackage a\ninternal fun helper(x: Int) = x\n\
         //- elsewhere/Store.kt\npackage b\ninterface Store\n//- elsewhere/io.kt\npackage b\nfun <T : Any> List<T>.load(x: Int): Int = x\nval limit: Int get() = 3\n",
        &[
            "src/main/kotlin/a/App.kt -> elsewhere/Store.kt runtime",
            "src/main/kotlin/a/App.kt -> elsewhere/io.kt runtime",
            "src/main/kotlin/a/App.kt -> java:java.util runtime",
            "src/main/kotlin/a/App.kt -> kotlin:kotlin.math runtime",
            "src/main/kotlin/a/App.kt -> org.lib runtime",
            "src/main/kotlin/a/App.kt ~> src/main/kotlin/a/Base.kt runtime",
            "src/main/kotlin/a/App.kt ~> src/main/kotlin/a/helpers.kt runtime",
        ],
    );
}

#[test]
fn java_and_kotlin_see_each_other() {
    check_edges(
        "//- main/java/p/Old.java\npackage p;\nimport q.StringsKt;\nimport q.Named;\nclass Old { New n = StringsKt.make(); int m = Named.other(); }\n\
         //- main/kotlin/p/New.kt\npackage p\nclass New : Old()\n//- main/kotlin/q/strings.kt\npackage q\nfun make() = p.New()\n\
         //- main/kotlin/q/more.kt\n@file:JvmName(\"Named\")\npackage q\nfun other() = 1\n",
        &[
            "main/java/p/Old.java ~> main/kotlin/p/New.kt runtime",
            "main/java/p/Old.java -> main/kotlin/q/more.kt runtime",
            "main/java/p/Old.java -> main/kotlin/q/strings.kt runtime",
            "main/kotlin/p/New.kt ~> main/java/p/Old.java runtime",
            "main/kotlin/q/strings.kt -> main/kotlin/p/New.kt runtime",
        ],
    );
}

#[test]
fn stars_bring_what_is_used_and_own_names_come_first() {
    check_targets(
        "//- a.kt\npackage a\nimport b.*\nfun own(size: Int) = map.forEach { name -> use(size, name = name, text = \"${label} $label\") }\n\
         //- b/use.kt\npackage b\nfun use(x: Int) = x\n//- b/bound.kt\npackage b\nval size = 1\nval name = 2\nval text = 3\nval label = 4\nval forEach = 5\n",
        "a.kt",
        "b/use.kt",
    );
}

#[test]
fn what_is_declared_inside_is_not_the_packages() {
    check_edges(
        "//- p/A.kt\npackage p\nclass A { val inner = outer(); fun inside() {} companion object { val c = 1 } }\nval f = `odd name`() + ::taken.name + B::inside\n\
         //- p/B.kt\npackage p\nclass B { fun outer() {} }\n//- p/c.kt\npackage p\nfun outer() {}\n//- p/d.kt\npackage p\nfun `odd name`() = 1\n\
         //- p/e.kt\npackage p\nfun taken() {}\n//- p/f.kt\npackage p\nfun c() {}\n",
        &[
            "p/A.kt ~> p/B.kt runtime",
            "p/A.kt ~> p/c.kt runtime",
            "p/A.kt ~> p/d.kt runtime",
            "p/A.kt ~> p/e.kt runtime",
        ],
    );
}

#[test]
fn a_file_is_described_by_its_first_comment() {
    let map = map_of("//- a.kt\npackage a\n\nimport b.C\n\n/** Reads [files]. More. */\nclass A\n");
    let node = map.graph.nodes().iter().find(|node| node.id.as_str() == "a.kt");
    let (description, language) =
        node.map(|node| (node.description.clone(), node.language)).unwrap();
    assert_eq!(description.as_deref(), Some("Reads [files]."));
    assert_eq!(language.as_str(), "kotlin");
}
