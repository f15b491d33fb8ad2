//! Finds declared names in a text of any language, by the keywords before them.
//!
//! This is not a parser: a line that starts with modifiers and a declaring keyword counts. The
//! names help to find files by topic, where a wrong or missing name does little harm.

/// Keywords before a declared name.
const DECLARING: &[&str] = &[
    "class",
    "const",
    "contract",
    "def",
    "defmodule",
    "enum",
    "fn",
    "fun",
    "func",
    "function",
    "interface",
    "let",
    "macro_rules",
    "mod",
    "module",
    "namespace",
    "object",
    "package",
    "protocol",
    "record",
    "static",
    "struct",
    "sub",
    "trait",
    "type",
    "union",
    "val",
    "var",
];

/// Keywords that count only at the left margin, because they are common inside bodies.
const EDGE_ONLY: &[&str] = &["const", "let", "static", "val", "var"];

/// Modifiers before those keywords.
const MODIFIERS: &[&str] = &[
    "abstract",
    "async",
    "crate",
    "data",
    "declare",
    "default",
    "export",
    "extern",
    "final",
    "inline",
    "internal",
    "open",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "readonly",
    "sealed",
    "static",
    "unsafe",
];

/// Modifiers that export a name.
const OPENING: &[&str] = &["export", "pub", "public"];

/// A declared name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclaredName<'a> {
    /// The name.
    pub name: &'a str,
    /// Whether others can use it, as far as the line shows.
    pub is_open: bool,
}

/// The names that a text declares, in order.
pub fn declared_names(text: &str) -> impl Iterator<Item = DeclaredName<'_>> {
    text.lines().filter_map(line)
}

fn line(line: &str) -> Option<DeclaredName<'_>> {
    /// Longer lines are data, not code.
    const LONGEST: usize = 400;
    let body = line.trim_start();
    let first = body.as_bytes().first()?;
    if !first.is_ascii_lowercase() || line.len() > LONGEST {
        return None;
    }
    let is_at_edge = body.len() == line.len();
    let mut words = body
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .filter(|word| !word.is_empty())
        .take(7);
    let mut is_open = false;
    let keyword = loop {
        let word = words.next()?;
        is_open |= OPENING.contains(&word);
        if !MODIFIERS.contains(&word) {
            break word;
        }
    };
    if !DECLARING.contains(&keyword) || (EDGE_ONLY.contains(&keyword) && !is_at_edge && !is_open) {
        return None;
    }
    let name = words.find(|word| !DECLARING.contains(word) && !MODIFIERS.contains(word))?;
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    // Some languages have no export keyword: what is at the margin is exported.
    let is_open = is_open || (is_at_edge && matches!(keyword, "def" | "class" | "func" | "type"));
    is_name.then_some(DeclaredName { name, is_open })
}

#[cfg(test)]
mod tests {
    use super::declared_names;

    fn check(text: &str, expected: &str) {
        let names: Vec<String> = declared_names(text)
            .map(|one| format!("{}{}", one.name, if one.is_open { "+" } else { "" }))
            .collect();
        assert_eq!(names.join(" "), expected, "{text}");
    }

    #[test]
    fn names_follow_declaring_keywords() {
        check("export const a = 1;\nconst b = 2;\nexport default async function c() {}", "a+ b c+");
        check(
            "pub(crate) fn read(text: &str) {\n    let inner = 1;\n    fn helper() {}",
            "read+ helper",
        );
        check("def view(request):\n    def inner(): pass\nclass Model:", "view+ inner Model+");
        check("func Handle(w Writer) {\n\tvar local int", "Handle+");
        check("public static class Tool {\n  private enum Kind {", "Tool+ Kind");
        check("export interface Props<T> {\nexport type Key = string", "Props+ Key+");
    }

    #[test]
    fn other_lines_declare_nothing() {
        check("return const;\nif (class) {\n// fn a\n\"let b\"\n", "");
    }
}
