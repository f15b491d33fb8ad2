//! What `init --agents` writes into a repository: it is no change of the user's.

/// The heading of our section in `AGENTS.md`.
const HEADING: &str = "## Portolan";
/// Our server without its spaces, in the two forms that clients have.
const SERVERS: [&str; 2] = [
    r#""portolan":{"command":"portolan","args":["mcp"]}"#,
    r#""portolan":{"type":"local","command":["portolan","mcp"]}"#,
];
/// Our table in a TOML file.
const TABLE: &str = "[mcp_servers.portolan]\ncommand = \"portolan\"\nargs = [\"mcp\"]\n";

/// Every line that a version of ours wrote into its section. A line is added and never removed: what is not here is a
/// person's.
const LINES: &str = include_str!("agent_lines.txt");

/// Whether a line of the section in `AGENTS.md` is one that we write, or wrote once.
pub fn is_own_line(line: &str) -> bool {
    let line = line.trim_end();
    line.is_empty() || LINES.lines().any(|own| own == line)
}

/// Whether a file may have something of ours.
pub(crate) fn may_be_ours(path: &str) -> bool {
    matches!(
        path,
        "AGENTS.md" | ".claude/skills/portolan/SKILL.md" | "opencode.json" | "opencode.jsonc"
    ) || path == ".mcp.json"
        || path == ".codex/config.toml"
        || path.starts_with('.')
            && (path.ends_with("/mcp.json") || path.ends_with("/settings.json"))
}

/// Whether a file differs from what it was only by what we wrote.
pub(crate) fn is_only_ours(path: &str, before: Option<&str>, after: &str) -> bool {
    let before = before.unwrap_or_default();
    match path {
        ".claude/skills/portolan/SKILL.md" => before.is_empty(),
        "AGENTS.md" => without_section(after).is_some_and(|rest| is_same(&rest, before)),
        ".codex/config.toml" => {
            let after = after.replace("\r\n", "\n");
            after.contains(TABLE) && is_same(&after.replace(TABLE, ""), before)
        }
        _ => is_only_server(before, after),
    }
}

fn is_same(one: &str, other: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    };
    lines(one) == lines(other)
}

/// A text without our lines in our section, which ends at the next heading of its rank.
fn without_section(text: &str) -> Option<String> {
    let mut rest = String::new();
    let (mut is_ours, mut is_found) = (false, false);
    for line in text.lines() {
        if line.trim_end() == HEADING {
            (is_ours, is_found) = (true, true);
        } else if is_ours && (line.starts_with("# ") || line.starts_with("## ")) {
            is_ours = false;
        }
        if !is_ours || !is_own_line(line) {
            rest.push_str(line);
            rest.push('\n');
        }
    }
    is_found.then_some(rest)
}

/// Whether a list of servers has only our server more than before.
fn is_only_server(before: &str, after: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let (before, after) = (plain(before), plain(after));
    let wanted = if before.is_empty() { "{}" } else { &before };
    SERVERS.iter().any(|server| {
        let groups = ["mcpServers", "servers", "context_servers", "mcp"];
        let whole = groups.iter().map(|group| format!("\"{group}\":{{{server}}}"));
        whole.chain([(*server).to_owned()]).any(|member| {
            [format!("{member},"), member].iter().any(|added| {
                after.contains(added.as_str()) && after.replacen(added.as_str(), "", 1) == wanted
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::is_only_ours;

    const SERVER: &str = r#"{ "command": "portolan", "args": ["mcp"] }"#;

    #[test]
    fn what_we_wrote_is_no_change() {
        let section =
            "## Portolan\n\n`portolan` answers questions about this repository in few tokens.\n";
        assert!(is_only_ours("AGENTS.md", None, section));
        assert!(is_only_ours("AGENTS.md", Some("# A\n"), &format!("# A\n\n{section}")));
        assert!(!is_only_ours("AGENTS.md", Some("# A\n"), &format!("# B\n\n{section}")));
        assert!(!is_only_ours("AGENTS.md", Some("# A\n"), "# A\nmine\n"));
        let mine = format!("{section}mine\n");
        assert!(!is_only_ours("AGENTS.md", None, &mine), "a line in the section is a change, too");
        let new = format!("{{\n  \"mcpServers\": {{\n    \"portolan\": {SERVER}\n  }}\n}}\n");
        assert!(is_only_ours(".mcp.json", None, &new));
        let other = "{\"mcpServers\": {\"b\": {}}}";
        let with = format!("{{\"mcpServers\": {{\n    \"portolan\": {SERVER},\"b\": {{}}}}}}");
        assert!(is_only_ours(".mcp.json", Some(other), &with));
        assert!(!is_only_ours(".mcp.json", Some("{}"), &with));
        let table = "\n[mcp_servers.portolan]\ncommand = \"portolan\"\nargs = [\"mcp\"]\n";
        assert!(is_only_ours(".codex/config.toml", Some("a = 1\n"), &format!("a = 1\n{table}")));
        assert!(!is_only_ours(".codex/config.toml", Some("a = 1\n"), "a = 2\n"));
    }
}
