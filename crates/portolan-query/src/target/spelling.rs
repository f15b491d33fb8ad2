//! What people write around a name: the word that declares it, its arguments, what follows it in a line of code.

use portolan_languages::DECLARING_WORDS;

/// The name in a text as people write it: `def total(self):`, `Cart.total()`, `func (c *Cart) Total`, `pub(crate) fn total`.
/// Nothing where the text is a name itself, or holds none.
pub(super) fn bare_name(text: &str) -> Option<String> {
    let mut rest = text.trim();
    let mut receiver = None;
    while let Some((word, after)) = first_word(rest) {
        if !DECLARING_WORDS.contains(&word) {
            break;
        }
        rest = after.trim_start();
        if let Some((inside, after)) = rest.strip_prefix('(').and_then(|it| it.split_once(')')) {
            // Of a method in Go, the type; of `pub(crate)`, nothing that counts.
            let owner = inside.split('[').next().unwrap_or_default();
            receiver = owner.rsplit(|c: char| !is_part(c)).find(|name| !name.is_empty());
            receiver = receiver.filter(|_| word == "func");
            rest = after.trim_start();
        }
    }
    let end = rest.find(|c: char| !is_part(c) && !matches!(c, '.' | ':' | '#'));
    let (head, follows) = rest.split_at(end.unwrap_or(rest.len()));
    let name = head.trim_matches(['.', ':']);
    // A name of several words is no name with something around it.
    let is_name = !follows.starts_with(char::is_whitespace) || rest.len() < text.trim().len();
    let name = match receiver {
        Some(receiver) => format!("{receiver}.{name}"),
        None => name.to_owned(),
    };
    (is_name && !name.is_empty() && name != text).then_some(name)
}

/// The first word of a text, and what follows it.
fn first_word(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !is_part(c))?;
    let after = &text[end..];
    after.starts_with([' ', '\t', '(']).then(|| (&text[..end], after))
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '?' | '!' | '@')
}

/// The parts of a list of targets, as people write several in one word: `Cart.total,Cart.clear`. What follows a name of a
/// file is of that file. A list of lines, of arguments, or with blanks is none.
pub(super) fn listed(text: &str) -> Option<Vec<String>> {
    let is_plain =
        |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '(' | '[' | '<' | '{' | '*');
    if !text.contains(',') || !text.replace(", ", ",").chars().all(is_plain) {
        return None;
    }
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_name = |part: &&str| part.starts_with(|c: char| is_part(c) && !c.is_ascii_digit());
    let is_line = |part: &&str| {
        part.strip_prefix('L').is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
    };
    if !parts.iter().all(is_name) || parts.iter().skip(1).any(is_line) {
        return None;
    }
    let mut file: Option<&str> = None;
    let mut listed = Vec::new();
    for part in parts {
        match (part.split_once('#'), file) {
            (Some((path, _)), _) => {
                file = Some(path);
                listed.push(part.to_owned());
            }
            (None, Some(path)) if !part.contains(['/', ':']) => {
                listed.push(format!("{path}#{part}"));
            }
            (None, _) => listed.push(part.to_owned()),
        }
    }
    Some(listed)
}

#[cfg(test)]
mod tests {
    use super::{bare_name, listed};

    #[test]
    fn a_name_is_found_in_what_people_write_around_it() {
        for (text, name) in [
            ("def total", "total"),
            ("def total(self, items):", "total"),
            ("async def total", "total"),
            ("class Cart:", "Cart"),
            ("class Cart(Base):", "Cart"),
            ("pub(crate) fn total<T>(items: &[T])", "total"),
            ("impl Cart", "Cart"),
            ("Cart.total()", "Cart.total"),
            ("Cart::total(int)", "Cart::total"),
            ("Cart.total:", "Cart.total"),
            ("func (c *Cart) Total(x int) error", "Cart.Total"),
            ("export const total = (x) => {", "total"),
            ("def empty?", "empty?"),
            ("function $total", "$total"),
        ] {
            assert_eq!(bare_name(text).as_deref(), Some(name), "{text}");
        }
        for text in ["total", "Cart.total", "Cart::total", "what it is for", "", "()", "class"] {
            assert_eq!(bare_name(text), None, "{text}");
        }
    }

    #[test]
    fn commas_stand_between_targets() {
        assert_eq!(listed("Cart.total,Cart.clear").unwrap(), ["Cart.total", "Cart.clear"]);
        assert_eq!(listed("a.py#Cart.total, clear").unwrap(), ["a.py#Cart.total", "a.py#clear"]);
        assert_eq!(listed("a.py,b.py").unwrap(), ["a.py", "b.py"]);
        for text in [
            "a.py:10,20p",
            "a.py:10,+5",
            "a.py#L10,L20",
            "Map<K,V>",
            "f(a,b)",
            "a.py#\"x,y\"",
            "a.py#one, two words",
        ] {
            assert_eq!(listed(text), None, "{text}");
        }
    }
}
