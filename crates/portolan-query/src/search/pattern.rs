//! Patterns, compiled as ripgrep compiles them.

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::meant::{as_meant, literal};
use super::sweep::SweptFile;
use super::{SearchError, SearchQuestionV1};

/// A pattern may not need more memory than this, compiled.
const MOST_COMPILED: usize = 16 << 20;

/// The most patterns without a match that are named.
const MOST_UNMET: usize = 8;

/// A pattern with more alternatives is one.
const MOST_ALTERNATIVES: usize = 128;

/// The patterns of a search.
pub(super) struct CompiledPatterns {
    /// Finds a line that any of them matches.
    pub(super) any: RegexMatcher,
    /// Each alternative by itself, in the order they are written.
    pub(super) each: Vec<RegexMatcher>,
    request: SearchQuestionV1,
}

impl CompiledPatterns {
    /// Compiles the patterns of a request.
    pub(super) fn new(request: &SearchQuestionV1) -> Result<Self, SearchError> {
        if request.patterns.is_empty() {
            return Err(SearchError::Empty);
        }
        let builder = builder(request);
        // One by one first: what is wrong is shown in the pattern as it was written.
        for pattern in &request.patterns {
            builder.build(pattern).map_err(|error| refused(pattern, &error.to_string()))?;
        }
        let any = builder
            .build_many(&request.patterns)
            .map_err(|error| refused(&request.patterns.join(" "), &error.to_string()))?;
        let split = |pattern: &String| {
            if request.fixed { vec![pattern.clone()] } else { alternatives(pattern) }
        };
        let parts: Vec<String> = request.patterns.iter().flat_map(split).collect();
        let each: Result<Vec<RegexMatcher>, _> =
            parts.iter().map(|part| builder.build(part)).collect();
        // A part may not stand alone: then the patterns as they are written do.
        let each = each.unwrap_or_else(|_| vec![any.clone()]);
        Ok(Self { any, each, request: request.clone() })
    }

    /// The patterns as they were written.
    pub(super) fn written(&self) -> &[String] {
        &self.request.patterns
    }

    /// The patterns as grep reads them without `-E`, where that is something else: `a\|b` means `a` or `b`.
    pub(super) fn as_grep_reads(&self) -> Option<Self> {
        if self.request.fixed {
            return None;
        }
        let is_basic = |pattern: &String| {
            ["\\|", "\\(", "\\{", "\\+", "\\?"].iter().any(|mark| pattern.contains(mark))
        };
        if !self.request.patterns.iter().any(is_basic) {
            return None;
        }
        let patterns = self.request.patterns.iter().map(|pattern| extended(pattern)).collect();
        Self::new(&SearchQuestionV1 { patterns, ..self.request.clone() }).ok()
    }

    /// The patterns of a request as they are surely meant, where that is not as they are written: `first\|second`, words
    /// with a bar between them that nothing surrounds (see [`is_words_of_grep`]), or code (see [`as_meant`]).
    pub(super) fn surely_meant(request: &SearchQuestionV1) -> Option<SurelyMeant> {
        if request.fixed {
            return None;
        }
        let is_grep = request.patterns.iter().any(|pattern| is_words_of_grep(pattern));
        let builder = builder(request);
        let read = |pattern: &String| {
            if is_words_of_grep(pattern) {
                return extended(pattern);
            }
            as_meant(pattern, |it| builder.build(it).is_ok()).unwrap_or_else(|| pattern.clone())
        };
        let patterns: Vec<String> = request.patterns.iter().map(read).collect();
        if patterns == request.patterns {
            return None;
        }
        let patterns = Self::new(&SearchQuestionV1 { patterns, ..request.clone() }).ok()?;
        Some(SurelyMeant { patterns, is_grep })
    }

    /// The patterns with those alternatives as text that match none of the lines that were found: `f(*x)|g`.
    pub(super) fn with_unmet_as_text(&self, files: &[SweptFile]) -> Option<Self> {
        let unmet = self.unmet(files);
        let read = |part: &String| if unmet.contains(part) { literal(part) } else { part.clone() };
        let patterns: Vec<String> = match self.written() {
            [one] if !self.request.fixed => {
                let parts: Vec<String> = alternatives(one).iter().map(read).collect();
                vec![parts.join("|")]
            }
            written => written.iter().map(read).collect(),
        };
        if self.request.fixed || unmet.iter().all(|part| literal(part) == *part) {
            return None;
        }
        Self::new(&SearchQuestionV1 { patterns, ..self.request.clone() }).ok()
    }

    /// How many of the lines that were found the patterns as they are written match.
    pub(super) fn count_in(&self, files: &[SweptFile]) -> u64 {
        let lines = files.iter().flat_map(|file| file.hits.iter().map(|hit| file.line(hit)));
        lines.filter(|line| self.any.is_match(line).unwrap_or_default()).count() as u64
    }

    /// The patterns as plain text, where that is something else: `func (c *Command)` means these characters.
    pub(super) fn as_text(&self) -> Option<Self> {
        let is_expression = |pattern: &String| literal(pattern) != *pattern;
        if self.request.fixed || !self.request.patterns.iter().any(is_expression) {
            return None;
        }
        Self::new(&SearchQuestionV1 { fixed: true, ..self.request.clone() }).ok()
    }

    /// The patterns with their flags as one regular expression.
    pub(super) fn as_one(&self) -> String {
        let request = &self.request;
        let each = request.patterns.iter();
        let each: Vec<String> = if request.fixed {
            each.map(|pattern| literal(pattern)).collect()
        } else {
            each.cloned().collect()
        };
        let mut one = each.join("|");
        if request.word {
            let is_single = alternatives(&one).len() == 1;
            one = if is_single { format!(r"\b{one}\b") } else { format!(r"\b(?:{one})\b") };
        }
        if request.ignore_case { format!("(?i){one}") } else { one }
    }

    /// Those of several patterns, and of the alternatives of one (`a|b`), that match none of the lines that were found.
    pub(super) fn unmet(&self, files: &[SweptFile]) -> Vec<String> {
        let written = match self.written() {
            [one] if !self.request.fixed => alternatives(one),
            written => written.to_vec(),
        };
        if written.len() < 2 || files.iter().any(|file| file.bytes.is_empty()) {
            return Vec::new();
        }
        let is_met = |matcher: &RegexMatcher| {
            let mut lines =
                files.iter().flat_map(|file| file.hits.iter().map(|hit| file.line(hit)));
            lines.any(|line| matcher.is_match(line).unwrap_or(true))
        };
        let builder = builder(&self.request);
        let is_unmet = |pattern: &&String| builder.build(pattern).is_ok_and(|it| !is_met(&it));
        written.iter().filter(is_unmet).take(MOST_UNMET).cloned().collect()
    }

    /// Where the matches in a line start.
    pub(super) fn places_in(&self, line: &[u8]) -> Vec<usize> {
        let mut places = Vec::new();
        // Searching a line in memory does not fail.
        let _ = self.any.find_iter(line, |found| {
            places.push(found.start());
            true
        });
        places
    }

    /// The first match in a line.
    pub(super) fn in_line(&self, line: &[u8]) -> (usize, usize) {
        let found = self.any.find(line).ok().flatten();
        found.map_or((0, 0), |found| (found.start(), found.end()))
    }
}

/// Patterns as they are surely meant.
pub(super) struct SurelyMeant {
    pub(super) patterns: CompiledPatterns,
    /// Whether one has alternatives as grep writes them.
    pub(super) is_grep: bool,
}

/// Compiles patterns as they are surely meant, else as they are written.
fn as_meant_or_written(request: &SearchQuestionV1) -> Result<CompiledPatterns, SearchError> {
    let meant = CompiledPatterns::surely_meant(request).map(|it| it.patterns);
    meant.map_or_else(|| CompiledPatterns::new(request), Ok)
}

/// Finds what a search is for in a text that is shown.
pub struct HitFinder(RegexMatcher);

impl HitFinder {
    /// For the patterns of a question; `None` where they cannot be compiled.
    pub fn new(question: &SearchQuestionV1) -> Option<Self> {
        Some(Self(as_meant_or_written(question).ok()?.any))
    }

    /// Where the hits are in a text, from the first on.
    pub fn find(&self, text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        // It cannot fail, and without a mark the text is all there.
        let _ = self.0.find_iter(text.as_bytes(), |hit| {
            found.push((hit.start(), hit.end()));
            true
        });
        found.retain(|(start, end)| start < end);
        found
    }
}

/// Finds the lines that one of some patterns matches, as a search does.
pub(crate) struct LineMatcher {
    /// The patterns as they are written, or as they are surely meant.
    pub(crate) written: RegexMatcher,
    /// As grep reads them without `-E`, for where these match nothing.
    pub(crate) as_grep_reads: Option<RegexMatcher>,
}

/// Compiles patterns.
pub(crate) fn line_matcher(patterns: &[String]) -> Result<LineMatcher, SearchError> {
    let request = SearchQuestionV1 { patterns: patterns.to_vec(), ..SearchQuestionV1::default() };
    let written = CompiledPatterns::new(&request);
    let as_grep_reads =
        written.ok().and_then(|written| written.as_grep_reads()).map(|other| other.any);
    Ok(LineMatcher { written: as_meant_or_written(&request)?.any, as_grep_reads })
}

fn builder(request: &SearchQuestionV1) -> RegexMatcherBuilder {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .line_terminator(Some(b'\n'))
        .size_limit(MOST_COMPILED)
        .case_insensitive(request.ignore_case)
        .word(request.word)
        .fixed_strings(request.fixed);
    builder
}

fn refused(pattern: &str, reason: &str) -> SearchError {
    let backslashes = pattern.chars().rev().take_while(|c| *c == '\\').count();
    let reason = if backslashes % 2 == 1 {
        "it ends with a backslash, which `\\\\` is written for".to_owned()
    } else {
        as_written(pattern, reason)
    };
    SearchError::Pattern { pattern: pattern.to_owned(), reason }
}

/// What is wrong with a pattern, without the group that it is compiled in.
fn as_written(pattern: &str, reason: &str) -> String {
    let wrapped = format!("(?:{pattern})");
    let mut is_moved = false;
    let lines = reason.lines().map(|line| {
        let is_mark = std::mem::take(&mut is_moved);
        if let Some(indent) = line.strip_suffix(&wrapped) {
            is_moved = true;
            return format!("{indent}{pattern}");
        }
        // The mark below it moves with it.
        let moved = line.strip_prefix("   ").filter(|rest| is_mark && rest.starts_with("    "));
        moved.unwrap_or(line).to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a pattern is alternatives as grep writes them without `-E`: at least two parts between `\|`, each of letters,
/// digits, `_` and, between these, `-`, `.`, `:`, `/`, `@`, `#` or a single blank. A blank beside the bar makes it text
/// (`string \| number`), and so does whatever else has a meaning in a pattern.
fn is_words_of_grep(pattern: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let is_inside = |c: char| is_letter(c) || "-.:/@# ".contains(c);
    let is_words = |part: &str| {
        part.starts_with(is_letter)
            && part.ends_with(is_letter)
            && part.chars().all(is_inside)
            && !part.contains("  ")
    };
    pattern.contains("\\|") && pattern.split("\\|").all(is_words)
}

/// A basic regular expression of grep in the syntax of the others: what has a backslash there has none here.
fn extended(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(mark @ ('|' | '(' | ')' | '{' | '}' | '+' | '?')) => out.push(mark),
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            '|' | '(' | ')' | '{' | '}' | '+' | '?' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

/// The alternatives of a pattern at its top level.
pub(super) fn alternatives(pattern: &str) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let (mut depth, mut is_class, mut is_escaped) = (0usize, false, false);
    for c in pattern.chars() {
        let is_plain = !std::mem::take(&mut is_escaped);
        match c {
            '\\' if is_plain => is_escaped = true,
            '[' if is_plain => is_class = true,
            ']' if is_plain => is_class = false,
            '(' if is_plain && !is_class => depth += 1,
            ')' if is_plain && !is_class => depth = depth.saturating_sub(1),
            '|' if is_plain && !is_class && depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    // Each is compiled by itself.
    let is_split = (1..=MOST_ALTERNATIVES).contains(&parts.len());
    if is_split { parts } else { vec![pattern.to_owned()] }
}

#[cfg(test)]
mod tests {
    use super::{CompiledPatterns, alternatives, extended};
    use crate::search::SearchQuestionV1;

    fn request(pattern: &str) -> SearchQuestionV1 {
        SearchQuestionV1 { patterns: vec![pattern.to_owned()], ..SearchQuestionV1::default() }
    }

    #[test]
    fn alternatives_are_split_at_the_top_level_only() {
        let check = |pattern: &str, expected: &[&str]| assert_eq!(alternatives(pattern), expected);
        check("a|b", &["a", "b"]);
        check("a(b|c)|[|]d", &["a(b|c)", "[|]d"]);
        check(r"a\|b", &[r"a\|b"]);
        check("|", &["|"]);
        let many = "a|".repeat(3_000);
        check(&many, &[&many]);
    }

    #[test]
    fn a_basic_pattern_is_read_as_grep_reads_it() {
        assert_eq!(extended(r"annotation\|to promote it (x)"), r"annotation|to promote it \(x\)");
        assert_eq!(extended(r"a\.b\{2\}"), r"a\.b{2}");
        let patterns = CompiledPatterns::new(&request(r"a\|b")).unwrap();
        assert_eq!(patterns.as_grep_reads().unwrap().written(), ["a|b"]);
        assert!(CompiledPatterns::new(&request("a|b")).unwrap().as_grep_reads().is_none());
    }

    #[test]
    fn a_pattern_with_marks_is_read_as_text_too() {
        let patterns = CompiledPatterns::new(&request("func (c *Command)")).unwrap();
        let text = patterns.as_text().unwrap();
        assert_eq!(text.in_line(b"func (c *Command) Execute()"), (0, 17));
        assert!(CompiledPatterns::new(&request("plain")).unwrap().as_text().is_none());
    }

    #[test]
    fn patterns_and_flags_are_one_regular_expression() {
        let one = |request: &SearchQuestionV1| CompiledPatterns::new(request).unwrap().as_one();
        assert_eq!(one(&request("a|b")), "a|b");
        assert_eq!(one(&SearchQuestionV1 { fixed: true, ..request("a.b(") }), r"a\.b\(");
        let flagged = SearchQuestionV1 { word: true, ignore_case: true, ..request("a|b") };
        assert_eq!(one(&flagged), r"(?i)\b(?:a|b)\b");
        assert_eq!(one(&SearchQuestionV1 { word: true, ..request("ab") }), r"\bab\b");
    }

    #[test]
    fn a_bad_pattern_is_refused_with_the_place() {
        let Err(error) = CompiledPatterns::new(&request("foo(bar")) else { panic!("compiled") };
        let said = error.to_string();
        assert!(said.contains("foo(bar") && said.contains("unclosed group"), "{said}");
        assert!(said.contains('^'), "{said}");
        assert!(!said.contains("(?:"), "the pattern as it was typed: {said}");
        let Err(error) = CompiledPatterns::new(&request("a.b\\")) else { panic!("compiled") };
        assert_eq!(
            error.to_string(),
            "pattern `a.b\\`: it ends with a backslash, which `\\\\` is written for"
        );
    }

    #[test]
    fn a_pattern_that_would_take_all_memory_is_refused() {
        assert!(CompiledPatterns::new(&request("((a{100}){100}){100}")).is_err());
    }
}
