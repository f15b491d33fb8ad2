//! The tool definitions for the protocol, and the parsing of calls.

use std::sync::Arc;

use portolan_query::answers::MOST_BUDGET;
use portolan_wire::question::{Budget, CheckQuestionV1, QuestionV1};
use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

/// The tool that asks earlier questions again.
const CHECK: &str = "check";

/// Another name of a search for declarations.
const FIND: &str = "find";

/// The request of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolRequest {
    /// A question about a repository.
    Question(QuestionV1),
    /// Whether earlier answers are still true.
    Check(Vec<String>),
}

/// A tool of the list: its name, its title, whether clients that load tools late load it at once, and the habit that it
/// replaces. Its arguments are those of its question.
type ListedTool = (&'static str, &'static str, bool, &'static str);

/// The list, in a fixed order, so that a client's cached copy stays valid.
const LISTED: [ListedTool; 4] = [
    (
        "search",
        "Search",
        true,
        "Instead of grep -rn: every line that matches, below the function or class that holds it, best files first. \
         With task: the ten places it is about.",
    ),
    (
        "look",
        "Look around",
        true,
        "What does this need, who uses it? Instead of grep for imports, callers and impact: every use, certain or \
         possible (~), through barrels, aliases, bases and workspaces. None is said only where it was proved.",
    ),
    (
        "read",
        "Read declarations",
        true,
        "Instead of sed -n and cat: declarations, lines or tests, numbered and verbatim, several in one call. Of a long \
         file the outline.",
    ),
    (
        "pack",
        "Pack",
        false,
        "Everything needed for one thing: to repair a failure (output of a compiler, linter or test run, as it is), do \
         a task, review a change, edit a place.",
    ),
];

/// The tools that a client may list.
pub(crate) fn tools() -> Result<Arc<[Tool]>, serde_json::Error> {
    let tools = LISTED.iter().map(|(name, title, is_loaded, description)| {
        let mut tool = json!({
            "name": name,
            "title": title,
            "description": description,
            "inputSchema": input_schema(name),
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        });
        if *is_loaded {
            tool["_meta"] = json!({ "anthropic/alwaysLoad": true });
        }
        serde_json::from_value(tool)
    });
    tools.collect()
}

/// The arguments that the list shows of a question: those whose schema has a `tool`, in plain types and with that
/// description, and the root.
fn input_schema(name: &str) -> Value {
    let schema = QuestionV1::arguments_schema(name).unwrap_or_default();
    let mut properties = JsonObject::new();
    for (property, of_type) in schema["properties"].as_object().into_iter().flatten() {
        let Some(description) = of_type["tool"].as_str() else { continue };
        let mut plain = plain_type(&schema, of_type);
        if !description.is_empty() {
            plain["description"] = description.into();
        }
        properties.insert(property.clone(), plain);
    }
    let mut root = json!({ "type": "string" });
    // Once is enough: it is the same for every tool.
    if LISTED.first().is_some_and(|(first, ..)| *first == name) {
        root["description"] = "Repository, worktree or atlas, default the server's".into();
    }
    properties.insert("root".to_owned(), root);
    let mut input = json!({ "type": "object", "properties": properties });
    if let Some(required) = schema.get("required") {
        input["required"] = required.clone();
    }
    input["additionalProperties"] = false.into();
    input
}

/// The type of an argument without `null`, bounds and references: some clients take no other.
fn plain_type(schema: &Value, of_type: &Value) -> Value {
    let is_null = |it: &Value| it["type"] == "null";
    if let Some(any) = of_type["anyOf"].as_array() {
        let some = any.iter().find(|it| !is_null(it)).unwrap_or(&Value::Null);
        return plain_type(schema, some);
    }
    if let Some(name) = of_type["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        return plain_type(schema, &schema["$defs"][name]);
    }
    if let Some(variants) = of_type["oneOf"].as_array() {
        let words: Vec<&Value> = variants.iter().map(|variant| &variant["const"]).collect();
        return json!({ "type": "string", "enum": words });
    }
    let word = match &of_type["type"] {
        Value::Array(types) => types.iter().find(|it| *it != "null").unwrap_or(&Value::Null),
        word => word,
    };
    match word.as_str() {
        Some("array") => json!({ "type": "array", "items": { "type": "string" } }),
        _ => json!({ "type": word }),
    }
}

/// Whether a tool of this name exists: one of the list, or one that older clients call.
pub(crate) fn is_tool(name: &str) -> bool {
    name == CHECK || name == FIND || QuestionV1::arguments_schema(name).is_some()
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
    for list in ["targets", "paths", "digests", "at", "patterns", "glob", "match"] {
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
    let name = if name == FIND {
        let patterns = arguments.remove("name").map(|name| json!([name]));
        arguments.extend(patterns.map(|patterns| ("patterns".to_owned(), patterns)));
        arguments.insert("names".to_owned(), Value::Bool(true));
        "search"
    } else {
        name
    };
    let arguments = Value::Object(arguments);
    if name == CHECK {
        let question: CheckQuestionV1 =
            serde_json::from_value(arguments).map_err(|error| format!("{name}: {error}"))?;
        return Ok((root, ToolRequest::Check(question.digests)));
    }
    let mut question = QuestionV1::from_arguments(name, arguments)?;
    let budget = question.budget_mut();
    *budget = budget.and_then(|budget| Budget::new(budget.tokens().min(MOST_BUDGET)));
    Ok((root, ToolRequest::Question(question)))
}

#[cfg(test)]
mod tests {
    use portolan_chat::guide::tokens;
    use portolan_wire::question::{Budget, QuestionV1};
    use serde_json::{Value, json};

    use super::{ToolRequest, is_tool, parse_call, tools};

    fn check(name: &str, arguments: Value) -> Result<(Option<String>, ToolRequest), String> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        parse_call(name, arguments)
    }

    #[test]
    fn the_texts_mention_atlases() {
        let list = serde_json::to_string(&*tools().unwrap()).unwrap();
        assert!(list.contains("in an atlas ecosystem:package[#export] or name"));
        assert!(list.contains("Repository, worktree or atlas"));
    }

    #[test]
    fn find_is_a_search_for_names() {
        let (_, found) = check("find", json!({"name": "Cart", "limit": 5})).unwrap();
        let names = json!({"patterns": ["Cart"], "names": true, "limit": 5});
        let (_, searched) = check("search", names).unwrap();
        assert!(is_tool("find"));
        assert_eq!(found, searched);
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
    fn the_arguments_of_a_tool_are_those_of_its_question() {
        let all = tools().unwrap();
        let names: Vec<&str> = all.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["search", "look", "read", "pack"]);
        let look = serde_json::to_value(&all[1]).unwrap();
        assert_eq!(
            look["inputSchema"]["properties"]["side"],
            json!({"type": "string", "enum": ["needs", "users", "both", "overrides"]})
        );
        assert_eq!(look["inputSchema"]["properties"]["budget"], json!({"type": "integer"}));
        assert_eq!(look["inputSchema"]["required"], json!(["targets"]));
        let search = serde_json::to_value(&all[0]).unwrap();
        assert_eq!(
            search["inputSchema"]["properties"]["patterns"],
            json!({"type": "array", "items": {"type": "string"}, "description": "Rust regex"})
        );
        assert!(search["inputSchema"]["properties"].get("names").is_none(), "{search}");
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
        assert_eq!(chart.budget, Budget::new(20_000));
    }

    #[test]
    fn wrong_arguments_give_clear_errors() {
        let said = |name, arguments| check(name, arguments).unwrap_err();
        assert!(said("look", json!({"path": "a"})).contains("unknown field `path`"));
        assert!(said("check", json!({})).contains("digests"));
        assert!(said("check", json!({"digests": [1]})).contains("expected a string"));
        assert!(said("read", json!({"targets": ["a"], "budget": "many"})).contains("such as"));
        assert!(said("read", json!({"targets": ["a"], "root": 1})).contains("root is a path"));
    }
}
