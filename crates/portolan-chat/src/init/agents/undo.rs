//! Takes back what `init --agents` wrote. What a person changed since stays.

use std::ops::Range;

use portolan_types::RepoPath;

use super::super::{Action, InitDraft, InitError, PlannedFile, Site, at_root, line_end};
use super::{
    CLIENTS, Form, SECTION, SKILL_PATH, created_table, inner_servers, is_own_line, made_folder,
    section_of, skill_text,
};

impl Site<'_> {
    /// One draft for each file that has something of ours.
    pub(in super::super) fn undo_drafts(&self, force: bool) -> Result<Vec<InitDraft>, InitError> {
        let mut drafts = Vec::new();
        if let Some(path) = at_root("AGENTS.md")
            && let Some(text) = self.text(&path)?
            && let Some(section) = section_of(&text, SECTION.lines().next().unwrap_or_default())
        {
            drafts.push(match without_section(&text, section, force) {
                Some(rest) => cut(path, rest, SECTION.lines().next().unwrap_or_default()),
                None => kept(path, "its section"),
            });
        }
        if let Some(path) = at_root(SKILL_PATH)
            && let Some(text) = self.text(&path)?
        {
            let plain = text.replace("\r\n", "\n");
            let is_ours = force || plain == skill_text(made_folder(&plain));
            drafts.push(if is_ours { removed(path) } else { kept(path, "it") });
        }
        for client in &CLIENTS {
            for path in client.paths.iter().filter_map(|path| at_root(path)) {
                let Some(text) = self.text(&path)? else { continue };
                let rest = match &client.form {
                    Form::Toml => without_table(&text),
                    Form::Json { group, server } => without_server(&text, group, server),
                };
                if let Some(rest) = rest {
                    drafts.push(cut(path, rest, "portolan"));
                }
            }
        }
        Ok(drafts)
    }

    /// Removes a file, and the folders that were made for it if it was alone in them.
    pub(in super::super) fn remove(&self, path: &RepoPath) -> Result<(), InitError> {
        let floor = self.folder_that_stays(path)?;
        let removed = self.root.system.remove_file(&self.root.join(path));
        removed.map_err(|error| InitError::Write { path: path.clone(), error })?;
        let mut folder = path.parent().and_then(|folder| RepoPath::new(folder).ok());
        while let Some(empty) = folder.filter(|folder| folder.as_str().len() > floor.len()) {
            // A folder with something in it stays: that is no failure.
            if self.root.system.remove_dir(&self.root.join(&empty)).is_err() {
                break;
            }
            folder = empty.parent().and_then(|folder| RepoPath::new(folder).ok());
        }
        Ok(())
    }

    /// The folder above a file of ours that was there before it. A client's own folder is why its file was written.
    fn folder_that_stays(&self, path: &RepoPath) -> Result<String, InitError> {
        if path.as_str() == SKILL_PATH {
            let text = self.text(path)?.unwrap_or_default();
            let own = SKILL_PATH.rsplit_once('/').map_or("", |(folder, _)| folder);
            let made = made_folder(&text).unwrap_or(own);
            return Ok(made.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned());
        }
        let client = CLIENTS.iter().find(|client| client.paths.contains(&path.as_str()));
        Ok(client.and_then(|client| client.folder).unwrap_or_default().to_owned())
    }
}

fn removed(path: RepoPath) -> InitDraft {
    InitDraft { step: PlannedFile { path, action: Action::Remove }, bytes: Vec::new() }
}

fn kept(path: RepoPath, changed: &'static str) -> InitDraft {
    let action = Action::KeepChanged(changed);
    InitDraft { step: PlannedFile { path, action }, bytes: Vec::new() }
}

/// A file without our part; a file that had nothing else goes.
fn cut(path: RepoPath, rest: String, part: &str) -> InitDraft {
    if rest.trim().is_empty() {
        return removed(path);
    }
    let action = Action::Cut(vec![part.to_owned()]);
    InitDraft { step: PlannedFile { path, action }, bytes: rest.into_bytes() }
}

/// A text without our section as we write it. What stands below it before the next heading is somebody's own and stays;
/// `None` if somebody changed the section itself, unless that does not matter.
fn without_section(text: &str, section: Range<usize>, force: bool) -> Option<String> {
    let end = line_end(text);
    let ours = SECTION.trim_end().replace('\n', end);
    let found = text.get(section.clone())?;
    let last = match found.strip_prefix(&ours) {
        // Only what is ours goes, and the empty lines before the next heading with it.
        Some(below) if !below.trim().is_empty() => {
            section.start + ours.len() + (below.len() - below.trim_start().len())
        }
        Some(_) => section.end,
        // Text below our last line belongs to the user, even if other lines were changed.
        None if force => section.start + end_of_ours(found),
        None => return None,
    };
    let (before, after) = (text.get(..section.start)?, text.get(last..)?);
    let before = before.strip_suffix(end).filter(|_| after.is_empty()).unwrap_or(before);
    Some(format!("{before}{after}"))
}

/// Where the last line of ours ends in a section, with the empty lines below it.
fn end_of_ours(section: &str) -> usize {
    let (mut at, mut end) = (0, 0);
    for line in section.split_inclusive('\n') {
        at += line.len();
        if is_own_line(line) && (end > 0 || !line.trim().is_empty()) {
            end = at;
        }
    }
    end
}

/// A text without our table as we write it; `None` if it has none.
fn without_table(text: &str) -> Option<String> {
    let table = created_table().replace('\n', line_end(text));
    let start = text.find(&table)?;
    let before = text.get(..start)?;
    let before = before.strip_suffix(line_end(text)).unwrap_or(before);
    let after = text.get(start + table.len()..)?;
    Some(format!("{before}{}", after.strip_prefix(line_end(text)).unwrap_or(after)))
}

/// A text without our server as we write it; `None` if it has none.
fn without_server(text: &str, group: &str, server: &str) -> Option<String> {
    let document = portolan_json::parse(text.as_bytes()).ok()?;
    let root = &document.root;
    let servers = root.get(group)?;
    let inner = inner_servers(servers);
    let whole = format!("\"{group}\": {{\n    {server}\n  }}");
    let places = [
        (Some(root), whole.as_str(), "  "),
        (Some(servers), server, "    "),
        (inner, server, "      "),
    ];
    places.into_iter().find_map(|(place, member, indent)| {
        let start = place?.at + 1;
        let rest = text.get(start..)?;
        let ends = [",".to_owned(), format!("\n{}", &indent[2..])];
        let added = ends.iter().find_map(|behind| {
            let added = format!("\n{indent}{member}{behind}").replace('\n', line_end(text));
            rest.starts_with(&added).then_some(added)
        })?;
        let after = text.get(start + added.len()..)?;
        let rest = format!("{}{after}", text.get(..start)?);
        // Of a file that we made, nothing is left.
        Some(if rest.split_whitespace().collect::<String>() == "{}" { String::new() } else { rest })
    })
}

#[cfg(test)]
mod tests {
    use super::super::{SECTION, with_server, with_table};
    use super::{without_section, without_server, without_table};
    use crate::init::agents::section_of;

    const SERVER: &str = r#""portolan": { "command": "portolan", "args": ["mcp"] }"#;

    fn cut_out(text: &str, force: bool) -> Option<String> {
        let section = section_of(text, SECTION.lines().next().unwrap())?;
        without_section(text, section, force)
    }

    #[test]
    fn servers_are_taken_back_to_the_byte() {
        for before in [
            "{\n  // ours\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n",
            "{\"a\": 1}",
            "{\"mcpServers\": {\"servers\": {\"b\": {}}}}",
            "{\r\n  \"a\": 1\r\n}\r\n",
            "{\"mcpServers\": {}, \"a\": 1}",
        ] {
            let with = with_server(before, "mcpServers", SERVER).unwrap().unwrap();
            let back = without_server(&with, "mcpServers", SERVER);
            assert_eq!(back.as_deref(), Some(before), "{with}");
        }
        let new = with_server("", "mcpServers", SERVER).unwrap().unwrap();
        assert_eq!(without_server(&new, "mcpServers", SERVER).as_deref(), Some(""));
        let own = "{\"mcpServers\": {\"portolan\": {\"command\": \"/opt/portolan\"}}}";
        assert_eq!(without_server(own, "mcpServers", SERVER), None, "a person changed it");
    }

    #[test]
    fn tables_and_sections_are_taken_back_to_the_byte() {
        for before in ["model = \"x\"\n", "[mcp_servers.b]\nx = 1\n", "a = 1\r\n"] {
            let with = with_table(before).unwrap().unwrap();
            assert_eq!(without_table(&with).as_deref(), Some(before));
        }
        assert_eq!(without_table("a = 1\n"), None);
        for before in ["# Rules\n", "# Rules\r\n"] {
            let end = if before.contains('\r') { "\r\n" } else { "\n" };
            let with = format!("{before}{end}{}", SECTION.replace('\n', end));
            assert_eq!(cut_out(&with, false).as_deref(), Some(before));
        }
        let between = format!("# A\n\n{SECTION}\n## B\n");
        assert_eq!(cut_out(&between, false).as_deref(), Some("# A\n\n## B\n"));
    }

    #[test]
    fn what_a_person_wrote_below_or_into_the_section_stays() {
        let below = format!("# A\n\n{SECTION}\nNever push to main.\n\n## B\n");
        let rest = "# A\n\nNever push to main.\n\n## B\n";
        assert_eq!(cut_out(&below, false).as_deref(), Some(rest));
        let changed = SECTION.replacen("portolan search", "portolan find", 1);
        assert_eq!(cut_out(&changed, false), None);
        assert_eq!(cut_out(&changed, true).as_deref(), Some(""));
        let below = format!("{changed}\nNever push to main.\n");
        assert_eq!(cut_out(&below, true).as_deref(), Some("Never push to main.\n"));
    }
}
