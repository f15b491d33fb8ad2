//! Text for people: numbers, sizes, and what is done to make a line fit.

pub use portolan_types::{count, thousands};
use unicode_width::UnicodeWidthStr as _;

/// A size in the unit that keeps it short.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if number < 1024 {
        return format!("{number} B");
    }
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let mut value = number as f64 / 1024.0;
    let mut units = UNITS.iter();
    let mut unit = units.next();
    // What would be shown as 1024.0 is one of the next unit.
    while value >= 1023.95
        && let Some(larger) = units.next()
    {
        value /= 1024.0;
        unit = Some(larger);
    }
    format!("{value:.1} {}", unit.unwrap_or(&""))
}

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// A text with spaces behind it, up to a width.
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// A path that fits: what is too long is cut out of the middle, more of its end is kept.
pub fn shortened(path: &str, columns: usize) -> String {
    if width(path) <= columns {
        return path.to_owned();
    }
    let room = columns.saturating_sub(1);
    let head = taken(path.chars(), room / 3);
    let tail = taken(path.chars().rev(), room - width(&head));
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

/// As many characters as fit.
fn taken(characters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut text = String::new();
    for character in characters {
        text.push(character);
        if width(&text) > columns {
            text.pop();
            break;
        }
    }
    text
}

/// A text broken between words to fit a terminal, later lines indented; as it is where there is
/// no terminal. A word that is too long stays whole.
pub fn wrapped(text: &str, columns: Option<usize>, indent: usize) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    let lines: Vec<String> = text.split('\n').map(|line| broken(line, columns, indent)).collect();
    lines.join("\n")
}

fn broken(line: &str, columns: usize, indent: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        if used > indent && used + width(word.trim_end()) > columns {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            used = indent;
        }
        out.push_str(word);
        used += width(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{bytes, padded, shortened, width, wrapped};

    #[test]
    fn sizes_are_short() {
        let sizes = [0, 1023, 1536, (1 << 20) - 1, 3 << 20, 5 << 40, u64::MAX].map(bytes);
        let wanted =
            ["0 B", "1023 B", "1.5 KiB", "1.0 MiB", "3.0 MiB", "5.0 TiB", "16777216.0 TiB"];
        assert_eq!(sizes, wanted);
    }

    #[test]
    fn a_long_path_loses_its_middle() {
        let path = "src/internal/operators/OperatorSubscriber.ts";
        assert_eq!(shortened(path, 44), path);
        assert_eq!(shortened(path, 30), "src/inter…peratorSubscriber.ts");
        for columns in 0..50 {
            for path in [path, "src/日本語/日本語日本語.ts"] {
                assert!(width(&shortened(path, columns)) <= columns.max(1), "{columns}");
            }
        }
        assert_eq!(padded("日本", 6), "日本  ");
    }

    #[test]
    fn lines_are_broken_between_words_only_for_a_terminal() {
        let text = "a long message about one/very/long/path";
        assert_eq!(wrapped(text, None, 2), text);
        assert_eq!(wrapped(text, Some(12), 2), "a long\n  message\n  about\n  one/very/long/path");
        assert_eq!(wrapped("  a b\nc", Some(80), 2), "  a b\nc");
    }
}
