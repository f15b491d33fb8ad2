//! Tests where names and included files of PHP lead.

use portolan_testkit::{check_edges, check_targets};

#[test]
fn a_class_leads_to_the_file_that_defines_it() {
    check_edges(
        "//- src/A.php\n<?php\nnamespace App;\nuse App\\Sub\\B;\nuse Psr\\Log\\Logger;\nuse DateTime;\nclass A extends C { function f(B $b) { new \\App\\Sub\\D; help(); } }\n\
         //- src/C.php\n<?php\nnamespace App;\nclass C {}\n\
         //- src/Sub/B.php\n<?php\nnamespace App\\Sub;\nclass B {}\n\
         //- src/Sub/D.php\n<?php\nnamespace App\\Sub;\nclass D {}\n\
         //- src/help.php\n<?php\nfunction help() {}\n",
        &[
            "src/A.php -> Psr\\Log runtime",
            "src/A.php -> php:DateTime runtime",
            "src/A.php ~> src/C.php runtime",
            "src/A.php -> src/Sub/B.php runtime",
            "src/A.php -> src/Sub/D.php runtime",
            "src/A.php ~> src/help.php runtime",
        ],
    );
}

#[test]
fn composer_decides_between_copies() {
    let files = "//- composer.json\n{\"autoload\": {\"psr-4\": {\"App\\\\\": \"src/\"}}}\n\
         //- src/B.php\n<?php\nnamespace App;\nclass B {}\n\
         //- tests/fixtures/B.php\n<?php\nnamespace App;\nclass B {}\n\
         //- tests/a.php\n<?php\nuse App\\B;\nnew B;\n";
    check_targets(files, "tests/a.php", "src/B.php");
}

#[test]
fn included_files_are_edges() {
    let files = "//- a/x.php\n<?php require __DIR__ . '/../b.php'; require dirname(__DIR__) . '/c.php'; include 'd.php'; require $e;\n\
         //- b.php\n<?php\n//- c.php\n<?php\n//- d.php\n<?php\n";
    check_targets(files, "a/x.php", "b.php c.php d.php");
}
