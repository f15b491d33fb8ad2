//! What is read from each form, on whole files.

use portolan_types::EdgeKind;

use crate::{ExtractSettings, Extractor, Facts, Forwarded, ImportForm};

/// The facts of a file, one a line, for tests.
pub(crate) fn render(facts: &Facts) -> String {
    let specifier = |import: u32| &facts.imports[import as usize].specifier;
    let mut lines: Vec<String> = Vec::new();
    for import in &facts.imports {
        let form = match import.form {
            ImportForm::Import => "import",
            ImportForm::Require => "require",
            ImportForm::ReferencePath => "path",
            ImportForm::ReferenceTypes => "types",
            ImportForm::Url => "url",
        };
        lines.push(format!("{form} {} {}", import.kind.name(), import.specifier));
    }
    for request in &facts.requests {
        let kind = if request.kind == EdgeKind::Runtime { "" } else { " type" };
        lines.push(format!("ask {}#{}{kind}", specifier(request.import), request.name));
    }
    if !facts.definitions.is_empty() {
        lines.push(format!("define {}", facts.definitions.join(" ")));
    }
    for forward in &facts.forwards {
        let target = match &forward.target {
            Forwarded::Name(name) => name,
            Forwarded::Namespace => "*",
        };
        lines.push(format!("forward {} = {}#{target}", forward.name, specifier(forward.import)));
    }
    lines.extend(facts.stars.iter().map(|star| format!("star {}", specifier(*star))));
    for augmentation in &facts.augmentations {
        lines.push(format!(
            "augment {} {}",
            specifier(augmentation.import),
            augmentation.names.join(" ")
        ));
    }
    lines.extend(facts.description.iter().map(|text| format!("describe {text}")));
    for problem in &facts.problems {
        lines.push(format!("{:?} at {:?}", problem.kind, problem.position.unwrap_or_default()));
    }
    lines.join("\n")
}

pub(crate) fn extract(path: &str, source: impl AsRef<[u8]>) -> Facts {
    Extractor::new().extract(path, source.as_ref(), &ExtractSettings::default())
}

/// Each file has exactly these facts.
#[track_caller]
fn check(path: &str, source: impl AsRef<[u8]>, expected: &[&str]) {
    let facts = extract(path, source.as_ref());
    assert_eq!(render(&facts), expected.join("\n"), "{}", String::from_utf8_lossy(source.as_ref()));
}

#[test]
fn import_statements() {
    check("a.ts", "import 'x'", &["import runtime x"]);
    check("a.ts", "import D from 'x'", &["import runtime x", "ask x#default"]);
    check("a.ts", "import { A, B as C } from 'x'", &["import runtime x", "ask x#A", "ask x#B"]);
    check("a.ts", "import D, { A } from 'x'", &["import runtime x", "ask x#default", "ask x#A"]);
    check("a.ts", "import * as N from 'x'", &["import runtime x"]);
    check("a.ts", "import D, * as N from 'x'", &["import runtime x"]);
    check("a.ts", "import defer * as N from 'x'", &["import runtime x"]);
    check("a.ts", "import {} from 'x'", &["import runtime x"]);
    check("a.ts", "import { 'x-y' as z } from 'x'", &["import runtime x", "ask x#x-y"]);
    check(
        "a.ts",
        "import j from 'x' with { type: 'json' }",
        &["import runtime x", "ask x#default"],
    );
    check("a.ts", "import 'x'; import 'y'; import 'x'", &["import runtime x", "import runtime y"]);
}

#[test]
fn type_imports() {
    check("a.ts", "import type D from 'x'", &["import type x", "ask x#default type"]);
    check("a.ts", "import type { T } from 'x'", &["import type x", "ask x#T type"]);
    check("a.ts", "import type * as N from 'x'", &["import type x"]);
    check("a.ts", "import { type T } from 'x'", &["import type x", "ask x#T type"]);
    check(
        "a.ts",
        "import { type T, A } from 'x'",
        &["import runtime x", "ask x#T type", "ask x#A"],
    );
    check(
        "a.ts",
        "import D, { type T } from 'x'",
        &["import runtime x", "ask x#default", "ask x#T type"],
    );
    check("a.ts", "import type L = require('x')", &["require type x"]);
    check("a.ts", "import L = require('x')", &["require runtime x"]);
}

#[test]
fn exports_from() {
    check(
        "a.ts",
        "export { A, B as C } from 'x'",
        &["import runtime x", "forward A = x#A", "forward C = x#B"],
    );
    check(
        "a.ts",
        "export { default } from 'x'",
        &["import runtime x", "forward default = x#default"],
    );
    check("a.ts", "export * from 'x'", &["import runtime x", "star x"]);
    check("a.ts", "export * as N from 'x'", &["import runtime x", "forward N = x#*"]);
    check("a.ts", "export {} from 'x'", &["import runtime x"]);
    check("a.ts", "export type { T } from 'x'", &["import type x", "forward T = x#T"]);
    check("a.ts", "export { type T } from 'x'", &["import type x", "forward T = x#T"]);
    check(
        "a.ts",
        "export { type T, A } from 'x'",
        &["import runtime x", "forward A = x#A", "forward T = x#T"],
    );
    check("a.ts", "export type * from 'x'", &["import type x", "star x"]);
}
