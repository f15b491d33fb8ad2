//! Finds the code in the markup of a component: expressions, names that the markup binds, and tags
//! that name other components.
//!
//! This is not an HTML parser. It reads tags with their attributes and skips everything else, so
//! broken markup loses at most the parts around the fault.

use std::ops::Range;

use memchr::memmem;

use crate::ecma::syntax::dialect::Component;

/// A piece of the text, with its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkupText<'t> {
    pub(crate) at: usize,
    pub(crate) text: &'t str,
}

/// A part of the markup that uses names of the scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkupPart<'t> {
    /// A tag that may name a component.
    Tag(MarkupText<'t>),
    /// An expression, or the statements of an event.
    Code(MarkupText<'t>),
    /// A pattern that binds names for some of the markup, and the list that it takes them from.
    Locals(MarkupText<'t>, Option<MarkupText<'t>>),
}

/// The parts of a component's markup, in text order. `skipped` are the scripts and styles, sorted.
pub(crate) fn parts<'t>(
    text: &'t str,
    component: Component,
    skipped: &[Range<usize>],
) -> Vec<MarkupPart<'t>> {
    let mut scanner = MarkupScanner { text, component, at: 0, parts: Vec::new() };
    let mut skipped = skipped.iter().peekable();
    while let Some(found) = scanner.next_mark() {
        scanner.at = found;
        while skipped.next_if(|range| range.end <= found).is_some() {}
        if let Some(range) = skipped.peek().filter(|range| range.start <= found) {
            scanner.at = range.end;
            continue;
        }
        scanner.mark();
    }
    scanner.parts
}

/// The names that a pattern binds: `(item, index)`, `{ a, b: c }`.
pub(crate) fn bound_names(pattern: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let words = pattern
        .match_indices(is_part)
        .filter(move |(at, _)| !pattern.get(..*at).unwrap_or_default().ends_with(is_part));
    words.filter_map(move |(at, _)| {
        let rest = pattern.get(at..)?;
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let is_key = rest.get(end..)?.trim_start().starts_with(':');
        let name = rest.get(..end)?;
        (!is_key && !name.starts_with(|first: char| first.is_ascii_digit())).then_some(name)
    })
}

struct MarkupScanner<'t> {
    text: &'t str,
    component: Component,
    at: usize,
    parts: Vec<MarkupPart<'t>>,
}

impl<'t> MarkupScanner<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next_mark(&self) -> Option<usize> {
        memchr::memchr2(b'<', b'{', self.rest().as_bytes()).map(|found| self.at + found)
    }

    fn piece(&self, range: Range<usize>) -> MarkupText<'t> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        let trimmed = text.trim_start();
        MarkupText { at: range.start + text.len() - trimmed.len(), text: trimmed.trim_end() }
    }

    fn code(&mut self, range: Range<usize>) {
        let piece = self.piece(range);
        if !piece.text.is_empty() {
            self.parts.push(MarkupPart::Code(piece));
        }
    }

    fn locals(&mut self, pattern: Range<usize>, list: Option<Range<usize>>) {
        let list = list.map(|list| self.piece(list)).filter(|list| !list.text.is_empty());
        self.parts.push(MarkupPart::Locals(self.piece(pattern), list));
    }

    /// Reads what begins with `<` or `{`.
    fn mark(&mut self) {
        let rest = self.rest();
        if let Some(comment) = rest.strip_prefix("<!--") {
            let end = comment.find("-->").map_or(rest.len(), |end| end + "<!---->".len());
            self.at += end;
        } else if let Some(inner) = rest.strip_prefix("{{").filter(|_| self.is_vue()) {
            let length = inner.find("}}").unwrap_or(inner.len());
            let start = self.at + 2;
            self.code(start..start + length);
            self.at = (start + length + 2).min(self.text.len());
        } else if rest.starts_with('{') && !self.is_vue() {
            self.braces();
        } else if rest.get(1..).is_some_and(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()))
        {
            self.tag();
        } else {
            self.at += 1;
        }
    }

    fn is_vue(&self) -> bool {
        self.component == Component::Vue
    }

    /// Reads an opening tag with its attributes.
    fn tag(&mut self) {
        self.at += 1;
        let name = self.name(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '$'));
        let is_component =
            name.text.starts_with(|c: char| c.is_uppercase()) || name.text.contains(['-', '.']);
        if is_component {
            self.parts.push(MarkupPart::Tag(name));
        }
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            match self.rest().as_bytes().first() {
                // The next tag: this one was not closed.
                None | Some(b'<') => return,
                Some(b'>') => {
                    self.at += 1;
                    return;
                }
                Some(b'{') if !self.is_vue() => self.braces(),
                Some(b'/' | b'"' | b'\'' | b'=') => self.at += 1,
                Some(_) => self.attribute(),
            }
        }
    }

    /// Takes letters while they are part of a name.
    fn name(&mut self, is_part: impl Fn(char) -> bool) -> MarkupText<'t> {
        let rest = self.rest();
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let piece = MarkupText { at: self.at, text: rest.get(..end).unwrap_or_default() };
        self.at += end;
        piece
    }

    fn attribute(&mut self) {
        let before = self.at;
        let name = self.name(|c| !c.is_whitespace() && !matches!(c, '=' | '>' | '/' | '<'));
        if self.at == before {
            self.at += 1;
            return;
        }
        let after = self.rest().trim_start();
        let Some(value) = after.strip_prefix('=').map(str::trim_start) else {
            return self.shorthand(name);
        };
        self.at = self.text.len() - value.len();
        match value.as_bytes().first() {
            Some(b'{') if !self.is_vue() => {
                self.directive_name(name);
                self.braces();
            }
            Some(quote @ (b'"' | b'\'')) => {
                let inner = value.get(1..).unwrap_or_default();
                let length = memchr::memchr(*quote, inner.as_bytes()).unwrap_or(inner.len());
                let start = self.at + 1;
                self.quoted(name, start..start + length);
                self.at = (start + length + 1).min(self.text.len());
            }
            _ => {
                let value = self.name(|c| !c.is_whitespace() && c != '>');
                self.quoted(name, value.at..value.at + value.text.len());
            }
        }
    }

    /// Reads an attribute without a value.
    fn shorthand(&mut self, name: MarkupText<'t>) {
        match self.component {
            Component::Vue => {
                let bare = name.text.strip_prefix(':');
                if let Some(bare) = bare.filter(|bare| is_identifier(bare)) {
                    self.code(name.at + 1..name.at + 1 + bare.len());
                }
            }
            Component::Svelte => {
                let Some((directive, rest)) = name.text.split_once(':') else { return };
                let start = name.at + directive.len() + 1;
                let bare = rest.split('|').next().unwrap_or(rest);
                match directive {
                    "let" => self.locals(start..start + bare.len(), None),
                    "bind" | "class" | "style" if is_identifier(bare) => {
                        self.code(start..start + bare.len());
                    }
                    _ => self.directive_name(name),
                }
            }
            Component::Astro => {}
        }
    }

    /// Reads the function that a directive of Svelte names: `use:action`.
    fn directive_name(&mut self, name: MarkupText<'t>) {
        let Some((directive, rest)) = name.text.split_once(':') else { return };
        let bare = rest.split('|').next().unwrap_or(rest);
        let names_function = matches!(directive, "use" | "transition" | "in" | "out" | "animate");
        if self.component == Component::Svelte && names_function {
            let start = name.at + directive.len() + 1;
            self.code(start..start + bare.len());
        }
    }

    /// Reads a quoted value.
    fn quoted(&mut self, name: MarkupText<'t>, value: Range<usize>) {
        match self.component {
            Component::Vue => self.vue_value(name.text, value),
            Component::Svelte => {
                self.directive_name(name);
                let (end, after) = (value.end, self.at);
                self.at = value.start;
                while let Some(open) = self.next_mark().filter(|open| *open < end) {
                    self.at = open;
                    if self.rest().starts_with('{') {
                        self.braces();
                    } else {
                        self.at += 1;
                    }
                }
                self.at = after;
            }
            Component::Astro => {}
        }
    }

    fn vue_value(&mut self, name: &str, value: Range<usize>) {
        let text = self.text.get(value.clone()).unwrap_or_default();
        if name == "v-for" {
            let split = [" in ", " of "].iter().filter_map(|word| Some((text.find(word)?, word)));
            if let Some((at, word)) = split.min_by_key(|(at, _)| *at) {
                let list = value.start + at + word.len()..value.end;
                self.locals(value.start..value.start + at, Some(list));
            }
        } else if name.starts_with('#') || name.starts_with("v-slot") || name == "slot-scope" {
            self.locals(value, None);
        } else if name.starts_with("v-") || name.starts_with([':', '@']) {
            self.code(value);
        }
    }

    /// Reads `{…}`, in Svelte also a block such as `{#each …}`.
    fn braces(&mut self) {
        let start = self.at + 1;
        let length = closing_brace(self.text.get(start..).unwrap_or_default());
        let end = start + length;
        self.at = (end + 1).min(self.text.len());
        if self.component == Component::Svelte {
            self.svelte_block(start..end);
        } else {
            self.code(start..end);
        }
    }

    fn svelte_block(&mut self, range: Range<usize>) {
        let piece = self.piece(range.clone());
        let end = piece.at + piece.text.len();
        let Some(first) = piece.text.chars().next() else { return };
        if let Some(spread) = piece.text.strip_prefix("...") {
            return self.code(end - spread.len()..end);
        }
        if !matches!(first, '#' | ':' | '@' | '/') {
            return self.code(range);
        }
        let (word, rest) = piece.text.split_once(char::is_whitespace).unwrap_or((piece.text, ""));
        let start = end - rest.len();
        match word {
            "#each" => self.each(start..end),
            "#await" => {
                let then = rest.find(" then ").or_else(|| rest.find(" catch "));
                self.code(start..start + then.unwrap_or(rest.len()));
                if let Some(then) = then {
                    self.locals(start + then + " then ".len()..end, None);
                }
            }
            ":then" | ":catch" | "#snippet" => self.locals(start..end, None),
            "@const" => {
                let equals = rest.find('=').unwrap_or(rest.len());
                self.locals(start..start + equals, None);
                self.code((start + equals + 1).min(end)..end);
            }
            ":else" => {
                let condition = rest.trim_start().strip_prefix("if ").unwrap_or_default();
                self.code(end - condition.len()..end);
            }
            _ if first != '/' => self.code(start..end),
            _ => {}
        }
    }

    /// Reads `list as item, index (key)`.
    fn each(&mut self, range: Range<usize>) {
        let text = self.text.get(range.clone()).unwrap_or_default();
        let Some(at) = memmem::rfind(text.as_bytes(), b" as ") else {
            return self.code(range);
        };
        let pattern = range.start + at + " as ".len();
        let rest = text.get(at + " as ".len()..).unwrap_or_default();
        let key = rest.rfind(" (").filter(|_| rest.ends_with(')'));
        let names_end = pattern + key.unwrap_or(rest.len());
        self.locals(pattern..names_end, Some(range.start..range.start + at));
        if key.is_some() {
            self.code(names_end..range.end);
        }
    }
}

fn is_identifier(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    text.starts_with(|first: char| is_part(first) && !first.is_ascii_digit())
        && text.chars().all(is_part)
}

/// The offset of the brace that closes code, outside of its strings and comments.
fn closing_brace(code: &str) -> usize {
    let bytes = code.as_bytes();
    let (mut at, mut depth) = (0, 0u32);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return at,
            b'}' => depth -= 1,
            b'\'' | b'"' | b'`' => at = closing_quote(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let rest = bytes.get(at + 2..).unwrap_or_default();
                at += memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 3);
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// The offset of the quote that closes the one at `open`; `open` itself if its line has none, as in
/// the text of a tag: `don't`.
fn closing_quote(bytes: &[u8], open: usize) -> usize {
    let quote = bytes.get(open).copied().unwrap_or_default();
    let mut at = open + 1;
    while let Some(byte) = bytes.get(at) {
        match *byte {
            b'\\' => at += 1,
            b'\n' if quote != b'`' => return open,
            byte if byte == quote => return at,
            _ => {}
        }
        at += 1;
    }
    open
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(component: Component, text: &str, expected: &[&str]) {
        let shown: Vec<String> = parts(text, component, &[])
            .iter()
            .map(|part| match part {
                MarkupPart::Tag(it) => format!("<{}", it.text),
                MarkupPart::Code(it) => it.text.to_owned(),
                MarkupPart::Locals(names, list) => {
                    let names: Vec<&str> = bound_names(names.text).collect();
                    format!("{} of {}", names.join("+"), list.map_or("", |it| it.text))
                }
            })
            .collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn vue_has_code_in_directives_and_double_braces() {
        check(
            Component::Vue,
            "<Child :a=\"b.c\" title='d' @e=\"f($event)\" v-if=\"g\" :h/>{{ i + 1 }}<my-tag/><p/>",
            &["<Child", "b.c", "f($event)", "g", "h", "i + 1", "<my-tag"],
        );
        check(
            Component::Vue,
            "<p v-for=\"(a, i) in list.of()\"><template #item=\"{ b: c, d }\"/></p>",
            &["a+i of list.of()", "c+d of "],
        );
        check(Component::Vue, "<!-- {{ a }} --> { b } a < b {{ c", &["c"]);
    }

    #[test]
    fn svelte_has_code_in_braces_and_blocks() {
        check(
            Component::Svelte,
            "{#if a}{:else if b}{/if}{#each c as { d }, i (d.id)}{e}{/each}{@html f}{:else}",
            &["a", "b", "d+i of c", "(d.id)", "e", "f"],
        );
        check(
            Component::Svelte,
            "<A on:x={() => { b('}') }} use:c={d} bind:e class=\"f {g}\" {...h} {i} let:j/>",
            &["<A", "() => { b('}') }", "c", "d", "e", "g", "h", "i", "j of "],
        );
        check(
            Component::Svelte,
            "{#await a then b}{/await}{@const c = d}",
            &["a", "b of ", "c of ", "d"],
        );
    }

    #[test]
    fn astro_has_expressions() {
        check(
            Component::Astro,
            "<Layout title={a} b=\"{c}\">{list.map((it) => <Item {it}>don't</Item>)}</Layout>",
            &["<Layout", "a", "list.map((it) => <Item {it}>don't</Item>)"],
        );
    }

    #[test]
    fn scripts_and_styles_are_skipped() {
        let text = "<A/><style>{{ a }} <B></style><C/>";
        let skipped = 11..text.find("</style>").unwrap();
        let found = parts(text, Component::Vue, &[skipped]);
        let tags = found.iter().filter_map(|part| match part {
            MarkupPart::Tag(it) => Some(it.text),
            _ => None,
        });
        assert_eq!(tags.collect::<Vec<_>>(), ["A", "C"]);
    }

    proptest! {
        #[test]
        fn parts_are_slices_of_the_text(text in "(<[aA]|\\{\\{|\\}\\}|\\{#each|\\{| as |\\}|v-for|:a| in |[ >'\"=/a\né(])*") {
            for component in [Component::Vue, Component::Svelte, Component::Astro] {
                for part in parts(&text, component, &[]) {
                    let pieces = match part {
                        MarkupPart::Tag(it) | MarkupPart::Code(it) => vec![it],
                        MarkupPart::Locals(names, list) => std::iter::once(names).chain(list).collect(),
                    };
                    for piece in pieces {
                        prop_assert_eq!(text.get(piece.at..piece.at + piece.text.len()), Some(piece.text));
                    }
                }
            }
        }
    }
}
