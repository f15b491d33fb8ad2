//! The tool definitions for the protocol, and the parsing of calls.

use std::sync::Arc;

use portolan_query::answers::MOST_BUDGET;
use portolan_wire::question::QuestionV1;
use rmcp::model::{JsonObject, Tool};
use serde_json::Value;

/// The request of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolRequest {
    /// A question about a repository.
    Question(QuestionV1),
    /// Whether earlier answers are still true.
    Check(Vec<String>),
}

/// The tools, in a fixed order, so that a client's cached copy stays valid.
pub(crate) fn tools() -> Result<Arc<[Tool]>, serde_json::Error> {
    serde_json::from_str::<Vec<Tool>>(crate::TOOLS).map(Into::into)
}

/// Whether a tool of this name exists: one of the list, or one that older clients call.
pub(crate) fn is_tool(name: &str) -> bool {
    matches!(name, "search" | "chart" | "look" | "read" | "pack" | "check")
}

/// Parses the arguments of a call: the root and the request. The error is for the model to read.
pub(crate) fn parse_call(
    name: &str,
    mut arguments: JsonObject,
) -> Result<(Option<String>, ToolRequest), String> {
    let root = match arguments.remove("root") {
        None | Some(Value::Null) => None,
        Some(Value::String(root)) => Some(root),
        Some(_) => return Err(format!("{name}: root is a path")),
    };
    // Models pass null for absent arguments, and a single value for a list of one.
    arguments.retain(|_, value| !value.is_null());
    for list in ["targets", "paths", "digests", "at", "patterns", "glob"] {
        if let Some(Value::String(one)) = arguments.get(list) {
            let one = Value::Array(vec![Value::String(one.clone())]);
            arguments.insert(list.to_owned(), one);
        }
    }
    if let Some(Value::Bool(is_asked)) = arguments.get("changed") {
        // `changed: true` without a revision means the default revision.
        let asked = is_asked.then(|| Value::String(String::new()));
        arguments.remove("changed");
        arguments.extend(asked.map(|usual| ("changed".to_owned(), usual)));
    }
    if let Some(budget) = arguments.get("budget").and_then(Value::as_u64) {
        arguments.insert("budget".to_owned(), budget.min(MOST_BUDGET).into());
    }
    if name != "check" {
        let question = QuestionV1::from_arguments(name, Value::Object(arguments))?;
        return Ok((root, ToolRequest::Question(question)));
    }
    let Some(Value::Array(digests)) = arguments.remove("digests") else {
        return Err("check takes digests: a list of @… from earlier answers".to_owned());
    };
    if let Some((unknown, _)) = arguments.into_iter().next() {
        return Err(format!("check: unknown field `{unknown}`, expected `digests` or `root`"));
    }
    let digests = digests.into_iter().map(|digest| match digest {
        Value::String(digest) => Ok(digest),
        _ => Err("check: a digest is text such as @9f86d081884c7d65".to_owned()),
    });
    Ok((root, ToolRequest::Check(digests.collect::<Result<_, _>>()?)))
}

#[cfg(test)]
mod tests {
    use portolan_chat::guide::tokens;
    use portolan_wire::question::QuestionV1;
    use serde_json::{Value, json};

    use super::{ToolRequest, is_tool, parse_call, tools};

    fn check(name: &str, arguments: Value) -> Result<(Option<String>, ToolRequest), String> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        parse_call(name, arguments)
    }

    #[test]
    fn the_texts_mention_atlases() {
        assert!(crate::TOOLS.contains("in an atlas ecosystem:package[#export] or name"));
        assert!(crate::TOOLS.contains("Repository, worktree or atlas"));
    }

    #[test]
    fn the_list_costs_a_session_at_most_750_tokens() {
        let all = tools().unwrap();
        let seen: Vec<Value> = all
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name,
                    "description": tool.description,
                    "inputSchema": *tool.input_schema,
                })
            })
            .collect();
        let cost = tokens(&serde_json::to_string(&seen).unwrap());
        let wire = tokens(&serde_json::to_string(&*all).unwrap());
        assert!(wire <= 750, "{wire} tokens on the wire, {cost} as a model sees them");
        assert!(tokens(crate::INSTRUCTIONS) <= 300, "{}", tokens(crate::INSTRUCTIONS));
    }

    #[test]
    fn every_tool_only_reads_takes_a_root_and_has_plain_types() {
        for tool in tools().unwrap().iter() {
            assert!(is_tool(&tool.name));
            let hints = tool.annotations.as_ref().unwrap();
            assert_eq!((hints.read_only_hint, hints.open_world_hint), (Some(true), Some(false)));
            let properties = tool.input_schema["properties"].as_object().unwrap();
            assert!(properties.contains_key("root"), "{}", tool.name);
            assert!(properties.values().all(|property| property["type"].is_string()));
            assert_eq!(tool.input_schema["additionalProperties"], false);
            assert!(tool.output_schema.is_none());
        }
    }

    #[test]
    fn every_argument_of_a_schema_is_accepted() {
        for tool in tools().unwrap().iter() {
            let mut arguments = serde_json::Map::new();
            for (name, property) in tool.input_schema["properties"].as_object().unwrap() {
                let value = match (property["type"].as_str().unwrap(), property["enum"].get(0)) {
                    (_, Some(first)) => first.clone(),
                    ("array", _) => json!(["a"]),
                    ("boolean", _) => json!(true),
                    ("integer", _) if name == "depth" => json!(2),
                    ("integer", _) => json!(900),
                    _ => json!("a"),
                };
                arguments.insert(name.clone(), value);
            }
            let asked = parse_call(&tool.name, arguments);
            assert_eq!(asked.unwrap().0.as_deref(), Some("a"), "{}", tool.name);
        }
    }

    #[test]
    fn a_single_target_need_not_be_a_list_and_null_is_absent() {
        let (root, one) = check("look", json!({"targets": "src/a.ts", "side": null})).unwrap();
        let (_, list) = check("look", json!({"targets": ["src/a.ts"]})).unwrap();
        assert_eq!((root, one), (None, list));
    }

    #[test]
    fn changed_without_a_revision_uses_the_default() {
        let (_, usual) = check("pack", json!({"changed": true, "at": "src/a.ts:3"})).unwrap();
        let (_, same) = check("pack", json!({"changed": "", "at": ["src/a.ts:3"]})).unwrap();
        assert_eq!(usual, same);
        assert_eq!(check("chart", json!({"changed": false})), check("chart", json!({})));
    }

    #[test]
    fn a_budget_over_the_limit_is_clamped() {
        let (_, asked) = check("chart", json!({"budget": 1_000_000})).unwrap();
        let ToolRequest::Question(QuestionV1::Chart(chart)) = asked else { panic!("{asked:?}") };
        assert_eq!(chart.budget, Some(20_000));
    }

    #[test]
    fn wrong_arguments_give_clear_errors() {
        let said = |name, arguments| check(name, arguments).unwrap_err();
        assert!(said("look", json!({"path": "a"})).contains("unknown field `path`"));
        assert!(said("check", json!({})).contains("digests"));
        assert!(said("check", json!({"digests": [1]})).contains("a digest is text"));
        assert!(said("read", json!({"targets": ["a"], "root": 1})).contains("root is a path"));
    }
}
