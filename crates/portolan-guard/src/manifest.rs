//! Kubernetes secrets as YAML means them. Anchors, tags, merge keys, folded texts and escapes are ways to write the same
//! manifest, and a search by lines sees few of them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::DuplicateKeyPolicy;

use crate::kube::{Section, rule_of};
use crate::steps;

/// Longer texts are searched by lines alone: a manifest may have a megabyte.
const LONGEST: usize = 1 << 20;

/// No manifest is nested deeper. Each level costs stack, of which a thread may have little.
const DEEPEST: usize = 24;

/// A value of a manifest.
enum Node {
    Scalar(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// The rule and the value of the first secret in the manifests of a text; `None` if there is none, or it is no YAML.
pub(crate) fn secret(text: &[u8]) -> Option<(&'static str, String)> {
    let text = str::from_utf8(text).ok().filter(|text| text.len() <= LONGEST)?;
    steps::add(8 * text.len());
    let documents = parsed(text).or_else(|| {
        // An anchor of an earlier document is none in this one. Who writes so means it.
        let is_mark = |line: &str| line.trim_end() == "---";
        let joined: String = text
            .split_inclusive('\n')
            .map(|line| if is_mark(line) { "\n" } else { line })
            .collect();
        (joined.len() != text.len()).then(|| parsed(&joined)).flatten()
    });
    documents?.iter().find_map(within)
}

fn parsed(text: &str) -> Option<Vec<Node>> {
    let budget = serde_saphyr::budget! { max_depth: DEEPEST };
    let options = serde_saphyr::options! {
        budget: budget,
        with_snippet: false,
        duplicate_keys: DuplicateKeyPolicy::LastWins,
    };
    serde_saphyr::from_multiple_with_options(text, options).ok()
}

/// The secret of a manifest, or of one inside.
fn within(node: &Node) -> Option<(&'static str, String)> {
    match node {
        Node::Scalar(_) => None,
        Node::List(nodes) => nodes.iter().find_map(within),
        Node::Map(pairs) => {
            let is_secret = pairs.iter().any(|(key, value)| {
                key == "kind"
                    && matches!(value, Node::Scalar(kind) if matches!(kind.trim(), "Secret" | "SecretList"))
            });
            let own = || {
                let sections = pairs.iter().filter_map(|(key, value)| match key.as_str() {
                    "data" => Some((Section::Data, value)),
                    "stringData" => Some((Section::StringData, value)),
                    _ => None,
                });
                sections.into_iter().find_map(|(section, value)| given(section, "", value))
            };
            let own = is_secret.then(own).flatten();
            own.or_else(|| pairs.iter().find_map(|(_, value)| within(value)))
        }
    }
}

/// The first secret among the values of a section.
fn given(section: Section, name: &str, node: &Node) -> Option<(&'static str, String)> {
    match node {
        Node::Scalar(value) => {
            // Lines of base64 are one value; those of a text are one each.
            let whole: String = value.split_whitespace().collect();
            let mut texts = match section {
                Section::Data => vec![whole.as_str()],
                Section::StringData => value.lines().map(str::trim).collect(),
            };
            texts.retain(|text| !text.is_empty());
            texts.iter().find_map(|text| Some((rule_of(section, name, text)?, value.clone())))
        }
        Node::List(nodes) => nodes.iter().find_map(|node| given(section, name, node)),
        Node::Map(pairs) => pairs.iter().find_map(|(key, node)| given(section, key, node)),
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Scalar(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Scalar(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Scalar(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Scalar(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Scalar(value.to_owned()))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Node, E> {
        Ok(Node::Scalar(String::from_utf8_lossy(value).into_owned()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(String::new()))
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(String::new()))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = access.next_element()? {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut pairs = Vec::new();
        while let Some((key, value)) = access.next_entry::<Node, Node>()? {
            match (key, value) {
                (Node::Scalar(key), value) => pairs.push((key, value)),
                // A key that is no text has no name; its values count.
                (_, value) => pairs.push((String::new(), value)),
            }
        }
        Ok(Node::Map(pairs))
    }
}
