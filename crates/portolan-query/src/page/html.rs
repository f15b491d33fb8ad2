//! Writes the page as one file: text, style, scripts and data, with a policy that allows nothing
//! else.
//!
//! The policy names the style and the script by their digests. So whatever a repository calls its
//! files, nothing else can run, and nothing can be fetched or sent.

use std::fmt::Write as _;

use data_encoding::BASE64;
use portolan_types::{escape_invisible, is_invisible};
use portolan_vfs::sha256;
use portolan_wire::page::PageV1;

/// The frame of every page.
const FRAME: &str = include_str!("assets/page.html");

/// Its style.
const STYLE: &str = include_str!("assets/style.css");

/// Its script: the parts in the order in which they rely on each other.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("assets/data.js"),
    "\n",
    include_str!("assets/closure.js"),
    "\n",
    include_str!("assets/selection.js"),
    "\n",
    include_str!("assets/colours.js"),
    "\n",
    include_str!("assets/treemap.js"),
    "\n",
    include_str!("assets/tree.js"),
    "\n",
    include_str!("assets/panel.js"),
    "\n",
    include_str!("assets/main.js"),
    "})();\n",
);

/// Writes the page.
pub(super) fn page(data: &PageV1) -> String {
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'",
        digest(SCRIPT),
        digest(STYLE)
    );
    let title = escaped(&escape_invisible(&data.name));
    let data = as_data(&serde_json::to_string(data).unwrap_or_default());
    let parts = [
        ("policy", policy),
        ("title", title),
        ("style", STYLE.to_owned()),
        ("data", data),
        ("script", SCRIPT.to_owned()),
    ];
    filled(FRAME, &parts)
}

/// Fills in the `{{names}}` of a frame. Inserted text is not expanded again.
fn filled(frame: &str, parts: &[(&str, String)]) -> String {
    let mut pieces = frame.split("{{");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or(("", piece));
        let part = parts.iter().find(|(known, _)| *known == name);
        out.push_str(part.map_or("", |(_, text)| text));
        out.push_str(rest);
    }
    out
}

/// The digest of a text, in the form of a policy.
fn digest(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(sha256(text.as_bytes()).as_bytes()))
}

/// Escapes text between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Escapes JSON for a script element: a `<` could end the element or start a comment, and invisible
/// or reordering characters could mislead a reader of the source. Both occur only in strings.
fn as_data(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '<' || is_invisible(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use portolan_wire::page::PageV1;

    use super::{FRAME, SCRIPT, STYLE, as_data, page};

    #[test]
    fn nothing_that_is_filled_in_ends_its_element() {
        let script = SCRIPT.to_lowercase();
        assert!(!script.contains("</script") && !script.contains("<!--"));
        assert!(!STYLE.to_lowercase().contains("</style"));
        assert!(FRAME.contains("{{script}}") && script.contains("use strict"));
    }

    #[test]
    fn names_stay_inside_the_data() {
        let evil = "</script><script>alert(1)</script>\u{202e}\u{e0041}{{style}}";
        let text = page(&PageV1 { name: evil.to_owned(), ..PageV1::default() });
        assert_eq!(text.matches("<script").count(), 2);
        assert_eq!(text.matches("</script>").count(), 2);
        assert!(text.contains("<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}\\u{e0041}{{style}}"));
        let json = serde_json::to_string(evil).unwrap();
        let back: String = serde_json::from_str(&as_data(&json)).unwrap();
        assert_eq!(back, evil);
        assert!(as_data(&json).is_ascii());
    }
}
