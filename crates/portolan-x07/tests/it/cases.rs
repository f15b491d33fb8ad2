//! The conformance cases and their inputs.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use portolan_x07::{Closure, Enclosure, SliceRequest};
use serde_json::Value;

pub(crate) fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

pub(crate) fn inputs() -> BTreeMap<String, Vec<u8>> {
    [include_str!("../conformance/inputs-1.jsonl"), include_str!("../conformance/inputs-2.jsonl")]
        .into_iter()
        .flat_map(lines)
        .map(|input| {
            let bytes = match input["text"].as_str() {
                Some(text) => text.as_bytes().to_vec(),
                None => BASE64.decode(input["base64"].as_str().unwrap().as_bytes()).unwrap(),
            };
            (input["name"].as_str().unwrap().to_owned(), bytes)
        })
        .collect()
}

pub(crate) fn request(args: &Value) -> SliceRequest {
    let bound = |name: &str| args[name].as_str().map(|bound| bound.parse().unwrap());
    SliceRequest {
        ptr: args["ptr"].as_str().unwrap().to_owned(),
        enclosure: match args["enclosure"].as_str() {
            None | Some("decl") => Enclosure::Decl,
            Some("defn") => Enclosure::Defn,
            _ => Enclosure::Module,
        },
        closure: match args["closure"].as_str() {
            Some("locals") => Closure::Locals,
            Some("types") => Closure::Types,
            Some("imports") => Closure::Imports,
            _ => Closure::All,
        },
        max_nodes: bound("max-nodes"),
        max_bytes: bound("max-bytes"),
    }
}

pub(crate) fn cases() -> impl Iterator<Item = Value> {
    lines(include_str!("../conformance/cases.jsonl"))
}
