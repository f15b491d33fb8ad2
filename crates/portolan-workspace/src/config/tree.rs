//! A configuration file as a tree with the position of each value.
//!
//! Both formats give the same tree, so that a wrong value is reported with its line and column
//! either way. This module does not know the keys.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};

/// Line and column of a value, both from 1.
pub(super) type Position = (u32, u32);

/// A value and its position.
#[derive(Debug)]
pub(super) struct Located {
    pub(super) value: ConfigTree,
    pub(super) position: Position,
}

/// A value of a configuration file.
#[derive(Debug)]
pub(super) enum ConfigTree {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Located>),
    Map(Vec<(Key, Located)>),
}

/// A key and its position.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) position: Position,
}

/// The reason why a text is not a tree.
#[derive(Debug)]
pub(super) struct TreeError {
    pub(super) message: String,
    pub(super) position: Option<Position>,
}

/// A configuration has four levels. Each level costs stack, of which a thread may have little.
const MAX_DEPTH: usize = 16;

/// Parses YAML. The parser's budget bounds aliases, nesting and size.
pub(super) fn from_yaml(text: &str) -> Result<Located, TreeError> {
    let budget = serde_saphyr::budget! { max_depth: MAX_DEPTH };
    let options =
        serde_saphyr::options! { budget: budget, with_snippet: false, strict_booleans: true };
    let mut tree =
        serde_saphyr::from_str_with_options(text, options).map_err(|error| TreeError {
            message: without_position(&error.without_snippet().to_string()),
            position: error.location().map(|at| editor_position(text, at)),
        })?;
    to_editor_positions(text, &mut tree);
    Ok(tree)
}

/// Parses JSON: first checks it with the stricter grammar, then parses it as YAML, which gives the
/// positions.
pub(super) fn from_json(text: &str) -> Result<Located, TreeError> {
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| TreeError {
        message: without_position(&error.to_string()),
        position: Some((error.line() as u32, error.column() as u32)),
    })?;
    // The only JSON that YAML rejects is a tab as indentation.
    from_yaml(&text.replace('\t', " "))
}

/// The parser's message without the position at its end, because we print it in our own form.
fn without_position(message: &str) -> String {
    let end = message.rfind(" at line ").unwrap_or(message.len());
    message[..end].to_owned()
}

impl ConfigTree {
    /// The kind of a value, for a message such as "expected a list, found …".
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Null => "nothing".to_owned(),
            Self::Bool(value) => format!("the boolean `{value}`"),
            Self::Integer(value) => format!("the number `{value}`"),
            Self::Float(value) => format!("the number `{value}`"),
            Self::Text(text) => format!("the text `{text}`"),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) => "a map".to_owned(),
        }
    }
}

impl<'de> Deserialize<'de> for Located {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<ConfigTree>::deserialize(deserializer)?;
        Ok(Self { value: spanned.value, position: position(spanned.referenced) })
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<String>::deserialize(deserializer)?;
        Ok(Self { name: spanned.value, position: position(spanned.referenced) })
    }
}

impl<'de> Deserialize<'de> for ConfigTree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = ConfigTree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a number, a boolean, a list or a map")
    }

    fn visit_unit<E>(self) -> Result<ConfigTree, E> {
        Ok(ConfigTree::Null)
    }

    fn visit_none<E>(self) -> Result<ConfigTree, E> {
        Ok(ConfigTree::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<ConfigTree, D::Error> {
        ConfigTree::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<ConfigTree, E> {
        Ok(ConfigTree::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<ConfigTree, E> {
        Ok(ConfigTree::Integer(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<ConfigTree, E> {
        i64::try_from(value)
            .map(ConfigTree::Integer)
            .map_err(|_| E::custom("the number is too large"))
    }

    fn visit_f64<E>(self, value: f64) -> Result<ConfigTree, E> {
        Ok(ConfigTree::Float(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<ConfigTree, E> {
        Ok(ConfigTree::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<ConfigTree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(ConfigTree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<ConfigTree, A::Error> {
        let mut map: Vec<(Key, Located)> = Vec::new();
        let mut names = BTreeSet::new();
        while let Some((key, value)) = members.next_entry::<Key, Located>()? {
            if !names.insert(key.name.clone()) {
                return Err(A::Error::custom(format!("the key `{}` is there twice", key.name)));
            }
            map.push((key, value));
        }
        Ok(ConfigTree::Map(map))
    }
}

fn position(location: Location) -> Position {
    (location.line() as u32, location.column() as u32)
}

fn editor_position(text: &str, location: Location) -> Position {
    in_utf16_units(&columns(text), position(location))
}

/// The parser counts columns in characters, but our positions count UTF-16 units, as editors do.
/// For each line where that makes a difference: the units before each character and before the end.
/// Computed once per file, because the whole file may be one line.
fn columns(text: &str) -> Vec<Option<Vec<u32>>> {
    let units = |line: &str| {
        let mut before = 0;
        let starts = line.chars().map(|c| {
            before += c.len_utf16() as u32;
            before
        });
        std::iter::once(0).chain(starts).collect()
    };
    text.lines().map(|line| (!line.is_ascii()).then(|| units(line))).collect()
}

fn in_utf16_units(columns: &[Option<Vec<u32>>], (line, column): Position) -> Position {
    let units = columns.get(line.saturating_sub(1) as usize).and_then(Option::as_ref);
    let before = column.saturating_sub(1);
    let counted = |units: &Vec<u32>| units.get(before as usize).or(units.last()).copied();
    (line, units.and_then(counted).unwrap_or(before) + 1)
}

fn to_editor_positions(text: &str, tree: &mut Located) {
    let lines = columns(text);
    let mut todo = vec![tree];
    while let Some(located) = todo.pop() {
        located.position = in_utf16_units(&lines, located.position);
        match &mut located.value {
            ConfigTree::List(items) => todo.extend(items),
            ConfigTree::Map(members) => {
                for (key, value) in members {
                    key.position = in_utf16_units(&lines, key.position);
                    todo.push(value);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ConfigTree, from_json, from_yaml};

    #[test]
    fn values_and_keys_know_their_place() {
        let text = "a:\n  - x\n  - [1, 😀b: true]\n";
        let tree = from_yaml(text).unwrap();
        let ConfigTree::Map(members) = tree.value else { panic!() };
        assert_eq!(members[0].0.position, (1, 1));
        let ConfigTree::List(items) = &members[0].1.value else { panic!() };
        assert_eq!(items[0].position, (2, 5));
        let ConfigTree::List(inner) = &items[1].value else { panic!() };
        assert_eq!(inner[0].position, (3, 6));
        let ConfigTree::Map(pair) = &inner[1].value else { panic!() };
        assert_eq!(pair[0].1.position, (3, 14), "the emoji counts two units");
    }

    #[test]
    fn json_is_held_to_its_own_grammar() {
        assert!(from_json("{\n\t\"a\": [1, null, 2.5, \"\\u00e9\"]\n}").is_ok());
        let error = from_json("{\n  \"a\": 1,\n}").unwrap_err();
        assert_eq!(error.position, Some((3, 1)));
        assert!(from_json("a: 1").is_err());
    }

    #[test]
    fn a_bomb_of_aliases_is_refused() {
        let line = |level: usize| {
            let alias = format!("*a{}", level - 1);
            format!("a{level}: &a{level} [{}]\n", [alias.as_str(); 10].join(","))
        };
        let text = format!("a0: &a0 [x]\n{}", (1..12).map(line).collect::<String>());
        assert!(from_yaml(&text).is_err());
        assert!(from_yaml(&"[".repeat(100_000)).is_err());
        assert!(from_yaml(&"{a: ".repeat(100_000)).is_err());
    }

    #[test]
    fn depth_is_refused_before_it_costs_stack() {
        let read = |depth: usize| {
            let text = format!("{}x{}", "[".repeat(depth), "]".repeat(depth));
            // As little stack as a thread may have.
            let thread = std::thread::Builder::new().stack_size(1 << 20);
            thread.spawn(move || from_yaml(&text).is_ok()).unwrap().join().unwrap()
        };
        assert!(read(10));
        assert!(!read(20) && !read(60) && !read(100_000));
    }

    #[test]
    fn a_hundred_thousand_keys_or_values_on_one_line_are_read_at_once() {
        let keys: String = (0..50_000).map(|n| format!("k{n}: 1\n")).collect();
        assert!(from_yaml(&keys).is_ok());
        let line = format!("[{}\"é\"]", "\"x\",".repeat(100_000));
        assert!(from_json(&line).is_ok());
    }

    #[test]
    fn a_key_that_is_there_twice_is_refused() {
        assert!(from_yaml("a: 1\na: 2\n").is_err());
        assert!(from_json("{\"a\":1,\"a\":2}").is_err());
    }
}
