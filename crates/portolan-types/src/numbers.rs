//! Numbers in text for people.

use std::fmt::Display;

/// A whole number with a comma between thousands: `4,490`.
pub fn thousands(number: impl Display) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and a noun: `1 file`, `1,234 files`, `2 repositories`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = match (number, noun.strip_suffix('y')) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        (_, None) => format!("{noun}s"),
    };
    format!("{} {plural}", thousands(number))
}

#[cfg(test)]
mod tests {
    use super::{count, thousands};

    #[test]
    fn numbers_are_written_in_groups() {
        let check = |number: u64, text: &str| assert_eq!(thousands(number), text);
        check(0, "0");
        check(999, "999");
        check(1000, "1,000");
        check(4490, "4,490");
        check(1_234_567, "1,234,567");
    }

    #[test]
    fn nouns_have_a_plural() {
        let said = [count(1, "repository"), count(2_000, "repository"), count(3, "file")];
        assert_eq!(said, ["1 repository", "2,000 repositories", "3 files"]);
    }
}
