//! The call that an answer suggests: to read the declaration with most of what was asked for.

use std::cmp::Reverse;

use portolan_types::escape_invisible;

use crate::search::kinds::FileClass;
use crate::search::report::{HitGroup, SearchReport};

/// A declaration of at most so many lines is read whole.
const SHORT: u32 = 40;

/// The last line of an answer; empty where no declaration stands out by its name.
pub(super) fn call(report: &SearchReport) -> String {
    let code = report.files.iter().filter(|file| file.class == FileClass::Code);
    let groups = code.flat_map(|file| file.groups.iter().map(move |group| (&file.path, group)));
    let named = groups.filter(|(_, group)| group.is_named && !is_its_own_hit(group));
    // Most hits first; where two have as many, none stands out.
    let mut named: Vec<_> = named.collect();
    named.sort_by_key(|(_, group)| Reverse(group.hits.len()));
    let (path, group) = match named.as_slice() {
        [best] => best,
        [best, second, ..] if best.1.hits.len() > second.1.hits.len() => best,
        _ => return String::new(),
    };
    let is_long = group.range.1 - group.range.0 >= SHORT;
    let matching = match report.read_pattern.as_str() {
        pattern if is_long && !pattern.is_empty() => format!(" --match {}", quoted(pattern)),
        _ => String::new(),
    };
    let target = quoted(&format!("{path}#{}", group.name));
    format!("next: portolan read {target}{matching}\n")
}

/// Whether all hits of a declaration are its name, or it is one line: reading it tells nothing new.
fn is_its_own_hit(group: &HitGroup) -> bool {
    let (first, last) = group.range;
    first == last || group.definition.is_some() && group.hits.len() == 1 && last - first >= SHORT
}

/// A word as a shell takes it.
pub(in crate::search) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./#@:+,%".contains(c);
    let word = escape_invisible(word);
    if word.chars().all(is_plain) && !word.is_empty() {
        return word;
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_word_is_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("src/a.py#A.b"), "src/a.py#A.b");
        assert_eq!(quoted(r"a\b|it's"), r"'a\b|it'\''s'");
    }
}
