//! How similar the name of a declaration is to the one that was asked for.

use std::cmp::Reverse;

use portolan_ranking::word_parts;
use portolan_workspace::similar::likeness;

/// Names with this much in common, in percent, may be a slip of the pen.
const SLIP: usize = 60;

/// The most words of a name.
const MOST_WORDS: usize = 64;

/// How much a name is like one that is asked for; less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameLikeness {
    /// It is the name.
    Exact,
    /// It is the name in another case.
    SameLetters,
    /// The name is its initials.
    Initials,
    /// It begins with the words.
    Begins,
    /// It has all of the words.
    Words,
    /// It may be meant by a slip of the pen; so many percent are the same.
    Slip(Reverse<usize>),
}

/// A name that is asked for: `name`, `Class.name` or some words.
#[derive(Clone, Debug)]
pub(crate) struct WantedName {
    /// As it is written.
    pub(crate) name: String,
    /// Its words, in small letters.
    pub(crate) words: Vec<String>,
    /// Its last part, without that of the class, in small letters.
    own: String,
    /// Whether it may be the initials of a name. Two letters are initials where they are written as such.
    is_initials: bool,
}

impl WantedName {
    /// A name; `None` where there is no word in it.
    pub(crate) fn new(name: &str) -> Option<Self> {
        let name = name.trim();
        let words: Vec<String> = name
            .split(|c: char| !is_part(c))
            .filter(|part| !part.is_empty())
            .flat_map(|part| match word_parts(part) {
                parts if parts.len() > 1 => parts[..parts.len() - 1].to_vec(),
                _ => vec![part.to_lowercase()],
            })
            .take(MOST_WORDS)
            .collect();
        let own = name.rsplit('.').next().unwrap_or(name);
        let letters = own.chars().count();
        let is_initials = letters > 2 || letters == 2 && own.chars().all(char::is_uppercase);
        let (name, own) = (name.to_owned(), own.to_lowercase());
        (!words.is_empty()).then_some(Self { name, words, own, is_initials })
    }

    /// Whether it names a class, too.
    pub(crate) fn is_member(&self) -> bool {
        self.name.contains('.')
    }

    /// How much a declaration is like it: by its own name and its full one. Initials and slips are another question.
    pub(crate) fn likeness(&self, own: &str, full: &str) -> Option<NameLikeness> {
        let asked = if self.is_member() { full } else { own };
        let is_end = self.is_member()
            && full.strip_suffix(&self.name).is_some_and(|before| before.ends_with('.'));
        if asked == self.name || is_end {
            return Some(NameLikeness::Exact);
        }
        if asked.eq_ignore_ascii_case(&self.name) {
            return Some(NameLikeness::SameLetters);
        }
        let parts = word_parts(asked);
        let lower = asked.to_lowercase();
        let parts = if parts.is_empty() { vec![lower.clone()] } else { parts };
        if lower.starts_with(&self.words.concat()) || lower.starts_with(&self.words.join("_")) {
            return Some(NameLikeness::Begins);
        }
        self.words.iter().all(|word| parts.contains(word)).then_some(NameLikeness::Words)
    }

    /// Whether it may stand for another name: by its initials, or by a slip of the pen.
    pub(crate) fn stands_for(&self, own: &str) -> Option<NameLikeness> {
        if self.is_initials && initials(own).eq_ignore_ascii_case(&self.own) {
            return Some(NameLikeness::Initials);
        }
        let percent = likeness(&self.own, &own.to_lowercase());
        (percent >= SLIP).then_some(NameLikeness::Slip(Reverse(percent)))
    }
}

/// Whether a character may be part of a name.
pub(crate) fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The first letters of the words of a name: `gcai` of `getCurvedArrowInfo`.
fn initials(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let is_first = |at: &usize| {
        let (before, after) = (at.checked_sub(1).map(|at| chars[at]), chars.get(at + 1));
        let is_hump = chars[*at].is_uppercase()
            && (!before.is_some_and(char::is_uppercase) || after.is_some_and(|c| c.is_lowercase()));
        chars[*at].is_alphanumeric() && (is_hump || !before.is_some_and(char::is_alphanumeric))
    };
    (0..chars.len()).filter(is_first).map(|at| chars[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::{NameLikeness, WantedName, initials};

    #[test]
    fn initials_are_the_first_letters_of_words() {
        let check = |name: &str, expected: &str| assert_eq!(initials(name), expected, "{name}");
        check("getHTTPUrl2", "gHU");
        check("snake_case_name", "scn");
        check("$ZodIssue", "ZI");
        check("", "");
    }

    #[test]
    fn case_initials_words_and_slips_are_alike_and_others_are_not() {
        let like = |wanted: &str, name: &str| {
            let wanted = WantedName::new(wanted).unwrap();
            wanted.likeness(name, name).or_else(|| wanted.stands_for(name))
        };
        assert_eq!(like("httpbatchlink", "httpBatchLink"), Some(NameLikeness::SameLetters));
        assert_eq!(like("gcai", "getCurvedArrowInfo"), Some(NameLikeness::Initials));
        assert_eq!(like("WB", "WalkBuilder"), Some(NameLikeness::Initials));
        assert_eq!(like("wb", "WalkBuilder"), None);
        assert_eq!(like("curvedArrow", "getCurvedArrowInfo"), Some(NameLikeness::Words));
        let slip = like("getCurveArrowInfo", "getCurvedArrowInfo");
        assert!(matches!(slip, Some(NameLikeness::Slip(_))), "{slip:?}");
        assert_eq!(like("zebra", "getCurvedArrowInfo"), None);
        let near = |name: &str| like("htpBatchLink", name).unwrap();
        assert!(near("httpBatchLink") < near("httpBatchLinks"));
    }

    #[test]
    fn a_name_with_its_class_is_compared_whole() {
        let wanted = WantedName::new("Query.check").unwrap();
        assert_eq!(wanted.likeness("check", "Query.check"), Some(NameLikeness::Exact));
        assert_eq!(wanted.likeness("check", "db.Query.check"), Some(NameLikeness::Exact));
        assert_eq!(wanted.likeness("check", "MyQuery.check"), Some(NameLikeness::Words));
        assert!(WantedName::new(" . ").is_none());
    }
}
