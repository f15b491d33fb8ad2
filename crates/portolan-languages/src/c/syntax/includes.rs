//! Reads the includes of a text, line by line.
//!
//! Every branch of `#if` counts, so that the map does not depend on a configuration, except for what
//! `#if 0` switches off.

use portolan_types::EdgeKind;

use crate::fact_recorder::FactRecorder;
use crate::{Facts, Import, ImportForm, Scratch, SourceText};

/// `#include "a.h"`
pub(crate) const QUOTED: ImportForm = ImportForm(0);
/// `#include <a.h>`
pub(crate) const BRACKETED: ImportForm = ImportForm(1);

/// The facts of a text: its includes.
pub(crate) fn facts(source: &SourceText<'_>, _scratch: &mut Scratch) -> Facts {
    let mut recorded = FactRecorder::default();
    if !source.text.contains("include") && !source.text.contains("import") {
        return Facts::default();
    }
    let mut reader = IncludeReader::default();
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        if let Some(IncludeLine { name, form }) = reader.line(line) {
            let (specifier, kind) = (name.into(), EdgeKind::Runtime);
            let import = Import { specifier, kind, form, ..Import::default() };
            recorded.import(import, (start, start + line.trim_end().len()));
        }
        start += line.len();
    }
    recorded.finish()
}

struct IncludeLine<'t> {
    name: &'t str,
    form: ImportForm,
}

/// What the lines before say of the next one.
#[derive(Default)]
struct IncludeReader {
    is_comment: bool,
    /// How many conditions are open inside of `#if 0`; 0 outside of it.
    off: u32,
}

impl IncludeReader {
    fn line<'t>(&mut self, line: &'t str) -> Option<IncludeLine<'t>> {
        let code = self.without_comment(line)?.trim_start();
        let directive = code.strip_prefix('#').map(str::trim_start);
        let directive = directive.or_else(|| code.strip_prefix("%:").map(str::trim_start));
        let found = directive.and_then(|directive| self.directive(directive));
        self.open_comment(code);
        found
    }

    /// The code of a line behind a comment that is open; `None` if it goes on.
    fn without_comment<'t>(&mut self, line: &'t str) -> Option<&'t str> {
        let mut rest = line;
        if self.is_comment {
            let (_, after) = rest.split_once("*/")?;
            self.is_comment = false;
            rest = after;
        }
        while let Some(inner) = rest.trim_start().strip_prefix("/*") {
            if let Some((_, after)) = inner.split_once("*/") {
                rest = after;
            } else {
                self.is_comment = true;
                return None;
            }
        }
        Some(rest)
    }

    /// Notes whether a line leaves a comment open.
    fn open_comment(&mut self, code: &str) {
        let bytes = code.as_bytes();
        let (mut at, mut quote) = (0, None);
        while let Some(byte) = bytes.get(at) {
            match (quote, byte, bytes.get(at + 1)) {
                (Some(_), b'\\', _) => at += 1,
                (Some(open), byte, _) if open == *byte => quote = None,
                (None, b'"' | b'\'', _) => quote = Some(*byte),
                (None, b'/', Some(b'/')) => return,
                (None, b'/', Some(b'*')) => {
                    let inner = code.get(at + 2..).unwrap_or_default();
                    let Some(end) = inner.find("*/") else {
                        self.is_comment = true;
                        return;
                    };
                    at += end + 3;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn directive<'t>(&mut self, directive: &'t str) -> Option<IncludeLine<'t>> {
        let end = directive.find(|c: char| !c.is_ascii_alphabetic() && c != '_');
        let (word, rest) = directive.split_at(end.unwrap_or(directive.len()));
        let rest = rest.trim_start();
        match word {
            "if" | "ifdef" | "ifndef" => {
                let is_never = word == "if" && rest.split_whitespace().next() == Some("0");
                if self.off > 0 || is_never {
                    self.off += 1;
                }
            }
            "else" | "elif" if self.off == 1 => self.off = 0,
            "endif" => self.off = self.off.saturating_sub(1),
            "include" | "include_next" | "import" if self.off == 0 => return include(rest),
            _ => {}
        }
        None
    }
}

fn include(rest: &str) -> Option<IncludeLine<'_>> {
    let (form, close) = match rest.as_bytes().first()? {
        b'"' => (QUOTED, '"'),
        b'<' => (BRACKETED, '>'),
        _ => return None,
    };
    let name = rest.get(1..)?.split_once(close)?.0;
    (!name.is_empty()).then_some(IncludeLine { name, form })
}

#[cfg(test)]
mod tests {
    use crate::{ExtractSettings, Extractor};

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let facts =
            Extractor::default().extract("a.c", text.as_bytes(), &ExtractSettings::default());
        let found: Vec<_> = facts.imports.iter().map(|import| &*import.specifier).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn includes_are_read_in_every_form() {
        check(
            "#include \"a.h\"\n# include <b/c.h> // d\n  #  include_next<e.h>\n",
            &["a.h", "b/c.h", "e.h"],
        );
        check("#if A\n#include \"a.h\"\n#else\n#include \"b.h\"\n#endif\n", &["a.h", "b.h"]);
        check("#include MACRO\n#include \"\"\nx = \"#include\";\n", &[]);
    }

    #[test]
    fn what_is_switched_off_is_no_include() {
        check("/* #include \"a.h\"\n#include \"b.h\" */ \n#include \"c.h\"\n", &["c.h"]);
        check("// #include \"a.h\"\nint a; /* b\n#include \"c.h\"\n*/\n", &[]);
        let off = "#if 0\n#ifdef A\n#include \"a.h\"\n#endif\n#else\n#include \"b.h\"\n#endif\n";
        check(off, &["b.h"]);
        check("char *s = \"/*\";\n#include \"a.h\"\n", &["a.h"]);
        check("/* a */ #include \"a.h\"\n", &["a.h"]);
    }
}
