//! A task in words, as the terms to look for.

use std::collections::{BTreeMap, BTreeSet};

use super::words::{stem, words};

/// Words that a task has whatever it is about.
const STOP: &str = "\
    a about above add added adds after again all allow allows already also always an and any are \
    as at be because been before being better between both bug but by can cannot case change \
    changed changes chore close commit const correct correctly could currently did do doc does \
    doesn don done due during each eg ensure etc even export feat feature first fix fixes for \
    from get had handle handles has have he how http https ie if import improve improves in \
    instead into is isn issue it its just less let like lol made main make makes making may me \
    merge more most must my need never new no non not now of off on one only or other our out \
    over pr previously properly pull put rather refactor refs remove removed removes request \
    return same see set several should shouldn since so some still such support supports than \
    that the their them then there these they thing this those through time to todo too two \
    under until up update updates us use used uses using very via was wasn way we were what when \
    where which while who why will with without won work would you your";

/// Lines that tell who wrote a change, not what it is about.
const TRAILERS: &[&str] =
    &["co-authored-by:", "signed-off-by:", "reviewed-by:", "change-id:", "cc:"];

/// A term of a task and its weight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    pub(super) word: String,
    pub(super) weight: f64,
}

/// The terms of a task, sorted by word. The first line weighs more than the rest, and a word that is
/// said again a little more than one that is said once.
pub(super) fn terms(task: &str, title_weight: f64) -> Vec<Term> {
    let stop: BTreeSet<&str> = STOP.split_whitespace().map(stem).collect();
    let mut weights: BTreeMap<String, f64> = BTreeMap::new();
    let lines = task.lines().filter(|line| !line.trim().is_empty() && !is_trailer(line));
    for (at, line) in lines.enumerate() {
        let weight = if at == 0 { title_weight } else { 1.0 };
        let line = without_links(line);
        words(&line, |word| {
            if !stop.contains(word) {
                let total = weights.entry(word.to_owned()).or_default();
                *total += weight;
            }
        });
    }
    weights
        .into_iter()
        .map(|(word, weight)| Term { word, weight: saturated(weight, title_weight) })
        .collect()
}

/// A word that is said ten times is not ten times as important.
fn saturated(weight: f64, title_weight: f64) -> f64 {
    weight * (title_weight + 1.0) / (weight + title_weight)
}

fn is_trailer(line: &str) -> bool {
    let line = line.trim_start().to_lowercase();
    TRAILERS.iter().any(|trailer| line.starts_with(trailer))
}

/// The line without addresses: their hosts are words of nothing.
fn without_links(line: &str) -> String {
    let kept = line.split_whitespace().filter(|word| !word.contains("://") && !word.contains('@'));
    // A name in a scope (`@scope/name`) is no mail address.
    let scoped = line
        .split_whitespace()
        .filter(|word| word.trim_start_matches(['`', '(', '"', '\'']).starts_with('@'));
    kept.chain(scoped).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::terms;

    fn check(task: &str, expected: &str) {
        let found: Vec<String> = terms(task, 3.0).into_iter().map(|term| term.word).collect();
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn what_every_task_says_is_left_out() {
        check("fix: the upload fails (#12)", "fail upload");
        check("Improve it\n\nCo-authored-by: Ann <ann@example.com>\nsee https://example.com/x", "");
        check("bump @acme/core", "acm bump cor");
    }

    #[test]
    fn the_first_line_weighs_more() {
        let weights =
            |task| terms(task, 3.0).into_iter().map(|term| term.weight).collect::<Vec<_>>();
        let found = weights("alpha\n\nbeta");
        assert!(found[0] > found[1], "{found:?}");
    }
}
