//! As much XML as reports of tests need: tags with attributes, texts, entities, `CDATA`.

/// A piece of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'x> {
    /// A tag that opens, with its attributes, and whether it closes at once.
    Open(&'x str, Vec<(&'x str, String)>, bool),
    Close(&'x str),
    Text(String),
}

/// Cuts a text into pieces. What is broken is left out.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        if open > 0 {
            pieces.push(Piece::Text(unescape(&rest[..open])));
        }
        rest = &rest[open..];
        let skipped = [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>"), ("<!", ">")]
            .into_iter()
            .find(|(start, _)| rest.starts_with(start));
        if let Some((start, end)) = skipped {
            let inside = &rest[start.len()..];
            let length = inside.find(end).unwrap_or(inside.len());
            if start == "<![CDATA[" {
                pieces.push(Piece::Text(inside[..length].to_owned()));
            }
            rest = inside.get(length + end.len()..).unwrap_or_default();
            continue;
        }
        let end = end_of_tag(rest);
        pieces.extend(tag(&rest[1..end]));
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    pieces
}

/// Where a tag ends: at the first `>` outside of quotes.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            (None, b'>') => return at,
            _ => {}
        }
    }
    text.len()
}

fn tag(inside: &str) -> Option<Piece<'_>> {
    if let Some(name) = inside.strip_prefix('/') {
        return Some(Piece::Close(name.trim()));
    }
    let (inside, is_closed) =
        inside.strip_suffix('/').map_or((inside, false), |inside| (inside, true));
    let end = inside.find(char::is_whitespace).unwrap_or(inside.len());
    let name = &inside[..end];
    let mut attributes = Vec::new();
    let mut rest = inside[end..].trim_start();
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else {
            break;
        };
        let Some((value, next)) = after[1..].split_once(quote) else { break };
        attributes.push((key.trim(), unescape(value)));
        rest = next.trim_start();
    }
    (!name.is_empty()).then_some(Piece::Open(name, attributes, is_closed))
}

fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = rest
            .find(';')
            .filter(|&end| end < 12)
            .and_then(|end| Some((entity(&rest[1..end])?, end)));
        let (c, end) = known.unwrap_or(('&', 0));
        out.push(c);
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{pieces, Piece};

    #[test]
    fn broken_documents_are_read_as_far_as_they_go() {
        let found = pieces("<a x=\"1 > 0 &amp; &#10;\"><![CDATA[<b>]]></a><c");
        assert_eq!(
            found,
            [
                Piece::Open("a", vec![("x", "1 > 0 & \n".to_owned())], false),
                Piece::Text("<b>".to_owned()),
                Piece::Close("a"),
                Piece::Open("c", Vec::new(), false),
            ]
        );
        assert!(pieces("<![CDATA[").len() <= 1);
    }
}
