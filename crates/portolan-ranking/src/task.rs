//! The text of a task: its words, and what it names.

use std::collections::{BTreeMap, BTreeSet};

use crate::weights;
use crate::words::{identifiers, is_common, stem, word_parts, words_of};

/// More of a text is not read: nobody writes that much about one task.
const MOST_TEXT: usize = 64 << 10;
/// The most words of a text that count.
const MOST_TERMS: usize = 512;
/// The fewest characters and spaces of a message.
const SHORTEST_MESSAGE: usize = 12;
/// The most messages that are looked for.
const MOST_MESSAGES: usize = 32;

/// A task, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// The words that are looked for, with their weights; each once, sorted.
    pub terms: Vec<TaskTerm>,
    /// Files that the text names, in its order.
    pub paths: Vec<PathMention>,
    /// Names that stand behind each other with a dot between: `Holder.name`.
    pub pairs: BTreeSet<(String, String)>,
    /// Names of classes and the like that the text may mean: those with a capital or an underscore.
    pub holders: BTreeSet<String>,
    /// Names in backticks, as they are written.
    pub quoted: BTreeSet<String>,
    /// Names that the text calls or sets apart: in its title, in backticks, or before a bracket.
    pub named: BTreeSet<String>,
    /// Parts of error messages and other texts in quotes that may stand in the sources, sorted.
    pub messages: Vec<String>,
    /// Whether it is about tests.
    pub is_about_tests: bool,
    /// Whether it is about documents.
    pub is_about_documents: bool,
}

/// A word that is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskTerm {
    /// The stem of the word, in small letters.
    pub word: String,
    /// The word as the text has it first.
    pub shown: String,
    /// What it counts.
    pub weight: f64,
    /// How often it stands in the title.
    pub title: f64,
    /// How often it stands in the sentences below the title: code and stack traces are left out.
    pub prose: f64,
}

/// A file that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathMention {
    /// The path as it is written, with `/`.
    pub path: String,
    /// The function of a stack frame.
    pub function: Option<String>,
    /// Whether it is a stack frame.
    pub is_frame: bool,
}

impl Task {
    /// Reads a text. Its first line is its title.
    pub fn new(text: &str) -> Self {
        let mut end = text.len().min(MOST_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = without_comments(text.get(..end).unwrap_or_default());
        let text = text.trim();
        let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
        let title_words = words_of(title);
        let has = |word: &str| title_words.iter().any(|it| it == word);
        let has_capital = |word: &String| word.contains(|c: char| c.is_uppercase() || c == '_');
        Self {
            terms: terms(&title_words, &words_of(&prose(rest)), text),
            paths: paths(text),
            pairs: pairs(text),
            holders: names_of(text).into_iter().filter(has_capital).collect(),
            quoted: names_of(&in_backticks(text)),
            named: named(title, text),
            messages: messages(text),
            is_about_tests: has("test") || has("tests"),
            is_about_documents: has("docs") || has("documentation") || has("readme"),
        }
    }
}

/// The words of a text with their weights. Those of the title count more, those in backticks twice.
fn terms(title: &[String], prose: &[String], text: &str) -> Vec<TaskTerm> {
    let (all, quoted) = (words_of(text), words_of(&in_backticks(text)));
    let mut terms: BTreeMap<&str, TaskTerm> = BTreeMap::new();
    for (words, weight) in [(title, weights::TITLE), (&all, 1.0), (&quoted, 1.0)] {
        for word in words.iter().filter(|word| !is_common(word)) {
            let new = || TaskTerm {
                word: stem(word).to_owned(),
                shown: word.clone(),
                weight: 0.0,
                title: 0.0,
                prose: 0.0,
            };
            let term = terms.entry(stem(word)).or_insert_with(new);
            term.weight = (term.weight + weight).min(weights::MOST_OFTEN);
        }
    }
    let most = weights::MOST_OFTEN_IN_PART;
    for word in title {
        if let Some(term) = terms.get_mut(stem(word)) {
            term.title = (term.title + 1.0).min(most);
        }
    }
    for word in prose {
        if let Some(term) = terms.get_mut(stem(word)) {
            term.prose = (term.prose + 1.0).min(most);
        }
    }
    let mut terms: Vec<TaskTerm> = terms.into_values().collect();
    if terms.len() > MOST_TERMS {
        terms.sort_by(|left, right| right.weight.total_cmp(&left.weight));
        terms.truncate(MOST_TERMS);
        terms.sort_by(|left, right| left.word.cmp(&right.word));
    }
    terms
}

/// The sentences of a text: without blocks of code, what is indented like code or typed at a prompt, and stack frames.
fn prose(text: &str) -> String {
    let text = without_fences(text);
    let is_code = |line: &&str| {
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        is_indented
            || [">>>", "$ ", "In [", "Out["].iter().any(|it| line.trim_start().starts_with(it))
    };
    let is_frame = |line: &&str| paths(line).iter().any(|mention| mention.is_frame);
    let lines = text.lines().filter(|line| !is_code(line) && !is_frame(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// A text without what templates of issues hide from their readers.
fn without_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

/// A text without its blocks of code.
fn without_fences(text: &str) -> String {
    let parts = text.split("```").step_by(2);
    parts.collect::<Vec<_>>().join(" ")
}

/// What is in backticks.
fn in_backticks(text: &str) -> String {
    let lines = without_fences(text);
    let spans = lines.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    spans.collect::<Vec<_>>().join(" ")
}

fn names_of(text: &str) -> BTreeSet<String> {
    let each = identifiers(text.as_bytes());
    each.filter_map(|(_, word)| std::str::from_utf8(word).ok()).map(str::to_owned).collect()
}

/// The names that a text calls or sets apart. A word of the sentences that is followed by a bracket counts only if it looks
/// like a name.
fn named(title: &str, text: &str) -> BTreeSet<String> {
    let mut named = names_of(title);
    named.extend(names_of(&in_backticks(text)));
    let is_name = |name: &&str| {
        name.trim_matches('_').contains('_') || name.chars().skip(1).any(char::is_uppercase)
    };
    named.extend(calls(text.as_bytes()).into_iter().filter(is_name).map(str::to_owned));
    named
}

/// The names before a bracket.
pub fn calls(text: &[u8]) -> BTreeSet<&str> {
    let called = identifiers(text).filter(|(at, word)| {
        let end = at + word.len();
        text.get(end) == Some(&b'(')
    });
    called.filter_map(|(_, word)| std::str::from_utf8(word).ok()).collect()
}

/// The files that a text names. In a stack frame the function is told: before the path, or behind it.
fn paths(text: &str) -> Vec<PathMention> {
    let is_path = |c: char| c.is_alphanumeric() || "_-./\\@+".contains(c);
    let mut found: Vec<PathMention> = Vec::new();
    for line in text.lines() {
        let mut start = 0;
        while let Some(offset) = line.get(start..).and_then(|rest| rest.find(is_path)) {
            let from = start + offset;
            let length = line[from..].find(|c: char| !is_path(c)).unwrap_or(line.len() - from);
            let word = &line[from..from + length];
            start = from + length;
            let word = word.trim_matches(['.', '-', '\\']).replace('\\', "/");
            if !is_file_name(&word) {
                continue;
            }
            let (before, after) = (&line[..from], &line[start..]);
            let function = frame_function(before, after);
            let has_line = after.trim_start_matches(['"', '\'']).starts_with([':', ',', '('])
                && after.contains(|c: char| c.is_ascii_digit());
            let is_frame =
                has_line && (function.is_some() || before.trim_end().ends_with("File \""));
            let path = word.trim_start_matches("./").to_owned();
            found.push(PathMention { path, function, is_frame });
        }
    }
    found
}

/// Whether a word is the name of a file: it ends in a short extension of letters, and is no number or version.
fn is_file_name(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_short = (1..=5).contains(&extension.len());
    let is_plain = extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic());
    is_short && is_plain && !stem.is_empty()
}

/// The function of a stack frame: `File "a.py", line 1, in f` or `at f (a.ts:1:2)`.
fn frame_function(before: &str, after: &str) -> Option<String> {
    let word = |text: &str| {
        let end = text.find(|c: char| !(c.is_alphanumeric() || "_$.".contains(c)));
        let name = text.get(..end.unwrap_or(text.len()))?.rsplit('.').next()?;
        (!name.is_empty()).then(|| name.to_owned())
    };
    if let Some((_, name)) = after.split_once(", in ") {
        return word(name.trim_start());
    }
    let name = before.trim_start().strip_prefix("at ")?;
    word(name.strip_prefix("async ").unwrap_or(name))
}

/// The neighbours in names with dots.
fn pairs(text: &str) -> BTreeSet<(String, String)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let words: BTreeSet<&str> = text.split(|c: char| !is_part(c)).collect();
    let parts = words.into_iter().map(|word| word.trim_matches('.').split('.').collect::<Vec<_>>());
    let is_name = |part: &&str| part.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let named = parts.filter(|parts| parts.len() > 1 && parts.iter().all(&is_name));
    let pairs = named.flat_map(|parts| {
        let pairs = parts.windows(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned()));
        pairs.collect::<Vec<_>>()
    });
    pairs.collect()
}

/// The parts of messages that may stand in the sources: what is between values.
fn messages(text: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut add = |message: &str| {
        let is_value = |c: char| "'\"`<>{}()[]=:,%".contains(c) || c.is_ascii_digit();
        for part in message.split(is_value) {
            let part = part.trim_matches([' ', '.', '!']);
            let spaces = part.bytes().filter(|byte| *byte == b' ').count();
            if part.len() >= SHORTEST_MESSAGE && spaces >= 2 {
                found.insert(part.to_owned());
            }
        }
    };
    for line in text.lines() {
        if let Some((head, message)) = line.split_once(": ")
            && ["Error", "Exception", "Warning", "error", "panic"]
                .iter()
                .any(|mark| head.split_whitespace().last().is_some_and(|it| it.ends_with(mark)))
        {
            add(message);
        }
        for quote in ['"', '\''] {
            for inner in line.split(quote).skip(1).step_by(2) {
                add(inner);
            }
        }
    }
    found.into_iter().take(MOST_MESSAGES).collect()
}

impl Task {
    /// The words that it looks for, the weightiest first.
    pub fn heaviest(&self, count: usize) -> Vec<&str> {
        let mut terms: Vec<&TaskTerm> = self.terms.iter().collect();
        terms.sort_by(|left, right| right.weight.total_cmp(&left.weight));
        terms.into_iter().take(count).map(|term| term.shown.as_str()).collect()
    }

    /// The words of a path or a name that it looks for, by their numbers.
    pub(crate) fn terms_in(&self, text: &str) -> Vec<u16> {
        let words = identifiers(text.as_bytes());
        let words = words.filter_map(|(_, word)| std::str::from_utf8(word).ok());
        let find = |word: String| {
            let at = self.terms.binary_search_by(|term| term.word.as_str().cmp(stem(&word)));
            at.ok().map(|at| at as u16)
        };
        words.flat_map(word_parts).filter_map(find).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{PathMention, Task};

    fn weight(task: &Task, word: &str) -> f64 {
        task.terms.iter().find(|term| term.shown == word).map_or(0.0, |term| term.weight)
    }

    #[test]
    fn words_of_the_title_count_more_and_common_ones_not_at_all() {
        let task = Task::new("Fix parser\n\nThe lexer fails on `brace`.\n```\nunrelated()\n```\n");
        assert!(weight(&task, "parser") > weight(&task, "lexer"));
        assert!(weight(&task, "unrelated") > 0.0);
        assert!(weight(&task, "the") <= 0.0);
    }

    #[test]
    fn title_sentences_and_code_are_told_apart() {
        let text =
            "Fix parser\n\nThe parser fails.\n```\nlexer()\n```\n    indented()\n>>> typed()\n";
        let task = Task::new(text);
        let parts = |word: &str| {
            let term = task.terms.iter().find(|term| term.shown == word).unwrap();
            (term.title, term.prose)
        };
        assert_eq!(parts("parser"), (1.0, 1.0));
        assert_eq!(parts("fails"), (0.0, 1.0));
        for code in ["lexer", "indented", "typed"] {
            assert_eq!(parts(code), (0.0, 0.0), "{code}");
        }
    }

    #[test]
    fn names_with_dots_and_capitals_may_be_members_and_holders() {
        let task = Task::new("QuerySet.order_by fails in django.db");
        assert!(task.pairs.contains(&("QuerySet".to_owned(), "order_by".to_owned())));
        assert!(task.holders.contains("QuerySet") && !task.holders.contains("django"));
    }

    #[test]
    fn names_are_those_of_the_title_in_backticks_or_called() {
        let text = "ceiling fails\n\nIt `floors` (by hand) in evalf_sum() and plain() alone.";
        let named = Task::new(text).named;
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        assert_eq!(named, ["ceiling", "evalf_sum", "fails", "floors"]);
    }

    #[test]
    fn forms_of_a_word_are_one() {
        let task = Task::new("query\n\nQueries of a query");
        let shown: Vec<&str> = task.terms.iter().map(|term| term.shown.as_str()).collect();
        assert_eq!(shown, ["query"]);
    }

    #[test]
    fn frames_name_files_and_functions() {
        let text = "Crash\n  File \"/x/django/db/query.py\", line 12, in filter\n    at Foo.bar (src/a.ts:3:4)\nsee src/b.rs";
        let frame = |path: &str, function: &str| PathMention {
            path: path.to_owned(),
            function: Some(function.to_owned()),
            is_frame: true,
        };
        let plain = PathMention { path: "src/b.rs".to_owned(), function: None, is_frame: false };
        let paths = Task::new(text).paths;
        let found: Vec<_> =
            paths.into_iter().filter(|mention| mention.path.contains('/')).collect();
        let expected = [frame("/x/django/db/query.py", "filter"), frame("src/a.ts", "bar"), plain];
        assert_eq!(found, expected);
    }

    #[test]
    fn messages_are_cut_at_values() {
        let task =
            Task::new("x\nValueError: Cannot resolve keyword 'a' into field. Choices are: b");
        assert_eq!(task.messages, ["Cannot resolve keyword", "into field. Choices are"]);
        assert!(Task::new("say \"hello\"").messages.is_empty());
    }

    #[test]
    fn any_text_is_a_task() {
        for text in ["", "\0", "```", "`", "<!--", "a\u{301}", ": Error: ", "\"", "at (", "File \""]
        {
            let _ = Task::new(text);
        }
        assert!(Task::new(&"word ".repeat(100_000)).terms.len() <= 512);
    }
}
