//! What failing tests run and passing ones do not: fault localisation by spectra, without running anything.
//!
//! A failed assertion says what came out wrong, and not where. Which functions a test reaches is followed in the code: from
//! the test through helpers, a number of calls deep. A function that many failing tests reach, and few of the other tests of
//! their files, is a likelier fault than one that every test runs (Ochiai's coefficient). Where all tests run nearly all
//! code, names that a function shares with the failing tests tell more.

use std::collections::{BTreeMap, BTreeSet};

use portolan_diagnostics::focus::is_test;
use portolan_diagnostics::locations::{Diagnostic, SourceLocation};

use super::code_index::{Code, Item};
use super::texts::Texts;
use crate::read::titles::titles;
use crate::search::functions_of;

/// How many failing tests are followed, and how many of the others in their files.
const MOST_FAILING: usize = 12;
const MOST_PASSING: usize = 60;
/// Of how many failures the tests are looked for.
const MOST_FAILURES: usize = 100;
/// How many calls deep.
const DEEPEST: u8 = 6;
/// How many declarations are asked for what they call, in all.
const MOST_ASKED: usize = 1_500;
/// How many declarations one test reaches, at most.
const MOST_REACHED: usize = 400;
/// How much a passing test counts beside a failing one. Following calls reaches more than runs, so little.
const PASSING: f64 = 0.1;
/// Of how many failing tests the code is read, and how many notes of a message.
const MOST_READ: usize = 6;
const MOST_NOTES: usize = 12;
/// Shorter names say nothing.
const SHORTEST_NAME: usize = 4;
/// How many lines above a function may say that it is a test.
const MOST_MARKS: usize = 6;
/// How many names of a test are looked for in a function that is too long to be shown.
const MOST_NAMES: usize = 6;

/// A test of a file: its name or title, and its lines.
type Test = (String, (u32, u32));
/// A declaration: its file and its lines.
type Key = (String, (u32, u32));

/// A function that failing tests run, with the names that it shares with them, the rarest first.
pub(super) struct SuspectedFunction {
    pub(super) item: Item,
    pub(super) names: Vec<String>,
}

/// The functions that the failing tests run, the likeliest fault first; none where no failure is in a test that is found.
pub(super) fn run_by_failing_tests(
    code: &dyn Code,
    texts: &Texts<'_>,
    failures: &[&Diagnostic],
    is_wanted: &dyn Fn(&Item) -> bool,
) -> Vec<SuspectedFunction> {
    let mut tests = Tests { texts, of: BTreeMap::new() };
    let mut failing: BTreeSet<Key> = BTreeSet::new();
    for failure in failures.iter().take(MOST_FAILURES) {
        if failing.len() < MOST_FAILING {
            failing.extend(tests.of_failure(code, failure));
        }
    }
    let files: BTreeSet<String> = failing.iter().map(|(file, _)| file.clone()).collect();
    let others = files
        .iter()
        .flat_map(|file| tests.of_file(file).into_iter().map(|(_, lines)| (file.clone(), lines)));
    let mut passing: Vec<Key> = others.filter(|key| !failing.contains(key)).collect();
    // Those next to a failing test share its setting.
    passing.sort_by_key(|(file, (first, _))| {
        let near = failing.iter().filter(|(other, _)| other == file);
        near.map(|(_, (line, _))| line.abs_diff(*first)).min().unwrap_or(u32::MAX)
    });
    passing.truncate(MOST_PASSING);

    let mut calls = Calls { code, known: BTreeMap::new() };
    let mut reached: BTreeMap<Key, Reached> = BTreeMap::new();
    for test in &failing {
        for (item, depth) in calls.from(test) {
            let entry = reached.entry(key_of(&item)).or_insert_with(|| Reached::new(item));
            entry.failing += 1;
            entry.depth = entry.depth.min(depth);
        }
    }
    for test in &passing {
        for (item, _) in calls.from(test) {
            if let Some(entry) = reached.get_mut(&key_of(&item)) {
                entry.passing += 1;
            }
        }
    }
    reached.retain(|_, it| is_wanted(&it.item));
    let said = Said::new(texts, failures, &tests, &failing);
    Ranking::new(texts, reached.into_values().collect(), &said).ranked(failing.len())
}

fn key_of(item: &Item) -> Key {
    (item.file.clone(), item.decl.lines)
}

/// The tests of files, each read once.
struct Tests<'t> {
    texts: &'t Texts<'t>,
    of: BTreeMap<String, Vec<Test>>,
}

impl Tests<'_> {
    fn of_file(&mut self, file: &str) -> Vec<Test> {
        if let Some(known) = self.of.get(file) {
            return known.clone();
        }
        let tests = self.texts.get(file).map(|source| tests_in(file, &source.text));
        self.of.entry(file.to_owned()).or_insert(tests.unwrap_or_default()).clone()
    }

    /// The tests that a failure is of: those around its places, and the one that the tool names.
    fn of_failure(&mut self, code: &dyn Code, failure: &Diagnostic) -> Vec<Key> {
        let mut found = Vec::new();
        let name = failure.test.as_deref().map(last_part);
        let places: Vec<&SourceLocation> = failure.place.iter().chain(&failure.related).collect();
        let files: BTreeSet<&str> = places.iter().map(|place| place.file.as_str()).collect();
        for file in files {
            for (title, lines) in self.of_file(file) {
                let is_named = name.is_some_and(|name| last_part(&title) == name);
                let is_around = places.iter().any(|place| {
                    place.file == file
                        && place.line.is_some_and(|line| (lines.0..=lines.1).contains(&line))
                });
                if is_named || is_around {
                    found.push((file.to_owned(), lines));
                }
            }
        }
        if found.is_empty()
            && let (Some(name), Some(place)) = (name, &failure.place)
        {
            let named = code.named(name, &place.file).into_iter();
            found.extend(named.take(2).map(|item| key_of(&item)));
        }
        found
    }
}

/// The name of a test without the file, the groups and the parameters that tools write around it.
fn last_part(test: &str) -> &str {
    let mut name = test;
    for mark in [" > ", " › ", "::"] {
        name = name.rsplit(mark).next().filter(|it| !it.trim().is_empty()).unwrap_or(name);
    }
    let name = name.trim();
    // A title is a sentence; of a name what is behind these marks are parameters, and what is before a dot its class.
    if name.contains(char::is_whitespace) {
        return name;
    }
    let own = name.split(['[', '/']).next().filter(|it| !it.is_empty()).unwrap_or(name);
    own.rsplit('.').next().filter(|it| !it.is_empty()).unwrap_or(own)
}

/// The tests of a text: functions that are named or marked as such, and blocks with a title that hold no others.
fn tests_in(file: &str, text: &str) -> Vec<Test> {
    let lines: Vec<&str> = text.lines().collect();
    let is_of_tests = is_test(file);
    let is_test_function = |(name, range): &Test| {
        let own = name.rsplit(['.', ':']).next().unwrap_or(name);
        is_of_tests && (own.starts_with("test") || own.starts_with("Test"))
            || is_marked(&lines, range.0)
    };
    let functions = functions_of(file, text.as_bytes()).into_iter();
    let mut tests: Vec<Test> = functions.filter(is_test_function).collect();
    let mut covered: Vec<(u32, u32)> = tests.iter().map(|(_, range)| *range).collect();
    covered.sort_unstable();
    let titled = titles(text);
    for (at, leaf) in titled.iter().enumerate() {
        // They come in the order of their first lines: the next one is the first that may be inside.
        let next = titled.get(at + 1);
        let is_leaf = next.is_none_or(|it| it.first <= leaf.first || it.last > leaf.last);
        let before = covered.partition_point(|range| range.0 <= leaf.first);
        let around = before.checked_sub(1).and_then(|at| covered.get(at));
        if is_leaf && around.is_none_or(|(_, last)| *last < leaf.last) {
            tests.push((leaf.titles.last().cloned().unwrap_or_default(), (leaf.first, leaf.last)));
        }
    }
    tests.sort_by_key(|(_, range)| *range);
    tests
}

/// Whether a decorator, an annotation or an attribute above a function, or on its first lines, says that it is a test.
fn is_marked(lines: &[&str], first: u32) -> bool {
    const MARKS: [&str; 8] = [
        "test",
        "Test",
        "rstest",
        "test_case",
        "ParameterizedTest",
        "RepeatedTest",
        "TestFactory",
        "parametrize",
    ];
    let is_mark = |line: &&str| line.starts_with(['@', '#', '[']);
    let says = |line: &str| {
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let is_asked_for = line.starts_with("#[cfg") || line.contains("fixture");
        !is_asked_for && !line.starts_with("# ") && words.any(|word| MARKS.contains(&word))
    };
    let at = first.saturating_sub(1) as usize;
    let own = lines.get(at..).unwrap_or_default().iter().map(|line| line.trim());
    let above = lines.get(at.saturating_sub(MOST_MARKS)..at).unwrap_or_default();
    let above = above.iter().rev().map(|line| line.trim());
    own.take(MOST_MARKS).take_while(is_mark).chain(above.take_while(is_mark)).any(says)
}

/// What declarations call, each asked once.
struct Calls<'c> {
    code: &'c dyn Code,
    known: BTreeMap<Key, Vec<Item>>,
}

impl Calls<'_> {
    fn of(&mut self, file: &str, lines: (u32, u32)) -> Vec<Item> {
        let key = (file.to_owned(), lines);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        if self.known.len() >= MOST_ASKED {
            return Vec::new();
        }
        let calls = self.code.runs(file, lines);
        self.known.insert(key, calls.clone());
        calls
    }

    /// The declarations that a test reaches, each with the number of calls to it.
    fn from(&mut self, (file, lines): &Key) -> Vec<(Item, u8)> {
        let mut seen: BTreeSet<Key> = BTreeSet::from([(file.clone(), *lines)]);
        let mut found: Vec<(Item, u8)> = Vec::new();
        let mut open = vec![(file.clone(), *lines)];
        for depth in 1..=DEEPEST {
            let mut next = Vec::new();
            for (file, lines) in open {
                for item in self.of(&file, lines) {
                    let key = key_of(&item);
                    if found.len() < MOST_REACHED && seen.insert(key.clone()) {
                        next.push(key);
                        found.push((item, depth));
                    }
                }
            }
            open = next;
        }
        found
    }
}

/// A declaration that failing tests reach.
struct Reached {
    item: Item,
    failing: usize,
    passing: usize,
    depth: u8,
}

impl Reached {
    fn new(item: Item) -> Self {
        Self { item, failing: 0, passing: 0, depth: u8::MAX }
    }
}

/// What failing tests say, as words: by their names, by the message, by their code; and the names in their code.
struct Said {
    names: BTreeSet<String>,
    message: BTreeSet<String>,
    code: BTreeSet<String>,
    identifiers: BTreeSet<String>,
}

impl Said {
    fn new(
        texts: &Texts<'_>,
        failures: &[&Diagnostic],
        tests: &Tests<'_>,
        failing: &BTreeSet<Key>,
    ) -> Self {
        let titles = failing.iter().flat_map(|(file, lines)| {
            let known = tests.of.get(file).into_iter().flatten();
            known.filter(move |(_, range)| range == lines).map(|(title, _)| title.as_str())
        });
        let named = failures.iter().take(MOST_FAILING).filter_map(|it| it.test.as_deref());
        let messages = failures.iter().take(MOST_FAILING).flat_map(|it| {
            std::iter::once(it.message.as_str())
                .chain(it.notes.iter().take(MOST_NOTES).map(String::as_str))
        });
        let bodies: Vec<String> =
            failing.iter().take(MOST_READ).map(|key| lines_of(texts, key)).collect();
        Self {
            names: titles.chain(named).flat_map(subwords).collect(),
            message: messages.flat_map(subwords).collect(),
            code: bodies.iter().flat_map(|text| subwords(text)).collect(),
            identifiers: bodies.iter().flat_map(|text| identifiers(text)).collect(),
        }
    }
}

/// The functions with what they say, and how many of them say each word.
struct Ranking<'s> {
    said: &'s Said,
    candidates: Vec<RankedFunction>,
    with_word: BTreeMap<String, usize>,
    with_identifier: BTreeMap<String, usize>,
}

struct RankedFunction {
    reached: Reached,
    words: BTreeSet<String>,
    identifiers: BTreeSet<String>,
}

#[expect(clippy::cast_precision_loss, reason = "counts of tests and names are far below 2^52")]
impl<'s> Ranking<'s> {
    fn new(texts: &Texts<'_>, reached: Vec<Reached>, said: &'s Said) -> Self {
        let candidates: Vec<RankedFunction> = reached
            .into_iter()
            .map(|reached| RankedFunction {
                words: subwords(&reached.item.decl.name),
                identifiers: identifiers(&lines_of(texts, &key_of(&reached.item))),
                reached,
            })
            .collect();
        let mut with_word: BTreeMap<String, usize> = BTreeMap::new();
        let mut with_identifier: BTreeMap<String, usize> = BTreeMap::new();
        for it in &candidates {
            it.words.iter().for_each(|word| *with_word.entry(word.clone()).or_default() += 1);
            for name in it.identifiers.intersection(&said.identifiers) {
                *with_identifier.entry(name.clone()).or_default() += 1;
            }
        }
        Self { said, candidates, with_word, with_identifier }
    }

    /// The candidates, the likeliest first. The weights were fitted on half of 64 planted bugs of Flask and Cobra.
    fn ranked(self, all_failing: usize) -> Vec<SuspectedFunction> {
        let weight = |it: &RankedFunction| self.weight(it, all_failing as f64);
        let mut weighed: Vec<(f64, usize)> =
            self.candidates.iter().enumerate().map(|(at, it)| (weight(it), at)).collect();
        // Candidates are in the order of their files and lines.
        weighed.sort_by(|(left, a), (right, b)| right.total_cmp(left).then(a.cmp(b)));
        let names = |it: &RankedFunction| {
            let mut names: Vec<&String> =
                it.identifiers.intersection(&self.said.identifiers).collect();
            names.sort_by_key(|name| self.with_identifier.get(*name).copied().unwrap_or_default());
            names.into_iter().take(MOST_NAMES).cloned().collect()
        };
        let order = weighed.into_iter().filter_map(|(_, at)| self.candidates.get(at));
        order
            .map(|it| SuspectedFunction { item: it.reached.item.clone(), names: names(it) })
            .collect()
    }

    fn weight(&self, candidate: &RankedFunction, all_failing: f64) -> f64 {
        let Reached { item, failing, passing, depth } = &candidate.reached;
        let (failing, passing) = (*failing as f64, *passing as f64);
        let ochiai = failing / (all_failing * (failing + PASSING * passing)).sqrt();
        let all = self.candidates.len() as f64;
        let rarity = |known: &BTreeMap<String, usize>, word: &String| {
            (1.0 + all / (1.0 + known.get(word).copied().unwrap_or_default() as f64)).ln()
        };
        let shared = |words: &BTreeSet<String>| -> f64 {
            candidate.words.intersection(words).map(|word| rarity(&self.with_word, word)).sum()
        };
        let names = candidate.identifiers.intersection(&self.said.identifiers);
        let names: f64 = names.map(|name| rarity(&self.with_identifier, name)).sum();
        let (first, last) = item.decl.lines;
        1.2 * ochiai.ln() - 0.08 * f64::from(*depth)
            + 0.3 * shared(&self.said.names)
            + 0.06 * shared(&self.said.message)
            + 0.1 * shared(&self.said.code)
            + 1.3 * names / (5.0 + candidate.identifiers.len() as f64).sqrt()
            + 0.55 * f64::from(2 + last.saturating_sub(first)).ln()
    }
}

/// The text of some lines.
fn lines_of(texts: &Texts<'_>, (file, (first, last)): &Key) -> String {
    let Some(source) = texts.get(file) else { return String::new() };
    let many = last.saturating_sub(*first) as usize + 1;
    let lines = source.text.lines().skip(first.saturating_sub(1) as usize);
    lines.take(many).collect::<Vec<_>>().join("\n")
}

/// The names in a text that are long enough to mean something.
fn identifiers(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| word.len() >= SHORTEST_NAME).map(str::to_owned).collect()
}

/// The words of a name or a sentence, in lower case: `getUserName` has three.
fn subwords(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in text.chars().chain([' ']) {
        let starts = c.is_uppercase() && was_lower;
        if !c.is_alphabetic() || starts {
            if word.len() > 2 && word != "test" {
                words.insert(word.clone());
            }
            word.clear();
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{last_part, subwords, tests_in};

    #[test]
    fn a_test_is_called_by_its_last_part() {
        for (test, name) in [
            ("tests/test_a.py::TestIt::test_b[x-1.5]", "test_b"),
            ("TestParse/empty_input", "TestParse"),
            ("com.acme.ShopTest.adds", "adds"),
            ("src/a.test.ts > cart > adds 1.5 to it.", "adds 1.5 to it."),
            ("cart › adds up", "adds up"),
            ("shop::tests::adds", "adds"),
            ("ends.", "ends."),
        ] {
            assert_eq!(last_part(test), name, "{test}");
        }
    }

    #[test]
    fn a_test_is_named_or_marked_as_one_and_a_fixture_is_none() {
        let names = |file: &str, text: &str| -> Vec<String> {
            tests_in(file, text).into_iter().map(|(name, _)| name).collect()
        };
        let python = "import pytest\n\n@pytest.fixture\ndef client():\n    pass\n\n# the latest one\ndef helper():\n    pass\n\ndef test_a():\n    pass\n";
        assert_eq!(names("tests/test_a.py", python), ["test_a"]);
        assert!(
            names("src/app.py", "def test_client():\n    pass\n").is_empty(),
            "no file of tests"
        );
        let rust =
            "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {}\n\n    fn helper() {}\n}\n";
        assert_eq!(names("src/a.rs", rust).len(), 1);
        let titled = "describe('cart', () => {\n  it('adds', () => {\n    add();\n  });\n  it('takes', () => {\n    take();\n  });\n});\n";
        assert_eq!(names("src/a.test.ts", titled), ["adds", "takes"]);
    }

    #[test]
    fn names_are_made_of_words() {
        let words = subwords("getUserName reads_a_Test 12");
        assert_eq!(words.into_iter().collect::<Vec<_>>(), ["get", "name", "reads", "user"]);
    }
}
