//! A task in words, as the terms to look for.

use std::collections::{BTreeMap, BTreeSet};

use super::words::{compounds, stem, words};

/// Words that a task has whatever it is about.
const STOP: &str = "a about above add added adds after again all allow allows already also always an and any are as at \
    be because been before being better between both bug but by can cannot chore \
    correct correctly could currently did do doc docs does doesn don done during each eg ensure etc even \
    feat feature fix fixed fixes fixing for from had has have he how i ie if improve improves in instead into is isn \
    it its just less let like made make makes making may me more most must my need never new no non not now \
    of on only or other our over pr previously properly rather refactor refs \
    same see several should shouldn since so some still such than that the their them then there these they thing \
    this those through to too two under until up us use used uses using very via was wasn way we were what \
    when where which while who why will with without won would you your";

/// Words that most tasks have for no reason, and some because they are about it: a request, a due date, a time-out.
const WEAK: &str = "case change changed changes close commit due first get handle handles http https issue main merge \
    off one out pull put remove removed removes request support supports time update updates work";

/// How much such a word weighs (docs/benchmarks-task.md has what other weights gave).
const WEAK_WEIGHT: f64 = 0.15;

/// Lines that tell who wrote a change, not what it is about.
const TRAILERS: &[&str] =
    &["co-authored-by:", "signed-off-by:", "reviewed-by:", "change-id:", "cc:"];

/// A term of a task and its weight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    pub(super) word: String,
    pub(super) weight: f64,
}

/// How much parts of a task weigh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    /// The first line, over the others.
    pub(super) title: f64,
    /// What a title of the form `fix(scope): …` has in its brackets, over the rest of the title.
    pub(super) scope: f64,
    /// Two words in a row that code may have written as one.
    pub(super) pair: f64,
}

/// The terms of a task, sorted by word. The first line weighs more than the rest, and a word that is
/// said again a little more than one that is said once.
pub(super) fn terms(task: &str, weights: Weights) -> Vec<Term> {
    let mut found = FoundTerm {
        stop: STOP.split_whitespace().map(stem).collect(),
        weak: WEAK.split_whitespace().map(stem).collect(),
        pair: weights.pair,
        weights: BTreeMap::new(),
    };
    let lines = task.lines().filter(|line| !line.trim().is_empty() && !is_trailer(line));
    for (at, line) in lines.enumerate() {
        let line = without_links(line);
        if at > 0 {
            found.add(&line, 1.0);
            continue;
        }
        found.add(&line, weights.title);
        if let Some(scope) = scope(&line) {
            found.add(scope, weights.title * (weights.scope - 1.0));
        }
    }
    let saturated = |weight: f64| weight * (weights.title + 1.0) / (weight + weights.title);
    let found = found.weights.into_iter();
    found.map(|(word, weight)| Term { word, weight: saturated(weight) }).collect()
}

struct FoundTerm<'a> {
    stop: BTreeSet<&'a str>,
    weak: BTreeSet<&'a str>,
    pair: f64,
    weights: BTreeMap<String, f64>,
}

impl FoundTerm<'_> {
    fn add(&mut self, line: &str, weight: f64) {
        words(line, |word| {
            if !self.stop.contains(word) {
                let factor = if self.weak.contains(word) { WEAK_WEIGHT } else { 1.0 };
                *self.weights.entry(word.to_owned()).or_default() += weight * factor;
            }
        });
        if self.pair > 0.0 {
            self.add_pairs(line, weight * self.pair, |is_said| is_said);
            // What is written as one word is one, whatever its parts are: a `to-do`.
            let hyphenated = line.split_whitespace().filter(|word| word.contains('-'));
            hyphenated.for_each(|it| self.add_pairs(it, weight * self.pair, |is_said| !is_said));
        }
    }

    /// Adds two words in a row as one; who is asked knows whether either of them says anything by itself.
    fn add_pairs(&mut self, text: &str, weight: f64, is_one: impl Fn(bool) -> bool) {
        let row: Vec<String> = compounds(text).map(str::to_lowercase).collect();
        for pair in row.windows(2).filter(|pair| pair.iter().all(|word| word.len() > 1)) {
            if is_one(pair.iter().any(|word| !self.stop.contains(stem(word)))) {
                let joined = pair.concat().replace('_', "");
                *self.weights.entry(joined).or_default() += weight;
            }
        }
    }
}

/// Words before a colon that say what sort of change it is, not where.
const SORTS: &[&str] = &[
    "build", "bug", "bugfix", "chore", "ci", "doc", "docs", "feat", "feature", "fix", "hotfix",
    "note", "perf", "refactor", "release", "revert", "style", "test", "tests", "wip",
];

/// `parser` of `fix(parser): …` and of `parser: …`, as different projects write their titles.
fn scope(title: &str) -> Option<&str> {
    let (head, _) = title.split_once(": ")?;
    let head = head.trim_end_matches(['!', ' ']);
    if let Some(head) = head.strip_suffix(')') {
        return Some(head.split_once('(')?.1);
    }
    let is_name = |c: char| c.is_alphanumeric() || "/._-,*".contains(c);
    let is_sort = SORTS.contains(&head.to_lowercase().as_str());
    (head.chars().all(is_name) && !is_sort).then_some(head)
}

fn is_trailer(line: &str) -> bool {
    let line = line.trim_start().to_lowercase();
    TRAILERS.iter().any(|trailer| line.starts_with(trailer))
}

/// The line without addresses: their hosts are words of nothing. A name in a scope (`@scope/name`) is no
/// mail address.
fn without_links(line: &str) -> String {
    let is_kept = |word: &&str| {
        let bare = word.trim_start_matches(['`', '(', '"', '\'']);
        !word.contains("://") && (!word.contains('@') || bare.starts_with('@'))
    };
    line.split_whitespace().filter(is_kept).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Weights, terms};

    const WEIGHTS: Weights = Weights { title: 3.0, scope: 2.0, pair: 0.0 };

    fn check(task: &str, expected: &str) {
        let found: Vec<String> = terms(task, WEIGHTS).into_iter().map(|term| term.word).collect();
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn what_every_task_says_is_left_out() {
        check("fix: the upload fails (#12)", "fail upload");
        check("Improve it\n\nCo-authored-by: Ann <ann@example.com>\nsee https://example.com/x", "");
        check("bump @acme/core", "acm bump cor");
    }

    #[test]
    fn words_in_a_row_may_be_one_in_code() {
        let weights = Weights { pair: 0.5, ..WEIGHTS };
        let found: Vec<String> =
            terms("sign in page", weights).into_iter().map(|term| term.word).collect();
        assert_eq!(found.join(" "), "inpage pag sign signin");
        let found: Vec<String> =
            terms("do a to-do", weights).into_iter().map(|term| term.word).collect();
        assert_eq!(found.join(" "), "todo");
    }

    #[test]
    fn what_some_tasks_are_about_is_kept_and_weighs_less() {
        check("a due date per request", "dat due per request");
        let found = terms("due date", WEIGHTS);
        let [date, due] = &found[..] else { panic!("{found:?}") };
        assert!(due.weight < date.weight, "{found:?}");
    }

    #[test]
    fn the_first_line_weighs_more_and_its_scope_most() {
        let weight = |task, word: &str| {
            let found = terms(task, WEIGHTS);
            found.iter().find(|term| term.word == word).unwrap().weight
        };
        assert!(weight("alpha\n\nbeta", "alpha") > weight("alpha\n\nbeta", "beta"));
        for task in ["fix(alpha): beta", "feat(alpha)!: beta", "alpha: beta", "cmd/alpha: beta"] {
            assert!(weight(task, "alpha") > weight(task, "beta"), "{task}");
        }
        for task in ["test: alpha beta", "the alpha: beta", "see a::alpha beta"] {
            assert!((weight(task, "alpha") - weight(task, "beta")).abs() < f64::EPSILON, "{task}");
        }
    }
}
