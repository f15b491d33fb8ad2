//! Detects import statements in any language by their first word.
//!
//! This is not a parser, like [`declared_names`](crate::declared_names()). It finds the import section at the top
//! of a file, where one statement too many or too few does little harm.

/// The words that start an import statement.
const WORDS: &[&str] = &[
    "import", "from", "use", "using", "include", "#include", "require", "package", "extern",
    "'use", "\"use", "pub use", "mod",
];

/// Whether a statement imports or re-exports something.
pub fn is_import_statement(statement: &str) -> bool {
    let mut lines = statement.lines().map(str::trim_start);
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with(['/', '*', '#', '@']);
    let Some(first) = lines.find(|line| is_code(line) || line.starts_with("#include")) else {
        return true;
    };
    let begins = |word: &&&str| {
        first.strip_prefix(**word).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with([' ', '\t', '(', '{', '"', '\'', '*', ';', '<'])
        })
    };
    let passes_on = || {
        let last = statement.trim_end().trim_end_matches(';').trim_end();
        first.starts_with("export ") && last.ends_with(['"', '\'']) && statement.contains(" from ")
    };
    let requires = || first.contains("= require(") || first.contains("= await import(");
    WORDS.iter().any(|word| begins(&word)) || passes_on() || requires()
}

#[cfg(test)]
mod tests {
    use super::is_import_statement;

    #[test]
    fn import_statements_are_detected_in_many_languages() {
        for text in [
            "import { a } from './a';",
            "// of b\nimport b from 'b'",
            "export * from './c';",
            "export {\n  d,\n} from './d'",
            "const e = require('e');",
            "from f import g",
            "use h::i;",
            "#include <j.h>",
            "import (\n\t\"k\"\n)",
            "// only a comment",
        ] {
            assert!(is_import_statement(text), "{text}");
        }
        for text in
            ["export const a = 'b';", "function useX() {}", "test('a', () => {});", "imported()"]
        {
            assert!(!is_import_statement(text), "{text}");
        }
    }
}
