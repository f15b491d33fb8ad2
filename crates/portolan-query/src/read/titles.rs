//! Tests by the title that their author gave them: `it("rejects a bad token")`, `t.Run("…")`, `@DisplayName("…")`.
//!
//! Titles are arguments of calls, so no language declares them. They are found line by line; where such a call ends is
//! told by the indentation.

/// A test with a title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestTitle {
    /// The titles of the groups around it and its own, outermost first.
    pub(crate) titles: Vec<String>,
    /// The first line, from 1.
    pub(crate) first: u32,
    /// The last line.
    pub(crate) last: u32,
}

/// Functions that take a title first, in the test frameworks of several languages.
const CALLS: &[&str] = &[
    "describe",
    "it",
    "test",
    "suite",
    "context",
    "specify",
    "bench",
    "fit",
    "xit",
    "fdescribe",
    "xdescribe",
    "xtest",
    "Describe",
    "Context",
    "When",
    "It",
    "Specify",
    "TEST_CASE",
    "SECTION",
];
/// Annotations and methods that take one.
const MARKS: &[&str] = &["@DisplayName(", "@Test(", ".Run("];
/// The most lines of the table of a parametrised test.
const LONGEST_TABLE: usize = 400;

/// The longest title, in characters.
const LONGEST_TITLE: usize = 1_000;
/// The most places in a table where its title may start.
const MOST_PLACES: usize = 32;
/// The most groups around a test whose titles are kept.
const MOST_AROUND: usize = 16;
/// The most lines of annotations before a test.
const MOST_ANNOTATIONS: usize = 32;

/// The tests of a text that have titles, in its order.
pub(crate) fn titles(text: &str) -> Vec<TestTitle> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<TestTitle> = Vec::new();
    // Those that are not over yet, outermost first.
    let mut open: Vec<usize> = Vec::new();
    let mut function: Option<&str> = None;
    for (at, line) in lines.iter().enumerate() {
        if let Some(name) = line.strip_prefix("func ") {
            function = name.split(['(', '[']).next().filter(|name| !name.is_empty());
        }
        let Some(own) = title_at(&lines, at) else { continue };
        let first = at as u32 + 1;
        while open.last().is_some_and(|last| found[*last].last < first) {
            open.pop();
        }
        let mut titles = match open.last() {
            Some(around) => found[*around].titles.clone(),
            None if line.contains(".Run(") => function.iter().map(ToString::to_string).collect(),
            None => Vec::new(),
        };
        titles.truncate(MOST_AROUND);
        titles.push(own);
        open.push(found.len());
        found.push(TestTitle { titles, first, last: block_end(&lines, at) as u32 + 1 });
    }
    found
}

/// The tests that have a title, the surest kind of match only.
pub(super) fn titled<'t>(tests: &'t [TestTitle], asked: &str) -> Vec<&'t TestTitle> {
    let asked = plain(asked);
    let joined = |test: &TestTitle, from: usize| {
        plain(&test.titles.get(from..).unwrap_or_default().join(" "))
    };
    // A title may stand in several groups: none of them is meant before the others.
    let is_own = |test: &&TestTitle| (0..test.titles.len()).any(|from| joined(test, from) == asked);
    let is_row = |test: &&TestTitle| {
        (0..test.titles.len()).any(|from| is_pattern_of(&joined(test, from), &asked))
    };
    let is_part = |test: &&TestTitle| {
        asked.len() > 3 && joined(test, 0).to_lowercase().contains(&asked.to_lowercase())
    };
    let ways: [&dyn Fn(&&TestTitle) -> bool; 3] = [&is_own, &is_row, &is_part];
    let mut found = ways.iter().map(|is_it| tests.iter().filter(is_it).collect::<Vec<_>>());
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// A title as it is compared: runners join titles in several ways.
fn plain(title: &str) -> String {
    let words = title.split(|c: char| c.is_whitespace() || c == '_' || c == '/');
    let words = words.filter(|word| !word.is_empty() && !matches!(*word, ">" | "›" | "::"));
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a title with places for values (`%s`, `$name`, `${name}`) can be this one.
fn is_pattern_of(title: &str, asked: &str) -> bool {
    let mut parts = Vec::new();
    let mut rest = title;
    while let Some(at) = rest.find(['%', '$']) {
        let (before, mark) = rest.split_at(at);
        let after = if let Some(inside) = mark.strip_prefix("${") {
            inside.split_once('}').map(|(_, after)| after)
        } else {
            let name = mark.get(1..).unwrap_or_default();
            let after = name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '.');
            (after.len() < name.len()).then_some(after)
        };
        let Some(after) = after else { return false };
        parts.push(before);
        rest = after;
    }
    if parts.is_empty() {
        return false;
    }
    let Some(mut left) = asked.strip_prefix(parts[0]) else { return false };
    for part in parts.iter().skip(1) {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(rest)
}

/// The title that a test at a line has.
fn title_at(lines: &[&str], at: usize) -> Option<String> {
    let line = lines[at].trim_start();
    let mark = MARKS.iter().find_map(|mark| line.split_once(mark).map(|(_, rest)| rest));
    if let Some(title) = mark.and_then(quoted) {
        return Some(title);
    }
    let word = line.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    if !CALLS.contains(&word) {
        return None;
    }
    let rest = &line[word.len()..];
    let modifier = rest.find(|c: char| !c.is_alphanumeric() && c != '.' && c != '_')?;
    let (modifier, call) = rest.split_at(modifier);
    if matches!(modifier.rsplit('.').next(), Some("each" | "for")) {
        let table = lines[at..].iter().take(LONGEST_TABLE).copied().collect::<Vec<_>>().join("\n");
        let starts = table.match_indices([')', '`']).map(|(end, _)| &table[end + 1..]);
        let starts = starts.filter_map(|rest| rest.strip_prefix('('));
        return starts.take(MOST_PLACES).find_map(quoted);
    }
    let call = call.trim_start();
    match call.strip_prefix('(') {
        Some("") => quoted(lines.get(at + 1)?),
        Some(arguments) => quoted(arguments),
        None => quoted(call),
    }
}

/// The text of a string that comes first.
fn quoted(text: &str) -> Option<String> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let mut title = String::new();
    let mut is_escaped = false;
    for c in text.chars().skip(1).take(LONGEST_TITLE) {
        match c {
            _ if std::mem::take(&mut is_escaped) => title.push(c),
            '\\' => is_escaped = true,
            _ if c == quote => return Some(title),
            '\n' if quote != '`' => return None,
            _ => title.push(c),
        }
    }
    None
}

/// The last line of what starts at a line: what is indented below it, and what closes it.
fn block_end(lines: &[&str], start: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let edge = indent(lines[start]);
    let mut is_annotation = lines[start].trim_start().starts_with('@');
    let last_annotation = start + MOST_ANNOTATIONS;
    let mut end = start;
    for (at, line) in lines.iter().enumerate().skip(start + 1) {
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        if indent(line) < edge {
            break;
        }
        if indent(line) == edge {
            let is_closing = text.starts_with([')', ']', '}', '`']) || text == "end";
            if !is_closing && !is_annotation {
                break;
            }
            is_annotation &= text.starts_with('@') && at < last_annotation;
            if is_closing && !text.ends_with(['{', '(', '[', '>']) {
                return at;
            }
        }
        end = at;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::{titled, titles};

    fn check(text: &str, asked: &str, expected: &[(u32, u32)]) {
        let tests = titles(text);
        let found: Vec<_> = titled(&tests, asked).iter().map(|it| (it.first, it.last)).collect();
        assert_eq!(found, expected, "{asked} in {tests:?}");
    }

    const SPEC: &str = "\
import { login } from './login';

describe('login', () => {
  it('rejects a bad token', async () => {
    expect(1).toBe(1);
  });

  it.skip(
    \"takes a good one\",
    () => {},
  );
  test.each([
    [1, 2],
  ])('adds %i to %i', (a, b) => {
    expect(a).toBe(b);
  });
});
";

    #[test]
    fn a_test_is_found_by_its_own_title_or_with_those_around_it() {
        check(SPEC, "rejects a bad token", &[(4, 6)]);
        check(SPEC, "login rejects a bad token", &[(4, 6)]);
        check(SPEC, "login > rejects a bad token", &[(4, 6)]);
        check(SPEC, "login", &[(3, 17)]);
        check(SPEC, "takes a good one", &[(8, 11)]);
        check(SPEC, "rejects", &[(4, 6)]);
        check(SPEC, "is not there", &[]);
    }

    #[test]
    fn a_title_that_several_tests_have_means_all_of_them() {
        let twice = "it('works', () => {\n  a();\n});\ndescribe('b', () => {\n  it('works', () => {\n    b();\n  });\n});\n";
        check(twice, "works", &[(1, 3), (5, 7)]);
        check(twice, "b works", &[(5, 7)]);
    }

    #[test]
    fn a_row_of_a_table_is_found_by_the_title_with_its_values() {
        check(SPEC, "adds %i to %i", &[(12, 16)]);
        check(SPEC, "login adds 3 to 14", &[(12, 16)]);
    }

    #[test]
    fn subtests_of_go_have_the_name_of_their_function() {
        let go = "func TestParse(t *testing.T) {\n\tt.Run(\"empty input\", func(t *testing.T) {\n\t\tx()\n\t})\n}\n";
        check(go, "empty input", &[(2, 4)]);
        check(go, "TestParse/empty_input", &[(2, 4)]);
    }

    #[test]
    fn an_annotation_belongs_to_the_method_below_it() {
        let java = "class T {\n  @Test\n  @DisplayName(\"rejects it\")\n  void rejects() {\n    x();\n  }\n\n  void other() {}\n}\n";
        check(java, "rejects it", &[(3, 6)]);
    }

    #[test]
    fn many_tests_annotations_and_tables_take_no_longer_each() {
        let many = |part: &str| titles(&part.repeat(100_000)).len();
        assert_eq!(many("it(\"a\", () => {\n});\n"), 100_000);
        assert_eq!(many("@Test(\"a\")\n"), 100_000);
        let siblings =
            format!("describe(\"x\", () => {{\n{}}});\n", "  it(\"a\");\n".repeat(100_000));
        let found = titles(&siblings);
        assert_eq!(found.last().unwrap().titles, ["x", "a"]);
        let table = format!("test.each\n{}\n", ")(`x".repeat(1_000_000));
        assert!(titles(&table).is_empty());
    }

    #[test]
    fn ruby_closes_with_a_word() {
        check("describe \"A\" do\n  it \"b\" do\n    c\n  end\nend\n", "A b", &[(2, 4)]);
    }
}
