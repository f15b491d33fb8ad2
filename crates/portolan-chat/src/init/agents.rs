//! Writes the files for agents: a section of `AGENTS.md`, a skill, and the server lists of their
//! clients.
//!
//! Existing content stays: a section is added once, and a server is added to a list. A client with
//! a folder of its own gets its file only if that folder or the file exists.

mod undo;

use std::ops::Range;

use portolan_json::{Json, LocatedJson};
use portolan_types::RepoPath;
use portolan_workspace::is_own_agent_line as is_own_line;

use super::{
    Action, InitDraft, InitError, InitRequest, PlannedFile, Site, at_root, line_end, with_lines,
};

/// The section, starting with its heading.
const SECTION: &str = include_str!("agents.md");
const SKILL: &str = include_str!("skill.md");
const SKILL_PATH: &str = ".claude/skills/portolan/SKILL.md";
/// What shows that Claude Code is used in a repository.
const CLAUDE: [&str; 3] = [".claude", "CLAUDE.md", ".mcp.json"];

/// A client, and the file that lists its servers.
struct Client {
    /// The possible names of its file; a new file gets the first one.
    paths: &'static [&'static str],
    /// The folder that shows that the client is used; `None` for Claude Code.
    folder: Option<&'static str>,
    form: Form,
}

enum Form {
    /// JSON: the member with the servers, and our entry.
    Json { group: &'static str, server: &'static str },
    /// TOML: one table per server.
    Toml,
}

impl Form {
    /// The format of most clients, below a member of this name.
    const fn common(group: &'static str) -> Self {
        Self::Json { group, server: r#""portolan": { "command": "portolan", "args": ["mcp"] }"# }
    }
}

const fn client(paths: &'static [&'static str], folder: &'static str, form: Form) -> Client {
    Client { paths, folder: Some(folder), form }
}

const OPENCODE: Form = Form::Json {
    group: "mcp",
    server: r#""portolan": { "type": "local", "command": ["portolan", "mcp"] }"#,
};

/// Claude Code reads the first file, as others do; each of the others belongs to one client.
const CLIENTS: [Client; 11] = [
    Client { paths: &[".mcp.json"], folder: None, form: Form::common("mcpServers") },
    client(&[".amazonq/mcp.json"], ".amazonq", Form::common("mcpServers")),
    client(&[".cursor/mcp.json"], ".cursor", Form::common("mcpServers")),
    client(&[".gemini/settings.json"], ".gemini", Form::common("mcpServers")),
    client(&[".junie/mcp/mcp.json"], ".junie", Form::common("mcpServers")),
    client(&[".kiro/settings/mcp.json"], ".kiro", Form::common("mcpServers")),
    client(&["opencode.json", "opencode.jsonc"], ".opencode", OPENCODE),
    client(&[".roo/mcp.json"], ".roo", Form::common("mcpServers")),
    client(&[".vscode/mcp.json"], ".vscode", Form::common("servers")),
    client(&[".zed/settings.json"], ".zed", Form::common("context_servers")),
    client(&[".codex/config.toml"], ".codex", Form::Toml),
];

impl Site<'_> {
    /// One draft per file.
    pub(super) fn agent_drafts(&self, request: &InitRequest) -> Result<Vec<InitDraft>, InitError> {
        let refresh = request.refresh;
        let is_there = |name: &&str| self.root.system.lstat(&self.root.path.join(name)).is_ok();
        let has_claude = request.has_claude || CLAUDE.iter().any(is_there);
        let mut drafts = Vec::new();
        if let Some(path) = at_root("AGENTS.md") {
            drafts.push(self.section(path, refresh)?);
        }
        if let Some(path) = at_root(SKILL_PATH).filter(|_| has_claude) {
            let made = self.folder_to_make();
            let draft = self.unless_there(path, skill_text(made.as_deref()))?;
            let made = String::from_utf8_lossy(&draft.bytes);
            let text = skill_text(made_folder(&made));
            drafts.push(if refresh { draft.replaced_by(&text) } else { draft });
        }
        for client in &CLIENTS {
            if let Some(path) = self.file_of(client, has_claude)? {
                drafts.push(self.server(path, &client.form)?);
            }
        }
        Ok(drafts)
    }

    /// The file of a client, if it is used: its folder or the file exists.
    fn file_of(&self, client: &Client, has_claude: bool) -> Result<Option<RepoPath>, InitError> {
        let paths: Vec<RepoPath> = client.paths.iter().filter_map(|path| at_root(path)).collect();
        for path in &paths {
            if self.read(path)?.is_some() {
                return Ok(Some(path.clone()));
            }
        }
        let folder = client.folder.and_then(at_root);
        let is_used = folder.map_or(has_claude, |folder| self.has_folder(&folder));
        Ok(paths.into_iter().next().filter(|_| is_used))
    }

    /// The section in `AGENTS.md`, up to the next heading of the same level.
    fn section(&self, path: RepoPath, refresh: bool) -> Result<InitDraft, InitError> {
        let Some(text) = self.text(&path)? else { return Ok(super::created(path, SECTION.into())) };
        let heading = SECTION.lines().next().unwrap_or_default();
        let ours = SECTION.trim_end();
        let Some(old) = section_of(&text, heading) else {
            let gap = if text.is_empty() { "" } else { "\n" };
            let bytes = with_lines(&text, &[format!("{gap}{ours}")]).into_bytes();
            let action = Action::Append(vec![heading.to_owned()]);
            return Ok(InitDraft { step: PlannedFile { path, action }, bytes });
        };
        let draft = InitDraft {
            step: PlannedFile { path, action: Action::Keep },
            bytes: text.clone().into_bytes(),
        };
        let line_end = line_end(&text);
        let ours = ours.replace('\n', line_end);
        // Keep the empty lines before the next heading.
        let section = text.get(old.clone()).unwrap_or_default().trim_end();
        if !refresh || section.starts_with(&ours) {
            return Ok(draft);
        }
        let mut new = text.clone();
        let theirs = foreign_lines(section, line_end);
        let gap = if theirs.is_empty() { String::new() } else { line_end.repeat(2) };
        new.replace_range(old.start..old.start + section.len(), &format!("{ours}{gap}{theirs}"));
        Ok(draft.replaced_by(&new))
    }

    /// The outermost folder above the skill that is not there yet, but for its own.
    fn folder_to_make(&self) -> Option<String> {
        let folders = SKILL_PATH.match_indices('/').map(|(end, _)| &SKILL_PATH[..end]);
        let is_there = |folder: &&str| self.root.system.lstat(&self.root.path.join(folder)).is_ok();
        folders.into_iter().find(|folder| !is_there(folder)).map(str::to_owned)
    }

    fn server(&self, path: RepoPath, form: &Form) -> Result<InitDraft, InitError> {
        let text = self.text(&path)?;
        let is_new = text.is_none();
        let before = text.unwrap_or_default();
        let (after, line) = match form {
            Form::Toml => (with_table(&before), "[mcp_servers.portolan]"),
            Form::Json { group, server } => {
                (with_server(&before, group, server), "\"portolan\": { … }")
            }
        };
        let after = after.map_err(|why| InitError::Servers { path: path.clone(), why })?;
        let action = match &after {
            None => Action::Keep,
            Some(_) if is_new => Action::Create,
            Some(_) => Action::Append(vec![line.to_owned()]),
        };
        let bytes = after.unwrap_or(before).into_bytes();
        Ok(InitDraft { step: PlannedFile { path, action }, bytes })
    }

    fn has_folder(&self, folder: &RepoPath) -> bool {
        let place = self.root.join(folder);
        self.root.system.lstat(&place).is_ok() && self.root.check_dir(folder).is_ok()
    }

    /// The text of a file, if it exists.
    fn text(&self, path: &RepoPath) -> Result<Option<String>, InitError> {
        let bytes = self.read(path)?;
        let text = bytes.map(String::from_utf8).transpose();
        text.map_err(|_| InitError::NotText { path: path.clone() })
    }
}

/// What follows the folder that we made, in the last line of the skill.
const MADE: &str = ": a folder that `portolan init` made -->";

/// The skill, with the folder that was made for it: the one to remove with it.
fn skill_text(made: Option<&str>) -> String {
    match made {
        Some(folder) => format!("{SKILL}\n<!-- {folder}{MADE}\n"),
        None => SKILL.to_owned(),
    }
}

/// The folder that was made for a skill, as its last line says.
fn made_folder(skill: &str) -> Option<&str> {
    let line = skill.trim_end().rsplit('\n').next()?;
    let folder = line.trim_end().strip_prefix("<!-- ")?.strip_suffix(MADE)?;
    SKILL_PATH.strip_prefix(folder).filter(|rest| rest.starts_with('/')).map(|_| folder)
}

/// The lines of a section that only a person can have written, as one text. Empty lines between them stay.
fn foreign_lines(section: &str, line_end: &str) -> String {
    let mut blocks: Vec<String> = Vec::new();
    let mut is_new = true;
    for line in section.lines() {
        if is_own_line(line) {
            is_new = true;
            continue;
        }
        match blocks.last_mut().filter(|_| !is_new) {
            Some(block) => {
                block.push_str(line_end);
                block.push_str(line);
            }
            None => blocks.push(line.to_owned()),
        }
        is_new = false;
    }
    blocks.join(&line_end.repeat(2))
}

impl InitDraft {
    /// The same file with this text, if it is different.
    fn replaced_by(self, text: &str) -> Self {
        if self.step.action != Action::Keep || self.bytes == text.as_bytes() {
            return self;
        }
        let step = PlannedFile { action: Action::Replace, ..self.step };
        Self { step, bytes: text.as_bytes().to_vec() }
    }
}

/// The range of a section: from its heading to the next one of the same or a higher level. Lines in
/// code blocks are not headings.
fn section_of(text: &str, heading: &str) -> Option<Range<usize>> {
    let mut start = None;
    let mut fence = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_code = is_code(line, &mut fence);
        match start {
            None if !is_code && line.trim_end() == heading => start = Some(at),
            Some(start) if !is_code && (line.starts_with("# ") || line.starts_with("## ")) => {
                return Some(start..at);
            }
            _ => {}
        }
        at += line.len();
    }
    Some(start?..text.len())
}

/// Whether a line belongs to a code block; `fence` is the end of the open block.
fn is_code<'t>(line: &'t str, fence: &mut Option<&'t str>) -> bool {
    let inner = line.trim_start_matches(' ');
    let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'));
    let length = mark.map_or(0, |mark| inner.chars().take_while(|c| *c == mark).count());
    let is_fence = length >= 3 && line.len() - inner.len() < 4;
    match *fence {
        None if is_fence => *fence = inner.get(..length),
        None => return false,
        Some(open) => {
            let is_end = is_fence && inner.starts_with(open) && inner.trim_end().len() == length;
            if is_end {
                *fence = None;
            }
        }
    }
    true
}

/// Appends our table to a text; `None` if our server is already there in any notation.
fn with_table(text: &str) -> Result<Option<String>, String> {
    let parse = |text: &str| text.parse::<toml::Table>().map_err(|e| e.message().to_owned());
    match parse(text)?.get("mcp_servers") {
        Some(toml::Value::Table(servers)) if servers.contains_key("portolan") => return Ok(None),
        None | Some(toml::Value::Table(_)) => {}
        Some(_) => return Err("its `mcp_servers` is not a table".to_owned()),
    }
    let gap = if text.is_empty() { "" } else { "\n" };
    let table = format!("{gap}{}", created_table());
    let with = with_lines(text, &[table]);
    // An inline table cannot be extended from outside.
    match parse(&with) {
        Ok(_) => Ok(Some(with)),
        Err(_) => Err("its `mcp_servers` stands in one line: add `portolan` there".to_owned()),
    }
}

/// Our table.
fn created_table() -> &'static str {
    "[mcp_servers.portolan]\ncommand = \"portolan\"\nargs = [\"mcp\"]"
}

/// Adds our server to the servers in `group`; `None` if it is there. The rest of the text stays as
/// written, including comments.
fn with_server(text: &str, group: &str, server: &str) -> Result<Option<String>, String> {
    if text.trim().is_empty() {
        return Ok(Some(format!("{{\n  \"{group}\": {{\n    {server}\n  }}\n}}\n")));
    }
    let document = portolan_json::parse(text.as_bytes()).map_err(|error| error.to_string())?;
    let root = &document.root;
    let Json::Object(_) = root.json else { return Err("it is not a JSON object".to_owned()) };
    let (place, member, indent) = match root.get(group) {
        None => (root, format!("\"{group}\": {{\n    {server}\n  }}"), "  "),
        Some(servers) if servers.get("portolan").is_some() => return Ok(None),
        Some(servers @ LocatedJson { json: Json::Object(_), .. }) => match inner_servers(servers) {
            Some(inner) if inner.get("portolan").is_some() => return Ok(None),
            Some(inner) => (inner, server.to_owned(), "      "),
            None => (servers, server.to_owned(), "    "),
        },
        Some(_) => return Err(format!("its `{group}` is not an object")),
    };
    let behind =
        if place.members().is_empty() { format!("\n{}", &indent[2..]) } else { ",".into() };
    let mut with = text.to_owned();
    let added = format!("\n{indent}{member}{behind}").replace('\n', line_end(text));
    with.insert_str(place.at + 1, &added);
    Ok(Some(with))
}

/// The servers below `servers`, where newer versions of a client have them next to other settings.
/// An entry that says how to start or reach something is a server of that name.
fn inner_servers<'a, 'j>(group: &'a LocatedJson<'j>) -> Option<&'a LocatedJson<'j>> {
    let inner = group.get("servers")?;
    let is_server =
        ["type", "command", "url", "enabled"].iter().any(|key| inner.get(key).is_some());
    (matches!(inner.json, Json::Object(_)) && !is_server).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::{
        SECTION, SKILL, foreign_lines, is_own_line, made_folder, section_of, skill_text,
        with_server, with_table,
    };

    const SERVER: &str = r#""portolan": { "command": "portolan", "args": ["mcp"] }"#;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(with_server(text, "mcpServers", SERVER).unwrap().as_deref(), expected);
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
        let nested = "{\"mcpServers\": {\"servers\": {\"b\": {}}}}";
        let with = with_server(nested, "mcpServers", SERVER).unwrap().unwrap();
        let wanted = nested.replace("{\"b\"", &format!("{{\n      {SERVER},\"b\""));
        assert_eq!(with, wanted);
        check(&with, None);
        let with = with_server("{\r\n  \"a\": 1\r\n}\r\n", "mcpServers", SERVER).unwrap().unwrap();
        assert!(!with.replace("\r\n", "").contains('\n'), "{with:?}");
        assert!(with_server("[]", "mcpServers", SERVER).is_err());
        assert!(with_server("{\"mcpServers\": 1}", "mcpServers", SERVER).is_err());
    }

    #[test]
    fn a_table_is_added_behind_the_others() {
        for before in ["model = \"x\"", "[mcp_servers.b]\nx = 1", "mcp_servers.b.x = 1"] {
            let once = with_table(before).unwrap().unwrap();
            assert!(once.starts_with(&format!("{before}\n\n[mcp_servers.portolan]\n")), "{once}");
            assert_eq!(with_table(&once), Ok(None));
        }
        assert_eq!(with_table("a = 1\r\n").unwrap().unwrap().matches("\r\n").count(), 5);
    }

    #[test]
    fn a_table_is_known_however_it_is_written_and_none_is_added_to_what_cannot_be_read() {
        for there in [
            "[mcp_servers.\"portolan\"]\ncommand = \"x\"",
            "[ mcp_servers . portolan ] # ours",
            "[mcp_servers]\nportolan = { command = \"x\" }",
            "mcp_servers.portolan.command = \"x\"",
            "mcp_servers = { portolan = {} }",
        ] {
            assert_eq!(with_table(there), Ok(None), "{there}");
        }
        for broken in ["[mcp_servers", "a = 1\na = 2", "mcp_servers = 1", "mcp_servers = {}"] {
            assert!(with_table(broken).is_err(), "{broken}");
        }
    }

    /// A line that is not in the list passes for a person's once it is replaced.
    #[test]
    fn every_line_of_the_section_is_in_the_list_of_ours() {
        for line in SECTION.lines() {
            assert!(is_own_line(line), "add it to workspace/src/agent_lines.txt: {line}");
        }
    }

    #[test]
    fn what_a_person_wrote_into_a_section_is_told_from_what_we_wrote() {
        let text = SECTION.replacen("\n\n", "\n\nmine\n\n", 1) + "and\nthis\n";
        assert_eq!(foreign_lines(&text, "\n"), "mine\n\nand\nthis");
        assert_eq!(foreign_lines(SECTION, "\n"), "");
    }

    #[test]
    fn the_skill_says_which_folder_was_made_for_it() {
        assert_eq!(made_folder(SKILL), None);
        assert_eq!(made_folder(&skill_text(Some(".claude"))), Some(".claude"));
        assert_eq!(made_folder(&skill_text(Some("src"))), None, "none of the skill's folders");
    }

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_rank() {
        let text = "# A\n\n## Portolan\n\nold\n\n### more\n\n## B\n";
        let found = section_of(text, "## Portolan").and_then(|range| text.get(range));
        assert_eq!(found, Some("## Portolan\n\nold\n\n### more\n\n"));
        assert_eq!(section_of(text, "## C"), None);
    }

    #[test]
    fn a_heading_in_a_block_of_code_is_none() {
        for text in [
            "```md\n## Portolan\n```\n",
            "~~~\n```\n## Portolan\n",
            "````\n```\n## Portolan\n````\n",
        ] {
            assert_eq!(section_of(text, "## Portolan"), None, "{text}");
        }
        let text = "```\n```\n## Portolan\n```sh\n# not\n```\n# B\n";
        assert_eq!(section_of(text, "## Portolan"), Some(8..36), "{text}");
    }

    /// The client does not ask about commands that the skill allows, so none of them may run or
    /// write anything.
    #[test]
    fn the_skill_allows_questions_and_nothing_else() {
        let (_, rest) = SKILL.split_once("allowed-tools:\n").unwrap();
        let (allowed, _) = rest.split_once("---\n").unwrap();
        let wanted = ["search", "chart", "find", "look", "read", "check"]
            .map(|command| format!("  - Bash(portolan {command}:*)\n"));
        assert_eq!(allowed, wanted.concat());
    }

    #[test]
    fn what_every_session_pays_for_is_short() {
        for text in [SECTION, SKILL] {
            assert!(portolan_tokens::count(text) <= 200, "{}", portolan_tokens::count(text));
        }
    }
}
