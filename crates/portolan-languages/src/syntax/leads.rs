//! Whether a statement brings something in from elsewhere, told by its first word in any language.
//!
//! No parser, as with [`declared`](crate::syntax::declared): it is for finding the head of a file, where a statement too
//! many or too few does no harm.

/// Words that such statements begin with.
const WORDS: &[&str] = &[
    "import", "from", "use", "using", "include", "#include", "require", "package", "extern",
    "'use", "\"use", "pub use", "mod",
];

/// Whether a statement imports something, or passes something on.
pub fn leads_elsewhere(statement: &str) -> bool {
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
    use crate::leads_elsewhere;

    #[test]
    fn imports_are_told_from_declarations_in_many_languages() {
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
            assert!(leads_elsewhere(text), "{text}");
        }
        for text in
            ["export const a = 'b';", "function useX() {}", "test('a', () => {});", "imported()"]
        {
            assert!(!leads_elsewhere(text), "{text}");
        }
    }
}
