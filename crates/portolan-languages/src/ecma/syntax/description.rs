//! Reads the one-line description of a module from its doc comments.

use crate::ExtractSettings;
use crate::ecma::syntax::comments::{Comment, doc_lines};
use crate::syntax::text::{len_utf16, truncate_utf16};

/// Tags without text of their own: the lines after them belong to the description.
const MARKS: &[&str] = &[
    "@alpha",
    "@beta",
    "@experimental",
    "@hidden",
    "@ignore",
    "@internal",
    "@module",
    "@packageDocumentation",
    "@preserve",
    "@private",
    "@protected",
    "@public",
];

/// Tags whose text belongs to the description.
const PROSE: &[&str] = &["@description", "@remarks", "@summary"];

/// The description of a module with these comments.
///
/// For each tag the longest block counts, and among the tags the longest text after truncation. The
/// first wins a tie.
pub(crate) fn of(comments: &[Comment<'_>], settings: &ExtractSettings) -> Option<Box<str>> {
    if settings.description_limit == 0 {
        return None;
    }
    let tags = valid_tags(&settings.description_tags);
    let blocks: Vec<DocBlock> =
        comments.iter().filter_map(|comment| DocBlock::read(comment.doc()?, &tags)).collect();
    let mut best: Option<(usize, String)> = None;
    for tag in 0..tags.len() {
        let Some(text) = longest(blocks.iter().filter(|block| block.tags.contains(&tag))) else {
            continue;
        };
        let text = limited(text, settings.description_limit);
        let length = len_utf16(&text);
        if best.as_ref().is_none_or(|(most, _)| length > *most) {
            best = Some((length, text));
        }
    }
    best.map(|(_, text)| text.trim().into())
}

fn longest<'b>(blocks: impl Iterator<Item = &'b DocBlock>) -> Option<&'b str> {
    let mut best: Option<(usize, &str)> = None;
    for block in blocks {
        let length = len_utf16(&block.prose);
        if best.is_none_or(|(most, _)| length > most) {
            best = Some((length, &block.prose));
        }
    }
    best.map(|(_, prose)| prose)
}

/// The valid tags of the configuration, without duplicates; the two default tags if none is left.
fn valid_tags(configured: &[String]) -> Vec<&str> {
    let mut tags: Vec<&str> = Vec::new();
    for tag in configured {
        let tag = tag.trim();
        let is_tag =
            tag.strip_prefix('@').is_some_and(|word| !word.is_empty() && word.bytes().all(is_word));
        if is_tag && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if tags.is_empty() { vec!["@module", "@packageDocumentation"] } else { tags }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn limited(text: &str, limit: usize) -> String {
    let start = truncate_utf16(text, limit);
    if start.len() == text.len() { text.to_owned() } else { format!("{start}...") }
}

/// A doc comment with a tag and some text.
struct DocBlock {
    /// The indexes of its tags.
    tags: Vec<usize>,
    prose: String,
}

impl DocBlock {
    fn read(doc: &str, wanted: &[&str]) -> Option<Self> {
        if !wanted.iter().any(|tag| doc.contains(tag)) {
            return None;
        }
        let mut tags = Vec::new();
        let mut lines: Vec<&str> = Vec::new();
        let mut beside_tag: Option<&str> = None;
        let mut in_description = true;
        for line in doc_lines(doc) {
            let Some(tag) = tag_of(line) else {
                if in_description && !line.is_empty() && !line.starts_with('@') {
                    lines.push(line);
                }
                continue;
            };
            if let Some(index) = wanted.iter().position(|wanted| *wanted == tag) {
                tags.push(index);
                in_description = true;
                beside_tag = beside_tag
                    .or_else(|| Some(&line[tag.len()..]).filter(|text| says_something(text)));
            } else if PROSE.contains(&tag) {
                in_description = true;
                lines.extend(Some(line[tag.len()..].trim()).filter(|text| !text.is_empty()));
            } else if !MARKS.contains(&tag) {
                in_description = false;
            }
        }
        let mut prose = plain(&lines.join(" "));
        if prose.is_empty() {
            prose = plain(beside_tag.unwrap_or_default());
        }
        (!tags.is_empty() && !prose.is_empty()).then_some(Self { tags, prose })
    }
}

/// The block tag at the start of a line. A hyphen belongs to it: `@module-foo` is not `@module`.
fn tag_of(line: &str) -> Option<&str> {
    let word = line.strip_prefix('@')?;
    let length = word.bytes().take_while(|&byte| is_word(byte) || byte == b'-').count();
    (length > 0).then(|| &line[..=length])
}

/// Whether the text beside a tag is a description, not the name of the module.
fn says_something(text: &str) -> bool {
    let text = text.trim();
    let is_name = |char: char| char.is_alphanumeric() || "_-./@$".contains(char);
    !text.is_empty() && !text.chars().all(is_name)
}

/// Removes the markup and joins the lines.
fn plain(text: &str) -> String {
    let text = without_inline_tags(text);
    let text = without_links(&text);
    let text = without_code_marks(&text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Replaces `{@link target | label}` by the label, or else the target. Removes other inline tags.
fn without_inline_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once("{@") {
        let Some((tag, after)) = tag.split_once('}') else { break };
        plain.push_str(before);
        let name_length = tag.bytes().take_while(|&byte| is_word(byte)).count();
        let (name, body) = tag.split_at(name_length);
        match name {
            "" => {
                plain.push_str("{@");
                plain.push_str(tag);
                plain.push('}');
            }
            "link" | "linkcode" | "linkplain" => {
                let (target, label) = body.split_once('|').unwrap_or((body, ""));
                plain.push_str(if label.trim().is_empty() { target.trim() } else { label.trim() });
            }
            _ => {}
        }
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// Replaces `[label](url)` by the label.
fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    // There is no link after the last parenthesis. Searching there again and again would take
    // quadratic time.
    let (mut rest, tail) = text.rfind(')').map_or(("", text), |last| text.split_at(last + 1));
    while let Some((label, after)) = rest.split_once(']') {
        let link =
            label.rsplit_once('[').zip(after.strip_prefix('(').and_then(|url| url.split_once(')')));
        match link {
            Some(((before, label), (_, after))) if !label.is_empty() => {
                plain.push_str(before);
                plain.push_str(label);
                rest = after;
            }
            _ => {
                plain.push_str(label);
                plain.push(']');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain.push_str(tail);
    plain
}

/// Replaces `` `code` `` by the code. A mark without a partner stays.
fn without_code_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, after)) = after.split_once('`') else { break };
        plain.push_str(before);
        plain.push_str(code);
        rest = after;
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(source: &str, settings: &ExtractSettings) -> Option<Box<str>> {
        crate::Extractor::new().extract("a.ts", source.as_bytes(), settings).description
    }

    #[track_caller]
    fn check(source: &str, expected: Option<&str>) {
        assert_eq!(describe(source, &ExtractSettings::default()).as_deref(), expected, "{source}");
    }

    #[test]
    fn prose_may_be_before_or_after_the_tag() {
        check("/**\n * Before.\n *\n * @module\n * After.\n */", Some("Before. After."));
        check("/** @packageDocumentation\r\n * One.\r\n *   Two. */ export {}", Some("One. Two."));
        check("/** No tag. */", None);
        check("/* @module\n * No doc block. */ // @module", None);
        check("/** @Module\n * Other case. */", None);
        check("/**/ /***/ /** @module */", None);
    }

    #[test]
    fn prose_ends_at_another_tag() {
        check(
            "/**\n * Text.\n * @module\n * More.\n * @example\n * code()\n * @param a\n *   b\n */",
            Some("Text. More."),
        );
        check("/**\n * @module-foo\n * Text.\n */", None);
        check("/**\n * @module\n * @internal\n * Text.\n */", Some("Text."));
        check("/**\n * @example\n * code()\n * @module\n * Text.\n */", Some("Text."));
    }

    #[test]
    fn remarks_are_prose() {
        check(
            "/**\n * Text.\n * @module\n * @remarks Beside.\n * Below.\n * @example\n * code()\n */",
            Some("Text. Beside. Below."),
        );
        check("/**\n * @module\n * @remarks\n * Only this.\n */", Some("Only this."));
        check("/**\n * @example\n * code()\n * @remarks\n * More.\n * @module\n */", Some("More."));
    }

    #[test]
    fn text_beside_the_tag_is_a_fallback() {
        check("/** @module Text after the tag */", Some("Text after the tag"));
        check("/** @packageDocumentation My package */", Some("My package"));
        check("/** @module utils/text-tools */", None);
        check("/** @module a name\n * The prose. */", Some("The prose."));
    }

    #[test]
    fn longest_block_wins_then_the_first() {
        check(
            "/** @module\n * short */ /** @packageDocumentation\n * longer text */",
            Some("longer text"),
        );
        check("/** @packageDocumentation\n * bbbb */ /** @module\n * aaaa */", Some("aaaa"));
        check("/** @module\n * one */ /** @module\n * two */", Some("one"));
    }

    #[test]
    fn markup_is_removed() {
        check(
            "/** @module\n * See {@link A | the A}, {@linkcode B}, {@inheritDoc C}x. */",
            Some("See the A, B, x."),
        );
        check(
            "/** @module\n * A [label](url) and [none], `code` and ` alone. */",
            Some("A label and [none], code and ` alone."),
        );
        check("/** @module\n * a\u{a0}b\tc  d\u{3000}e */", Some("a b c d e"));
    }

    #[test]
    fn only_real_comments_count() {
        check("const re = /'/;\n/**\n * @module\n * after regex\n */", Some("after regex"));
        check("const s = '/** @module\\n * in a string */'", None);
        check("#!/it's\n/** @module\n * after hashbang */", Some("after hashbang"));
    }

    #[test]
    fn limit_counts_utf16_units_and_keeps_characters_whole() {
        let limited = |limit, source| {
            let settings =
                ExtractSettings { description_limit: limit, ..ExtractSettings::default() };
            describe(source, &settings)
        };
        assert_eq!(limited(3, "/** @module\n * abcdef */").as_deref(), Some("abc..."));
        assert_eq!(limited(3, "/** @module\n * abc */").as_deref(), Some("abc"));
        assert_eq!(limited(3, "/** @module\n * ab😀cd */").as_deref(), Some("ab..."));
        assert_eq!(limited(0, "/** @module\n * abc */"), None);
    }

    #[test]
    fn description_tags_are_configurable() {
        let tags = [" @file ", "@file", "@bad-tag", "x"].map(String::from).to_vec();
        let settings = ExtractSettings { description_tags: tags, ..ExtractSettings::default() };
        assert_eq!(describe("/** @file\n * text */", &settings).as_deref(), Some("text"));
        assert_eq!(describe("/** @module\n * text */", &settings), None);
    }
}
