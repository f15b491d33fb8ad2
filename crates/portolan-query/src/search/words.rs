//! What the words of a search mean: patterns, paths, or a text that is no pattern.

use portolan_languages::Languages;
use portolan_vfs::System;

use super::names_of_files::FileNames;
use portolan_workspace::config::Loaded;
use portolan_workspace::path_input::PathInput;

/// A text of at least this many words may be a task.
const FEWEST_WORDS: usize = 4;

/// The patterns and the paths among words as people type them: the first is a pattern; any other that is a file or a
/// folder, or looks like a path, is a path.
pub fn split_words(
    system: &dyn System,
    config: &Loaded,
    words: &[String],
) -> (Vec<String>, Vec<String>) {
    let path_input = PathInput::here(config);
    let is_there = |path: &str| system.lstat(&config.root.join(path)).is_ok();
    let is_path = |word: &String| {
        let plain = path_input.plain(word, &is_there);
        let is_safe = !plain.is_empty() && !plain.starts_with('/');
        is_safe && is_there(&plain) || looks_like_path(word) || looks_like_glob(word) || {
            let names = || FileNames::new(system, config).ending(&path_input, word);
            may_end_path(word) && (is_surely_path(word) || !names().is_empty())
        }
    };
    let (mut patterns, mut paths) = (Vec::new(), Vec::new());
    for (place, word) in words.iter().enumerate() {
        let list = if place > 0 && is_path(word) { &mut paths } else { &mut patterns };
        list.push(word.clone());
    }
    (patterns, paths)
}

/// Whether a word may be the end of a path, and is hardly a pattern: it has a folder or is named as code is.
fn may_end_path(word: &str) -> bool {
    let word = without_lines(word);
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '+');
    word.chars().all(is_plain) && (word.contains('/') || Languages::default().is_code(word))
}

/// Whether a word is a path, there or not: it has a folder, or is named as code is. `a.c` may be a member as well as a
/// file.
fn is_surely_path(word: &str) -> bool {
    let word = without_lines(word);
    let ending = word.rsplit('.').next().unwrap_or_default();
    word.contains('/') || Languages::default().is_code(word) && ending.len() > 1
}

/// A word without the lines of `src/a.ts:10-20`.
pub(super) fn without_lines(word: &str) -> &str {
    match word.rsplit_once(':') {
        Some((path, lines)) if lines.starts_with(|c: char| c.is_ascii_digit()) => path,
        _ => word,
    }
}

/// Whether a word is a path that may not be there: then that is an error, and no search for its text.
fn looks_like_path(word: &str) -> bool {
    let has_space = word.contains(char::is_whitespace);
    let is_led =
        ["./", "../", "~/", "/home/", "/tmp/", "/usr/"].iter().any(|it| word.starts_with(it));
    word == "-" || is_led || word.ends_with('/') && !has_space
}

/// Whether a word is a glob of files, and hardly a regular expression: `*.py`, `src/**/*.ts`, `packages/*/src`.
fn looks_like_glob(word: &str) -> bool {
    let is_led = word.starts_with("*.") || word.starts_with("**/");
    is_led || ["/*/", "/**", "/*."].iter().any(|mark| word.contains(mark)) || word.ends_with("/*")
}

/// Whether a text is plainly no pattern: several words, and nothing that only a pattern has.
pub fn is_plain_text(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    let is_pattern = text.contains(['\\', '[', ']', '|', '^', '$', '*', '+', '{', '}']);
    words >= FEWEST_WORDS && !is_pattern
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_vfs::MemorySystem;

    use super::{is_plain_text, split_words};
    use portolan_workspace::config;

    #[test]
    fn words_after_the_first_are_paths_where_they_name_some() {
        let system = MemorySystem::default();
        system.put("/r/.git/HEAD", "");
        system.put("/r/src/a.ts", "");
        let config = config::load(&system, Path::new("/r")).unwrap();
        let check = |words: &[&str], patterns: &[&str], paths: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            let split = split_words(&system, &config, &words);
            let expected = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
            assert_eq!(split, (expected(patterns), expected(paths)), "{words:?}");
        };
        check(&["src"], &["src"], &[]);
        check(&["a", "src"], &["a"], &["src"]);
        check(&["a", "b", "src/a.ts"], &["a", "b"], &["src/a.ts"]);
        check(&["a", "./gone"], &["a"], &["./gone"]);
        check(&["a", "a.ts"], &["a"], &["a.ts"]);
        check(&["a", "src/a"], &["a"], &["src/a"]);
        check(&["a", "gone.ts"], &["a"], &["gone.ts"]);
        check(&["a", "*.ts", "src/**/*.py"], &["a"], &["*.ts", "src/**/*.py"]);
        check(&["a", "packages/*/src", "x.*y"], &["a", "x.*y"], &["packages/*/src"]);
        check(&["a", "-"], &["a"], &["-"]);
        check(&["a", "b.c", "a|b/c"], &["a", "b.c", "a|b/c"], &[]);
        check(&["a", "src/gone", "src/a.ts:1-2"], &["a"], &["src/gone", "src/a.ts:1-2"]);
    }

    #[test]
    fn a_sentence_is_no_pattern() {
        assert!(is_plain_text("order_by fails after alias()"));
        assert!(!is_plain_text("order_by") && !is_plain_text("a b c d|e"));
    }
}
