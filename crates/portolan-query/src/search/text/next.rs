//! The call that an answer suggests: to read the declarations with most of what was asked for.

use std::cmp::Reverse;

use portolan_types::escape_invisible;

use crate::search::kinds::FileClass;
use crate::search::report::{HitGroup, SearchReport};

/// A declaration of up to this many lines is read whole.
const SHORT: u32 = 40;

/// The most declarations of one file that one call reads.
const MOST_READ: usize = 3;

/// Among more declarations none stands out, unless it has half of all hits.
const MOST_CHOICE: usize = 6;

/// The last line of an answer; empty where no declaration stands out.
pub(super) fn call(report: &SearchReport) -> String {
    let code = report.files.iter().filter(|file| file.class == FileClass::Code);
    let groups = code.flat_map(|file| file.groups.iter().map(move |group| (&file.path, group)));
    let named = groups.filter(|(_, group)| group.is_named && !is_its_own_hit(group));
    // What is defined there was asked for; then most hits; where two have as many, the order of the answer.
    let mut named: Vec<_> = named.collect();
    named.sort_by_key(|(_, group)| (group.definition.is_none(), Reverse(group.hits.len())));
    let Some((path, best)) = named.first() else { return String::new() };
    if named.len() > MOST_CHOICE && (best.hits.len() as u64) * 2 < report.lines {
        return String::new();
    }
    // What has fewer hits than others is rarely worth its lines; what defines a name is asked for by it.
    let using = named.iter().filter(|(_, group)| group.definition.is_none());
    let most = using.map(|(_, group)| group.hits.len()).max().unwrap_or_default();
    let is_as_good = |group: &HitGroup| group.definition.is_some() || group.hits.len() == most;
    let same_file = named.iter().filter(|(other, group)| other == path && is_as_good(group));
    let same_file = same_file.map(|(_, group)| *group);
    let mut read: Vec<&HitGroup> = Vec::new();
    for group in same_file {
        let is_new = read.iter().all(|known| known.name != group.name);
        if is_new && read.len() < MOST_READ {
            read.push(group);
        }
    }
    let is_long = read.iter().any(|group| group.range.1 - group.range.0 >= SHORT);
    let matching = match report.read_pattern.as_str() {
        pattern if is_long && !pattern.is_empty() => format!(" --match {}", quoted(pattern)),
        _ => String::new(),
    };
    let names: Vec<&str> = read.iter().map(|group| group.name.as_str()).collect();
    let target = match names.as_slice() {
        [_] => quoted(&format!("{path}#{}", best.name)),
        names => format!("{}{}", quoted(&format!("{path}#")), in_braces(names)),
    };
    format!("next: portolan read {target}{matching}\n")
}

/// Several names as one target writes them: what they share, then the rest of each in braces.
pub(crate) fn in_braces(names: &[&str]) -> String {
    let prefix = |name: &&str| name.rfind('.').map_or(0, |at| at + 1);
    let shared = names.first().map_or("", |name| &name[..prefix(name)]);
    let is_shared =
        names.iter().all(|name| name.starts_with(shared) && prefix(name) == shared.len());
    let shared = if is_shared { shared } else { "" };
    let rest: Vec<&str> = names.iter().map(|name| &name[shared.len()..]).collect();
    let is_plain = |c: char| c.is_alphanumeric() || "_.$".contains(c);
    let text = format!("{shared}{{{}}}", rest.join(","));
    // A shell takes braces as they are only around plain names.
    if names.iter().all(|name| name.chars().all(is_plain) && !name.contains('$')) {
        return text;
    }
    quoted(&text)
}

/// Whether all hits of a declaration are its name, or it is one line: reading it tells nothing new.
fn is_its_own_hit(group: &HitGroup) -> bool {
    let (first, last) = group.range;
    first == last || group.definition.is_some() && group.hits.len() == 1 && last - first >= SHORT
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./#@:+,%".contains(c);
    let word = escape_invisible(word);
    if word.chars().all(is_plain) && !word.is_empty() {
        return word;
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::{in_braces, quoted};

    #[test]
    fn names_of_one_class_share_its_name() {
        assert_eq!(in_braces(&["Query.a", "Query.b"]), "Query.{a,b}");
        assert_eq!(in_braces(&["Query.a", "b"]), "{Query.a,b}");
        assert_eq!(in_braces(&["Query.a", "Query.A.b"]), "{Query.a,Query.A.b}");
        assert_eq!(in_braces(&["a b", "c"]), "'{a b,c}'");
    }

    #[test]
    fn a_word_is_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("src/a.py#A.b"), "src/a.py#A.b");
        assert_eq!(quoted(r"a\b|it's"), r"'a\b|it'\''s'");
    }
}
