//! What agents read: a section of `AGENTS.md`, a skill, and how their clients start the server.
//!
//! Whatever is there stays: a section is added once, a server is added to the others. Clients that have a
//! folder of their own get their file only where that folder is.

use portolan_json::{Json, Located};
use portolan_types::RepoPath;

use super::{Action, Draft, InitError, PlannedFile, Site, at_root, with_lines};

/// The section, which begins with its heading.
const SECTION: &str = include_str!("agents.md");
const SKILL: &str = include_str!("skill.md");

/// A file that tells a client which servers to start.
struct Client {
    path: &'static str,
    form: Form,
}

enum Form {
    /// JSON: the member that has the servers.
    Json(&'static str),
    /// TOML: a table a server.
    Toml,
}

/// The first is read by many; the others stand in a folder of their client.
const CLIENTS: [Client; 9] = [
    Client { path: ".mcp.json", form: Form::Json("mcpServers") },
    Client { path: ".amazonq/mcp.json", form: Form::Json("mcpServers") },
    Client { path: ".cursor/mcp.json", form: Form::Json("mcpServers") },
    Client { path: ".gemini/settings.json", form: Form::Json("mcpServers") },
    Client { path: ".junie/mcp/mcp.json", form: Form::Json("mcpServers") },
    Client { path: ".kiro/settings/mcp.json", form: Form::Json("mcpServers") },
    Client { path: ".roo/mcp.json", form: Form::Json("mcpServers") },
    Client { path: ".vscode/mcp.json", form: Form::Json("servers") },
    Client { path: ".codex/config.toml", form: Form::Toml },
];

impl Site<'_> {
    /// One draft a file.
    pub(super) fn agent_drafts(&self, refresh: bool) -> Result<Vec<Draft>, InitError> {
        let mut drafts = Vec::new();
        if let Some(path) = at_root("AGENTS.md") {
            drafts.push(self.section(path, refresh)?);
        }
        if let Some(path) = at_root(".claude/skills/portolan/SKILL.md") {
            let draft = self.unless_there(path, SKILL.to_owned())?;
            drafts.push(if refresh { draft.replaced_by(SKILL) } else { draft });
        }
        for client in CLIENTS {
            let Some(path) = at_root(client.path) else { continue };
            let folder = path.parent().and_then(|folder| RepoPath::new(folder).ok());
            if folder.is_none_or(|folder| self.has_folder(&folder)) {
                drafts.push(self.server(path, &client.form)?);
            }
        }
        Ok(drafts)
    }

    /// The section in `AGENTS.md`, up to the next heading of its rank.
    fn section(&self, path: RepoPath, refresh: bool) -> Result<Draft, InitError> {
        let Some(text) = self.text(&path)? else { return Ok(super::created(path, SECTION.into())) };
        let heading = SECTION.lines().next().unwrap_or_default();
        let Some(old) = section_of(&text, heading) else {
            let gap = if text.is_empty() { "" } else { "\n" };
            let bytes = with_lines(&text, &[format!("{gap}{}", SECTION.trim_end())]).into_bytes();
            let action = Action::Append(vec![heading.to_owned()]);
            return Ok(Draft { step: PlannedFile { path, action }, bytes });
        };
        let draft = Draft {
            step: PlannedFile { path, action: Action::Keep },
            bytes: text.clone().into_bytes(),
        };
        let new = text.replacen(old, SECTION, 1);
        Ok(if refresh { draft.replaced_by(&new) } else { draft })
    }

    fn server(&self, path: RepoPath, form: &Form) -> Result<Draft, InitError> {
        let text = self.text(&path)?;
        let is_new = text.is_none();
        let before = text.unwrap_or_default();
        let (after, line) = match form {
            Form::Toml => (with_table(&before), "[mcp_servers.portolan]"),
            Form::Json(group) => {
                let after = with_server(&before, group)
                    .map_err(|why| InitError::NotJson { path: path.clone(), why })?;
                (after, "\"portolan\": { … }")
            }
        };
        let action = match &after {
            None => Action::Keep,
            Some(_) if is_new => Action::Create,
            Some(_) => Action::Append(vec![line.to_owned()]),
        };
        let bytes = after.unwrap_or(before).into_bytes();
        Ok(Draft { step: PlannedFile { path, action }, bytes })
    }

    fn has_folder(&self, folder: &RepoPath) -> bool {
        let place = self.root.join(folder);
        self.root.system.lstat(&place).is_ok() && self.root.check_dir(folder).is_ok()
    }

    /// The text of a file, where there is one.
    fn text(&self, path: &RepoPath) -> Result<Option<String>, InitError> {
        let bytes = self.read(path)?;
        let text = bytes.map(String::from_utf8).transpose();
        text.map_err(|_| InitError::NotText { path: path.clone() })
    }
}

impl Draft {
    /// The same file with this text, where it has another.
    fn replaced_by(self, text: &str) -> Self {
        if self.step.action != Action::Keep || self.bytes == text.as_bytes() {
            return self;
        }
        let step = PlannedFile { action: Action::Replace, ..self.step };
        Self { step, bytes: text.as_bytes().to_vec() }
    }
}

/// The part of a text from a heading to the next one that is not below it.
fn section_of<'t>(text: &'t str, heading: &str) -> Option<&'t str> {
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match start {
            None if line.trim_end() == heading => start = Some(at),
            Some(start) if line.starts_with("# ") || line.starts_with("## ") => {
                return text.get(start..at);
            }
            _ => {}
        }
        at += line.len();
    }
    text.get(start?..)
}

/// The text with our table at its end; nothing where it is there.
fn with_table(text: &str) -> Option<String> {
    if text.lines().any(|line| line.trim() == "[mcp_servers.portolan]") {
        return None;
    }
    let gap = if text.is_empty() { "" } else { "\n" };
    let table = format!("{gap}[mcp_servers.portolan]\ncommand = \"portolan\"\nargs = [\"mcp\"]");
    Some(with_lines(text, &[table]))
}

/// The text with our server among those of `group`; nothing where it is there. What stands in the text
/// stays as it is written, comments too.
fn with_server(text: &str, group: &str) -> Result<Option<String>, String> {
    const SERVER: &str = r#""portolan": { "command": "portolan", "args": ["mcp"] }"#;
    if text.trim().is_empty() {
        return Ok(Some(format!("{{\n  \"{group}\": {{\n    {SERVER}\n  }}\n}}\n")));
    }
    let document = portolan_json::parse(text.as_bytes()).map_err(|error| error.to_string())?;
    let root = &document.root;
    let Json::Object(_) = root.json else { return Err("it is not a JSON object".to_owned()) };
    let (place, member) = match root.get(group) {
        None => (root, format!("\"{group}\": {{\n    {SERVER}\n  }}")),
        Some(servers) if servers.get("portolan").is_some() => return Ok(None),
        Some(servers @ Located { json: Json::Object(_), .. }) => (servers, SERVER.to_owned()),
        Some(_) => return Err(format!("its `{group}` is not an object")),
    };
    let indent = if std::ptr::eq(place, root) { "  " } else { "    " };
    let behind =
        if place.members().is_empty() { format!("\n{}", &indent[2..]) } else { ",".into() };
    let mut with = text.to_owned();
    with.insert_str(place.at + 1, &format!("\n{indent}{member}{behind}"));
    Ok(Some(with))
}

#[cfg(test)]
mod tests {
    use super::{SECTION, SKILL, section_of, with_server, with_table};

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(with_server(text, "mcpServers").unwrap().as_deref(), expected);
    }

    #[test]
    fn a_server_is_added_to_the_others_and_never_twice() {
        let new = "{\n  \"mcpServers\": {\n    \"portolan\": { \"command\": \"portolan\", \"args\": [\"mcp\"] }\n  }\n}\n";
        check("", Some(new));
        check(new, None);
        check(
            "{\n  // ours\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n",
            Some(
                "{\n  // ours\n  \"mcpServers\": {\n    \"portolan\": { \"command\": \"portolan\", \"args\": [\"mcp\"] },\n    \"b\": {}\n  }\n}\n",
            ),
        );
        check(
            "{\"a\": 1}",
            Some(
                "{\n  \"mcpServers\": {\n    \"portolan\": { \"command\": \"portolan\", \"args\": [\"mcp\"] }\n  },\"a\": 1}",
            ),
        );
        assert!(with_server("[]", "mcpServers").is_err());
        assert!(with_server("{\"mcpServers\": 1}", "mcpServers").is_err());
    }

    #[test]
    fn a_table_is_added_behind_the_others() {
        let once = with_table("model = \"x\"").unwrap();
        assert!(once.starts_with("model = \"x\"\n\n[mcp_servers.portolan]\n"), "{once}");
        assert_eq!(with_table(&once), None);
    }

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_rank() {
        let text = "# A\n\n## Portolan\n\nold\n\n### more\n\n## B\n";
        assert_eq!(section_of(text, "## Portolan"), Some("## Portolan\n\nold\n\n### more\n\n"));
        assert_eq!(section_of(text, "## C"), None);
    }

    #[test]
    fn what_every_session_pays_for_is_short() {
        for text in [SECTION, SKILL] {
            assert!(portolan_tokens::count(text) <= 300, "{}", portolan_tokens::count(text));
        }
    }
}
