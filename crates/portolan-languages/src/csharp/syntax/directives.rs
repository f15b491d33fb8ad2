//! Blanks what the preprocessor reads, so that the grammar sees one text.
//!
//! The grammar knows `#if` between whole declarations only. Lines of directives are blanked. Branches
//! after the first are blanked, too, where one of them begins or ends inside of a declaration.

use std::borrow::Cow;
use std::ops::Range;

/// The bytes of a branch.
type Branch = Range<usize>;

/// A `#if` that is open.
struct Condition {
    /// The branches, by their bytes. The last one is open.
    branches: Vec<Branch>,
}

/// A text without directives. Every other byte stays where it is.
pub(crate) fn without_directives(text: &str) -> Cow<'_, str> {
    if !text.contains("#if") {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    let mut open: Vec<Condition> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else {
            start = end;
            continue;
        };
        if let Some(last) = open.last_mut().and_then(|it| it.branches.last_mut()) {
            last.end = start;
        }
        if directive.starts_with("if") {
            let first = Branch { start: end, end };
            open.push(Condition { branches: Vec::from([first]) });
        } else if directive.starts_with("el") {
            if let Some(condition) = open.last_mut() {
                condition.branches.push(end..end);
            }
        } else if directive.starts_with("endif")
            && let Some(condition) = open.pop()
        {
            let is_whole = |branch: &Range<usize>| is_whole(&text[branch.clone()]);
            if !condition.branches.iter().all(is_whole) {
                for branch in condition.branches.iter().skip(1) {
                    blank(&mut bytes, branch.clone());
                }
            }
        }
        blank(&mut bytes, start..end);
        start = end;
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn blank(bytes: &mut [u8], range: Range<usize>) {
    for byte in bytes.get_mut(range).unwrap_or_default() {
        if *byte != b'\n' && *byte != b'\r' {
            *byte = b' ';
        }
    }
}

/// Whether a branch consists of whole declarations or statements.
fn is_whole(branch: &str) -> bool {
    let lines = branch.lines().map(str::trim);
    let code: Vec<&str> = lines
        .filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with('#'))
        .collect();
    let (Some(first), Some(last)) = (code.first(), code.last()) else { return true };
    let last = last.split("//").next().unwrap_or(last).trim_end();
    let count = |letter: char| code.iter().map(|line| line.matches(letter).count()).sum::<usize>();
    count('{') == count('}')
        && count('(') == count(')')
        && !first.starts_with(['{', '}', ';', ':', ',', '.', ')', '=', '?', '&', '|', '+'])
        && last.ends_with(['}', ';', ']', ','])
}

#[cfg(test)]
mod tests {
    use super::without_directives;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = without_directives(text);
        assert_eq!(found.len(), text.len());
        let lines = found.lines().map(str::trim_end).filter(|line| !line.is_empty());
        assert_eq!(lines.collect::<Vec<_>>().join("|"), expected, "{text}");
    }

    #[test]
    fn a_signature_that_is_cut_keeps_its_first_branch() {
        check("void f()\n#if A\n=> 1;\n#else\n;\n#endif\nint b;", "void f()|=> 1;|int b;");
        check("class A\n#if B\n: C {\n#else\n: D {\n#endif\n}", "class A|: C {|}");
        check("#if A\nint a;\n#elif B\nint b;\n#endif", "int a;|int b;");
        check("#if A\n#if B\nint é;\n#endif\n#else\nint c;\n#endif", "int é;|int c;");
        check("#region x\nint a;\n", "#region x|int a;");
    }

    #[test]
    fn broken_conditions_do_no_harm() {
        check("#endif\n#else\n#if\nint a;", "int a;");
    }
}
