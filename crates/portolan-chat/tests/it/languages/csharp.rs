//! Tests where names of C# lead.

use portolan_testkit::check_edges;

#[test]
fn using_leads_to_the_types_that_are_used() {
    check_edges(
        "//- src/App.csproj\n<Project/>\n\
         //- src/A.cs\nusing System.Text;\nusing Lib.Tools;\nusing Serilog;\nnamespace App { class A : B { Hammer h; Lib.Other.Nail n; } }\n\
         //- src/B.cs\nnamespace App;\npublic class B {}\n\
         //- lib/Tools.cs\nnamespace Lib.Tools { public class Hammer {} }\n\
         //- lib/Saw.cs\nnamespace Lib.Tools { public class Saw {} }\n\
         //- lib/Nail.cs\nnamespace Lib.Other { public class Nail {} }\n",
        &[
            "src/A.cs -> Serilog runtime",
            "src/A.cs -> dotnet:System.Text runtime",
            "src/A.cs -> lib/Nail.cs runtime",
            "src/A.cs -> lib/Tools.cs runtime",
            "src/A.cs ~> src/B.cs runtime",
        ],
    );
}

#[test]
fn partial_types_and_projects_decide() {
    let files = "//- a/a.csproj\n<Project/>\n//- a/X.cs\nnamespace N { partial class X {} }\n//- a/X.More.cs\nnamespace N { partial class X {} }\n\
         //- a/Use.cs\nnamespace N { class Use { X x; } }\n\
         //- b/b.csproj\n<Project/>\n//- b/X.cs\nnamespace N { class X {} }\n//- b/Use.cs\nnamespace N { class Use2 { X x; } }\n";
    check_edges(files, &["a/Use.cs ~> a/X.cs runtime", "b/Use.cs ~> b/X.cs runtime"]);
    // No part is named after the type, and a type in it has a file of its own.
    check_edges(
        "//- X.One.cs\nnamespace N { partial class X { class Y {} } }\n//- X.Two.cs\nnamespace N { partial class X {} }\n\
         //- A.cs\nnamespace N { class A { X x; } }\n//- B.cs\nnamespace N { class B { X.Y y; } }\n",
        &["A.cs ~> X.One.cs runtime", "A.cs ~> X.Two.cs runtime", "B.cs ~> X.One.cs runtime"],
    );
}

#[test]
fn global_using_is_for_the_whole_project() {
    let files = "//- p/p.csproj\n<Project/>\n//- p/Usings.cs\nglobal using Far;\n//- p/A.cs\nnamespace N { class A { Thing t; } }\n\
         //- q/Thing.cs\nnamespace Far { class Thing {} }\n//- r/B.cs\nnamespace M { class B { Thing t; } }\n";
    check_edges(files, &["p/A.cs ~> q/Thing.cs runtime"]);
}
