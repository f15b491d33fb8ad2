//! A budget of tokens, as people, models and configurations write it.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most tokens that something may cost: `2000`, `2_000` or `2k`, as a number or as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget(u64);

impl Budget {
    /// A number of tokens; `None` for zero.
    pub const fn new(tokens: u64) -> Option<Self> {
        if tokens == 0 { None } else { Some(Self(tokens)) }
    }

    /// The number of tokens.
    pub const fn tokens(self) -> u64 {
        self.0
    }
}

/// Why a text is no budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseBudgetError;

impl fmt::Display for ParseBudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a number such as `8000` or `8k`")
    }
}

impl std::error::Error for ParseBudgetError {}

impl FromStr for Budget {
    type Err = ParseBudgetError;

    fn from_str(text: &str) -> Result<Self, ParseBudgetError> {
        let (digits, factor) = match text.strip_suffix(['k', 'K']) {
            Some(digits) => (digits, 1000),
            None => (text, 1),
        };
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
        let digits: String = digits.chars().filter(|c| *c != '_').collect();
        let count: u64 = digits.parse().ok().filter(|_| is_number).ok_or(ParseBudgetError)?;
        count.checked_mul(factor).and_then(Self::new).ok_or(ParseBudgetError)
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Budget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Budget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BudgetVisitor)
    }
}

struct BudgetVisitor;

impl Visitor<'_> for BudgetVisitor {
    type Value = Budget;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of tokens such as 8000 or \"8k\"")
    }

    fn visit_u64<E: Error>(self, tokens: u64) -> Result<Budget, E> {
        Budget::new(tokens).ok_or_else(|| E::custom("budget: at least 1 token"))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Budget, E> {
        text.trim().parse().map_err(|error| E::custom(format!("budget `{text}`: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn a_budget_is_read_as_people_write_it() {
        for (text, tokens) in [("2000", 2_000), ("2_000", 2_000), ("2k", 2_000), ("12K", 12_000)] {
            assert_eq!(text.parse::<Budget>().map(Budget::tokens), Ok(tokens), "{text}");
        }
        for text in ["", "0", "k", "_1", "-1", "+1", "1.5k", "2 k", "99999999999999999999"] {
            assert!(text.parse::<Budget>().is_err(), "{text}");
        }
    }
}
