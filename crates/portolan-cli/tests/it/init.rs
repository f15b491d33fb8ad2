//! Tests `portolan init` as a new user runs it.

use serde_json::Value;

use crate::support::{Repo, files_below, run_in};

#[test]
fn lists_the_written_files_and_the_next_steps() {
    let repo = Repo::with(&[("src/a.ts", "export {};\n")]);
    let told = repo.run(&["init", "--dry-run"]);
    assert_eq!((told.code, told.stderr.as_str()), (0, "next: portolan init\n"));
    assert!(told.stdout.starts_with("would create stan.config.yml\n"), "{}", told.stdout);
    assert!(repo.read("stan.config.yml").is_none());

    let done = repo.run(&["init"]);
    assert_eq!(done.stderr, "next: portolan run --context --meta\n");
    let wanted = "wrote     stan.config.yml\nwrote     .stan/system/stan.system.md\n\
                  wrote     .stan/system/stan.project.md\nwrote     .gitignore\n";
    assert_eq!(done.stdout, wanted);
    assert_eq!(repo.run(&["run", "--context", "--meta"]).code, 0, "the next command works");

    let json = repo.run(&["init", "--format", "json"]).stdout;
    let again: Value = serde_json::from_str(&json).unwrap();
    let steps = again["result"]["steps"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["action"] == "keep"), "{again}");
}

#[test]
fn a_broken_configuration_is_reported_and_not_replaced() {
    let repo = Repo::with(&[("stan.config.yml", "stan-core: [\n")]);
    let answer = repo.run(&["init"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert_eq!(repo.read("stan.config.yml").unwrap(), b"stan-core: [\n");
    assert!(repo.read(".gitignore").is_none());
}

#[test]
fn instructions_for_agents_are_written_once() {
    let repo = Repo::with(&[
        ("CLAUDE.md", ""),
        ("AGENTS.md", "# Rules\n\nBe brief.\n"),
        (".vscode/mcp.json", "{\n  \"servers\": {}\n}\n"),
    ]);
    let told = repo.run(&["init", "--agents", "--dry-run"]);
    let wanted = "would add to AGENTS.md: ## Portolan\n\
                  would create .claude/skills/portolan/SKILL.md\nwould create .mcp.json\n\
                  would add to .vscode/mcp.json: \"portolan\": { … }\n";
    assert_eq!(
        (told.stdout.as_str(), told.stderr.as_str()),
        (wanted, "next: portolan init --agents\n")
    );
    assert_eq!(repo.read("AGENTS.md").unwrap(), b"# Rules\n\nBe brief.\n");

    assert_eq!(repo.run(&["init", "--agents"]).code, 0);
    let rules = String::from_utf8(repo.read("AGENTS.md").unwrap()).unwrap();
    assert!(rules.starts_with("# Rules\n\nBe brief.\n\n## Portolan\n"), "{rules}");
    let again = repo.run(&["init", "--agents", "--force"]);
    assert!(again.stdout.lines().all(|line| line.contains("kept")), "{}", again.stdout);
    assert!(repo.read("stan.config.yml").is_none(), "agents need no configuration");
}

#[test]
fn a_client_gets_the_server_if_its_folder_exists() {
    let files = [
        (".amazonq", ".amazonq/mcp.json"),
        (".codex", ".codex/config.toml"),
        (".cursor", ".cursor/mcp.json"),
        (".gemini", ".gemini/settings.json"),
        (".junie", ".junie/mcp/mcp.json"),
        (".kiro", ".kiro/settings/mcp.json"),
        (".opencode", "opencode.json"),
        (".roo", ".roo/mcp.json"),
        (".vscode", ".vscode/mcp.json"),
        (".zed", ".zed/settings.json"),
    ];
    let repo = Repo::new("");
    assert_eq!(repo.run(&["init", "--agents"]).code, 0);
    for (folder, file) in files {
        assert!(repo.read(file).is_none(), "{file} without its folder");
        std::fs::create_dir_all(repo.path().join(folder)).unwrap();
    }
    assert_eq!(repo.run(&["init", "--agents"]).code, 0);
    let help = repo.run(&["init", "--help-all"]).stdout;
    for (folder, file) in files {
        let text = String::from_utf8(repo.read(file).unwrap()).unwrap();
        assert!(text.contains("portolan") && text.contains("\"mcp\"]"), "{file}: {text}");
        assert!(help.contains(&format!("`{folder}`")), "the help lacks {folder}");
    }
}

#[test]
fn tools_that_are_not_there_get_no_file_and_undo_leaves_nothing() {
    let repo = Repo::with(&[("src/a.ts", "")]);
    let done = repo.run(&["init", "--agents"]);
    assert_eq!(done.stdout, "wrote     AGENTS.md\n", "Claude Code is not here");
    let undone = repo.run(&["init", "--agents", "--undo"]);
    assert_eq!(undone.stdout, "removed   AGENTS.md\n");
    assert!(repo.read("AGENTS.md").is_none());
    let again = repo.run(&["init", "--agents", "--undo"]);
    assert_eq!((again.code, again.stdout.as_str()), (0, ""));
    assert!(
        again.stderr.contains("nothing that `init --agents` wrote is here"),
        "{}",
        again.stderr
    );
}

#[test]
fn undo_restores_every_file_to_the_byte() {
    let files = [
        ("CLAUDE.md", "@AGENTS.md\n"),
        ("AGENTS.md", "# Rules\n\nBe brief.\n"),
        (".vscode/mcp.json", "{\n  \"servers\": {\n    \"b\": {}\n  }\n}\n"),
        (".codex/config.toml", "model = \"x\"\n"),
    ];
    let repo = Repo::with(&files);
    let before = files_below(&repo.path(), "");
    assert_eq!(repo.run(&["init", "--agents"]).code, 0);
    assert_ne!(files_below(&repo.path(), ""), before);
    let planned = repo.run(&["init", "--agents", "--undo", "--dry-run"]);
    assert!(planned.stdout.contains("would remove .mcp.json"), "{}", planned.stdout);
    assert_eq!(repo.run(&["init", "--agents", "--undo"]).code, 0);
    assert_eq!(files_below(&repo.path(), ""), before);
    assert!(!repo.path().join(".claude").exists(), "empty folders go");

    assert_eq!(repo.run(&["init", "--agents"]).code, 0);
    repo.write(".claude/skills/portolan/SKILL.md", b"mine");
    let undone = repo.run(&["init", "--agents", "--undo"]);
    assert!(
        undone.stdout.contains("kept      .claude/skills/portolan/SKILL.md"),
        "{}",
        undone.stdout
    );
    assert_eq!(repo.read(".claude/skills/portolan/SKILL.md").unwrap(), b"mine");
}

#[test]
fn clients_with_a_form_of_their_own_get_it_in_the_file_that_is_there() {
    let repo = Repo::with(&[
        ("opencode.jsonc", "{\n  // ours\n  \"model\": \"x\",\n}\n"),
        (".opencode/agent/a.md", ""),
        (".zed/settings.json", ""),
    ]);
    assert_eq!(repo.run(&["init", "--agents"]).code, 0);
    let text = |path| String::from_utf8(repo.read(path).unwrap()).unwrap();
    let server = "\"portolan\": { \"type\": \"local\", \"command\": [\"portolan\", \"mcp\"] }";
    let wanted =
        format!("{{\n  \"mcp\": {{\n    {server}\n  }},\n  // ours\n  \"model\": \"x\",\n}}\n");
    assert_eq!(text("opencode.jsonc"), wanted);
    assert!(repo.read("opencode.json").is_none(), "one file has it");
    assert!(
        text(".zed/settings.json").starts_with("{\n  \"context_servers\": {\n    \"portolan\": {")
    );
}

#[test]
fn a_section_has_the_line_ends_of_its_file_and_is_brought_up_to_date_in_place() {
    let before = "# Rules\r\n\r\n```md\r\n## Portolan\r\n```\r\n";
    let repo = Repo::with(&[("AGENTS.md", before)]);
    let text = || String::from_utf8(repo.read("AGENTS.md").unwrap()).unwrap();
    assert_eq!(repo.run(&["init", "--agents"]).code, 0);
    let first = text();
    assert!(first.starts_with(&format!("{before}\r\n## Portolan\r\n\r\n")), "{first:?}");
    assert!(!first.replace("\r\n", "").contains('\n'), "{first:?}");

    // A line of an earlier version.
    let line =
        "- `portolan chart --task \"what you are about to do\"`: which folders and files matter.";
    let old = format!("{before}\r\n## Portolan\r\n\r\n{line}\r\n\r\n## More\r\n");
    repo.write("AGENTS.md", old.as_bytes());
    assert_eq!(repo.run(&["init", "--agents", "--force"]).code, 0);
    assert_eq!(text(), format!("{first}\r\n## More\r\n"));
}

/// The skill's commands run without asking the user, so none of them may write to a path in an
/// argument.
#[test]
fn commands_that_the_skill_allows_have_no_flag_that_names_a_file_to_write() {
    let repo = Repo::with(&[("CLAUDE.md", "")]);
    repo.run(&["init", "--agents"]);
    let skill = repo.read(".claude/skills/portolan/SKILL.md").unwrap();
    let skill = String::from_utf8(skill).unwrap();
    let allowed: Vec<&str> = skill
        .lines()
        .filter_map(|line| line.strip_prefix("  - Bash(portolan ")?.strip_suffix(":*)"))
        .collect();
    assert_eq!(allowed.len(), 6);
    for command in allowed {
        let help = repo.run(&[command, "--help-all"]);
        assert_eq!(help.code, 0, "{command}");
        assert!(!help.stdout.contains("--out") && !help.stdout.contains("-- "), "{command}");
    }
}

#[test]
fn an_unreadable_list_of_servers_is_reported_and_kept() {
    let repo = Repo::with(&[(".mcp.json", "{ \"mcpServers\": [")]);
    let answer = repo.run(&["init", "--agents"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("`.mcp.json` cannot be added to"), "{}", answer.stderr);
    assert!(repo.read("AGENTS.md").is_none(), "nothing is written");

    let repo = Repo::with(&[(".codex/config.toml", "[mcp_servers\n")]);
    let answer = repo.run(&["init", "--agents"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("`.codex/config.toml` cannot be added to"), "{}", answer.stderr);
    assert_eq!(repo.read(".codex/config.toml").unwrap(), b"[mcp_servers\n");
}

/// Clients start the binary by name. If it is not on the PATH, the user gets a notice with a path
/// that works.
#[test]
fn a_binary_that_is_not_on_the_path_is_reported() {
    let repo = Repo::with(&[("bin/portolan", ""), ("src/a.ts", "export {};\n")]);
    let hint = |folder: &str| {
        let path = repo.path().join(folder);
        run_in(&repo.path(), &["init", "--agents"], &[("PATH", path.to_str().unwrap())]).stderr
    };
    let told = hint("src");
    assert!(told.starts_with("hint: clients start the server as `portolan`"), "{told}");
    assert!(told.contains(env!("CARGO_BIN_EXE_portolan")), "{told}");
    #[cfg(unix)]
    assert_eq!(hint("bin"), "next: portolan chart\n");
}

/// Every command and flag in a text for agents exists.
#[test]
fn texts_for_agents_name_commands_that_exist() {
    let repo = Repo::with(&[("CLAUDE.md", "")]);
    repo.run(&["init", "--agents"]);
    for path in ["AGENTS.md", ".claude/skills/portolan/SKILL.md"] {
        let text = String::from_utf8(repo.read(path).unwrap()).unwrap();
        let commands = text.split('`').filter_map(|code| code.strip_prefix("portolan "));
        for words in commands.map(|code| code.split(' ').collect::<Vec<_>>()) {
            let help = repo.run(&[words[0], "--help-all"]);
            assert_eq!(help.code, 0, "{path}: portolan {}", words[0]);
            for flag in words[1..].iter().filter(|word| word.len() > 2 && word.starts_with("--")) {
                assert!(help.stdout.contains(*flag), "{path}: {flag} of {}", words[0]);
            }
        }
    }
}

#[test]
fn what_a_person_wrote_into_the_section_is_never_lost() {
    let repo = Repo::with(&[("src/a.ts", "export {};\n")]);
    let text = || String::from_utf8(repo.read("AGENTS.md").unwrap()).unwrap();
    assert_eq!(repo.run(&["init", "--agents"]).code, 0);
    let ours = text();
    let below = format!("{ours}my own line after\n");
    repo.write("AGENTS.md", below.as_bytes());
    assert_eq!(repo.run(&["init", "--agents", "--force"]).code, 0);
    assert_eq!(text(), below, "nothing of ours is old");

    let inside = ours.replacen("\n\n", "\n\nmy own line\n\n", 1);
    repo.write("AGENTS.md", inside.as_bytes());
    assert_eq!(repo.run(&["init", "--agents", "--force"]).code, 0);
    assert_eq!(text(), format!("{ours}\nmy own line\n"), "moved below the section");
}

#[test]
fn folders_that_were_there_stay_when_all_is_taken_back() {
    let repo = Repo::with(&[("src/a.ts", "export {};\n")]);
    for folder in [".cursor", ".claude"] {
        std::fs::create_dir(repo.path().join(folder)).unwrap();
    }
    assert_eq!(repo.run(&["init", "--agents"]).code, 0);
    assert!(repo.read(".cursor/mcp.json").is_some());
    let undone = repo.run(&["init", "--agents", "--undo"]);
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    assert!(undone.stderr.contains("what `init --agents` wrote is gone"), "{}", undone.stderr);
    for folder in [".cursor", ".claude"] {
        assert!(repo.path().join(folder).is_dir(), "{folder}");
        assert_eq!(std::fs::read_dir(repo.path().join(folder)).unwrap().count(), 0, "{folder}");
    }
}

#[test]
fn a_changed_section_stays_and_undo_says_so() {
    let repo = Repo::with(&[("src/a.ts", "export {};\n")]);
    assert_eq!(repo.run(&["init", "--agents"]).code, 0);
    let text = String::from_utf8(repo.read("AGENTS.md").unwrap()).unwrap();
    let changed = text.replace("portolan search", "portolan find");
    repo.write("AGENTS.md", changed.as_bytes());
    for _ in 0..2 {
        let undone = repo.run(&["init", "--agents", "--undo"]);
        assert_eq!(undone.code, 1, "{}", undone.stderr);
        assert!(
            undone.stdout.contains("kept      AGENTS.md: its section was changed\n"),
            "{}",
            undone.stdout
        );
        assert!(
            undone.stderr.contains("by hand, or all of it with `--force`"),
            "{}",
            undone.stderr
        );
        assert!(!undone.stderr.contains("gone"), "{}", undone.stderr);
    }
    assert_eq!(repo.run(&["init", "--agents", "--undo", "--force"]).code, 0);
    assert!(repo.read("AGENTS.md").is_none());
}
