//! Finds the scripts, templates and styles in `.vue`, `.svelte` and `.astro` files.
//!
//! This is not an HTML parser: tags other than `script` are text. Comments are skipped, and an
//! unclosed tag runs to the end of the file.

use std::ops::Range;

use crate::ecma::syntax::dialect::{Component, Dialect};

/// A script in a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Script<'t> {
    /// The offset of the code in the file.
    pub(crate) start: usize,
    pub(crate) code: &'t str,
    pub(crate) dialect: Dialect,
    /// The file in the `src` attribute, which holds the code instead.
    pub(crate) source: Option<&'t str>,
}

/// The scripts of a component, in text order.
pub(crate) fn scripts(text: &str, component: Component) -> Vec<Script<'_>> {
    let mut scripts = Vec::new();
    let mut at = 0;
    if component == Component::Astro
        && let Some(frontmatter) = frontmatter(text)
    {
        at = frontmatter.start + frontmatter.code.len();
        scripts.push(frontmatter);
    }
    while let Some(start) = find_tag(text, at, "<script") {
        let tag = read_tag(text, start + "<script".len());
        let end = if tag.is_empty { tag.end } else { find_close(text, tag.end, "</script") };
        if tag.holds_code() {
            scripts.push(Script {
                start: tag.end,
                code: &text[tag.end..end],
                dialect: tag.dialect(component),
                source: tag.attribute("src").filter(|source| is_module(source)),
            });
        }
        at = end;
    }
    scripts
}

/// A part of a component that is not a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ComponentSection {
    /// The name of its tag.
    pub(crate) name: &'static str,
    /// From its opening tag to its closing tag.
    pub(crate) whole: Range<usize>,
    /// Between the tags.
    pub(crate) content: Range<usize>,
}

/// The template of a Vue component and the styles of any component, in text order. `scripts` are its
/// scripts.
pub(crate) fn sections(
    text: &str,
    component: Component,
    scripts: &[Script<'_>],
) -> Vec<ComponentSection> {
    let is_code =
        |at: usize| scripts.iter().any(|it| it.start <= at && at < it.start + it.code.len().max(1));
    let mut sections: Vec<ComponentSection> = Vec::new();
    let mut at = 0;
    while let Some(start) = find_tag(text, at, "<style") {
        if is_code(start) {
            at = start + 1;
            continue;
        }
        let tag = read_tag(text, start + "<style".len());
        let end = if tag.is_empty { tag.end } else { find_close(text, tag.end, "</style") };
        sections.push(section(text, "style", start, tag.end, end));
        at = end;
    }
    let is_other = |at: usize| {
        is_code(at) || sections.iter().any(|style: &ComponentSection| style.content.contains(&at))
    };
    let template = find_tag(text, 0, "<template").filter(|start| !is_other(*start));
    if let Some(start) = template.filter(|_| component == Component::Vue) {
        let tag = read_tag(text, start + "<template".len());
        // Templates nest, and a component has one at its top.
        let mut closes = text.rmatch_indices("</template").map(|(at, _)| at);
        let close = closes.find(|at| *at >= tag.end && !is_other(*at)).unwrap_or(text.len());
        sections.push(section(text, "template", start, tag.end, close));
    }
    sections.sort_by_key(|it| it.whole.start);
    sections
}

fn section(
    text: &str,
    name: &'static str,
    start: usize,
    from: usize,
    to: usize,
) -> ComponentSection {
    let close = text.get(to..).and_then(|rest| rest.find('>'));
    let end = close.map_or(text.len(), |close| to + close + 1);
    let end = if to == from { from } else { end };
    ComponentSection { name, whole: start..end, content: from..to }
}

/// The code between the two `---` lines that an `.astro` file may start with.
fn frontmatter(text: &str) -> Option<Script<'_>> {
    let opened = text.trim_start().strip_prefix("---")?;
    let start = text.len() - opened.len();
    let end = opened
        .match_indices("---")
        .map(|(at, _)| at)
        .find(|&at| opened[..at].trim_end_matches([' ', '\t']).ends_with(['\n', '\r']))
        .unwrap_or(opened.len());
    Some(Script { start, code: &opened[..end], dialect: Dialect::Ts, source: None })
}

/// Whether a bundler resolves the source, unlike a URL.
fn is_module(source: &str) -> bool {
    !source.is_empty() && !source.starts_with('/') && !source.contains([':', '{'])
}

/// The offset of the next opening tag at or after `from`, outside of comments.
fn find_tag(text: &str, from: usize, tag: &str) -> Option<usize> {
    let mut at = from;
    loop {
        at += text.get(at..)?.find('<')?;
        let rest = &text[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            at += "<!--".len() + comment.find("-->")?;
        } else if starts_with_tag(rest, tag) {
            return Some(at);
        } else {
            at += 1;
        }
    }
}

/// The end of the content that starts at `from`: its closing tag, or the end of the file.
fn find_close(text: &str, from: usize, tag: &str) -> usize {
    let rest = &text[from..];
    rest.match_indices("</")
        .map(|(at, _)| at)
        .find(|&at| starts_with_tag(&rest[at..], tag))
        .map_or(text.len(), |at| from + at)
}

/// Whether `text` starts with this tag, in any case and with no longer name.
fn starts_with_tag(text: &str, tag: &str) -> bool {
    let Some((start, rest)) = text.split_at_checked(tag.len()) else { return false };
    let ends_name = |char: char| char.is_whitespace() || matches!(char, '>' | '/');
    start.eq_ignore_ascii_case(tag) && rest.chars().next().is_none_or(ends_name)
}

/// An opening tag.
struct Tag<'t> {
    attributes: Vec<(&'t str, &'t str)>,
    /// Where the content starts.
    end: usize,
    is_empty: bool,
}

impl<'t> Tag<'t> {
    fn attribute(&self, name: &str) -> Option<&'t str> {
        self.attributes
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }

    /// Whether the content is code, not a template or JSON.
    fn holds_code(&self) -> bool {
        let kind = self.attribute("type").unwrap_or_default().to_ascii_lowercase();
        matches!(kind.as_str(), "" | "module" | "jsx" | "ts" | "tsx")
            || ["script", "babel", "jsx"].iter().any(|word| kind.ends_with(word))
    }

    fn dialect(&self, component: Component) -> Dialect {
        match self.attribute("lang").unwrap_or_default().to_ascii_lowercase().as_str() {
            "ts" | "typescript" => Dialect::Ts,
            "tsx" => Dialect::Tsx,
            "" if component == Component::Astro => Dialect::Ts,
            _ => Dialect::Js,
        }
    }
}

/// Reads the attributes of a tag, from the end of its name.
fn read_tag(text: &str, start: usize) -> Tag<'_> {
    let mut tag = Tag { attributes: Vec::new(), end: text.len(), is_empty: false };
    let mut rest = text.get(start..).unwrap_or_default();
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return tag };
        match first {
            '>' => {
                tag.end = text.len() - rest.len() + 1;
                return tag;
            }
            '/' | '"' | '\'' | '=' => {
                tag.is_empty = rest.starts_with("/>");
                rest = &rest[1..];
            }
            _ => {
                let (name, after) =
                    split_before(rest, |char| char.is_whitespace() || "=>/\"'".contains(char));
                let (value, after) = attribute_value(after);
                tag.attributes.push((name, value));
                rest = after;
            }
        }
    }
}

/// The value after an attribute's name, and what follows it.
fn attribute_value(text: &str) -> (&str, &str) {
    let Some(value) = text.trim_start().strip_prefix('=') else { return ("", text) };
    let value = value.trim_start();
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
        _ => split_before(value, |char| char.is_whitespace() || char == '>'),
    }
}

fn split_before(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(component: Component, text: &str, expected: &[(&str, Dialect, Option<&str>)]) {
        let found: Vec<_> = scripts(text, component)
            .iter()
            .map(|script| (script.code, script.dialect, script.source))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn finds_every_script_of_a_component() {
        check(
            Component::Vue,
            "<template><p>don't</p></template>\n<script>a</script>\n<SCRIPT setup lang='ts'>b</Script >",
            &[("a", Dialect::Js, None), ("b", Dialect::Ts, None)],
        );
        check(
            Component::Svelte,
            "<script context=module lang=ts>a</script>",
            &[("a", Dialect::Ts, None)],
        );
    }

    #[test]
    fn attributes_may_be_unquoted() {
        check(
            Component::Vue,
            "<script a='>' src = \"./x.js\"\n>",
            &[("", Dialect::Js, Some("./x.js"))],
        );
        check(
            Component::Vue,
            "<script src=./x.ts lang=\"tsx\"/>",
            &[("", Dialect::Tsx, Some("./x.ts"))],
        );
        check(
            Component::Vue,
            "<script src='https://x.y/z.js'></script>",
            &[("", Dialect::Js, None)],
        );
    }

    #[test]
    fn comments_templates_and_other_tags_are_not_scripts() {
        check(Component::Vue, "<!-- <script>a</script> --><scripts>b</scripts>", &[]);
        check(Component::Vue, "<script type='application/ld+json'>{}</script>", &[]);
        check(Component::Vue, "<!-- <script>", &[]);
    }

    #[test]
    fn unclosed_script_runs_to_the_end() {
        check(Component::Vue, "<script>a </scripts>", &[("a </scripts>", Dialect::Js, None)]);
        check(Component::Vue, "<script lang='ts", &[("", Dialect::Ts, None)]);
    }

    #[test]
    fn astro_has_code_between_fences() {
        check(
            Component::Astro,
            "---\na --- b\n---\n<p/><script>c</script>",
            &[("\na --- b\n", Dialect::Ts, None), ("c", Dialect::Ts, None)],
        );
        check(Component::Astro, "<p>no fence</p>", &[]);
    }

    #[test]
    fn templates_and_styles_have_their_tags() {
        let text = "<script>'<style>'</script>\n<template><template #a/>b</template>\n<style scoped>c</style><style/>";
        let found = sections(text, Component::Vue, &scripts(text, Component::Vue));
        let shown: Vec<_> = found
            .iter()
            .map(|it| (it.name, &text[it.whole.clone()], &text[it.content.clone()]))
            .collect();
        let template = "<template><template #a/>b</template>";
        assert_eq!(
            shown,
            [
                ("template", template, "<template #a/>b"),
                ("style", "<style scoped>c</style>", "c"),
                ("style", "<style/>", ""),
            ]
        );
    }

    proptest! {
        #[test]
        fn sections_are_inside_of_the_text(text in "(<style|</style|<template|</template|<script>|</script|<!--|-->|[ >'\"=/a\né])*") {
            for section in sections(&text, Component::Vue, &scripts(&text, Component::Vue)) {
                prop_assert!(text.get(section.whole.clone()).is_some());
                prop_assert!(text.get(section.content.clone()).is_some());
            }
        }

        #[test]
        fn scripts_are_slices_of_the_text(text in "(<script|</script|<!--|-->|---|[ >'\"=/a\né])*") {
            for component in [Component::Vue, Component::Astro] {
                for script in scripts(&text, component) {
                    prop_assert_eq!(&text[script.start..script.start + script.code.len()], script.code);
                }
            }
        }
    }
}
