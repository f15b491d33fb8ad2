//! Collects facts: each import once, in the order of first appearance.

use std::collections::BTreeMap;

use portolan_types::{Definition, Facts, Import, TextSpan, cmp_utf16};

/// Facts under construction.
#[derive(Default)]
pub(crate) struct FactRecorder {
    facts: Facts,
    known: BTreeMap<Import, u32>,
    definitions: Vec<(Definition, TextSpan)>,
}

impl FactRecorder {
    /// Adds an import unless it is known. Returns its number.
    pub(crate) fn import(&mut self, import: Import, (start, end): (usize, usize)) -> u32 {
        let facts = &mut self.facts;
        *self.known.entry(import).or_insert_with_key(|import| {
            facts.imports.push(import.clone());
            facts.places.imports.push(TextSpan { start: start as u32, end: end as u32 });
            facts.imports.len() as u32 - 1
        })
    }

    /// Adds a definition.
    pub(crate) fn define(&mut self, definition: Definition, (start, end): (usize, usize)) {
        self.definitions.push((definition, TextSpan { start: start as u32, end: end as u32 }));
    }

    /// The sorted facts. The language adds the rest.
    pub(crate) fn finish(self) -> Facts {
        let Self { mut facts, mut definitions, .. } = self;
        definitions.sort_by(|left, right| {
            let (one, other) = (&left.0, &right.0);
            let by_name = cmp_utf16(&one.name, &other.name);
            by_name
                .then(one.scope.cmp(&other.scope))
                .then(one.mark.cmp(&other.mark))
                .then(left.1.cmp(&right.1))
        });
        definitions.dedup_by(|later, first| later.0 == first.0);
        (facts.definitions, facts.places.definitions) = definitions.into_iter().unzip();
        facts
    }
}

#[cfg(test)]
mod tests {
    use crate::{ExtractSettings, Extractor};

    /// Checks that the spans of imports and definitions contain these words, in the order of the
    /// facts.
    #[track_caller]
    fn check(path: &str, text: &str, imports: &[&str], definitions: &[&str]) {
        let facts =
            Extractor::default().extract(path, text.as_bytes(), &ExtractSettings::default());
        for (spans, words) in
            [(&facts.places.imports, imports), (&facts.places.definitions, definitions)]
        {
            assert_eq!(spans.len(), words.len(), "{path}");
            for (span, word) in spans.iter().zip(words) {
                let written = &text[span.start as usize..span.end as usize];
                assert!(written.contains(word), "{path}: {written}");
                assert!(written.len() < text.len(), "{path}: {written}");
            }
        }
    }

    #[test]
    fn every_language_records_spans() {
        check("a.py", "from .m import a\n\ndef f():\n    return a\n", &["import a"], &["f"]);
        check("a.rs", "use crate::m::A;\npub struct S { a: A }\n", &["crate::m::A"], &["S"]);
        check("a.go", "package p\nimport \"m/h\"\nfunc F() { h.H() }\n", &["\"m/h\""], &["F"]);
        check("A.java", "package p;\nimport q.B;\nclass A { B b; }\n", &["import q.B"], &["A"]);
        check("a.kt", "package p\nimport q.B\nclass A(val b: B)\n", &["import q.B"], &["A"]);
    }
}
