//! Finds shell commands that change files: heredocs, redirections, and programs that remove, move
//! and edit files.

use super::{Claim, ClaimSort, is_inside, is_path};
use crate::reply::cursor::Container;

const COMMAND: &str = "a command that changes a file: commands are not run";
const SCRIPT: &str = "a script that changes a file: scripts are not run";

/// The files that the commands in a shell block change.
pub(super) fn claims<'a>(lines: &[(usize, &'a str)]) -> Vec<Claim<'a>> {
    let mut claims = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let (number, line) = lines[at];
        let command = ShellCommand { number, line: unprompted(line) };
        let body = command.body(&lines[at + 1..]);
        claims.extend(command.claims(&body));
        at += 1 + body.len();
    }
    claims
}

/// The files that the commands in prose change: heredocs, lines that are a code span, and lines
/// that say to run one.
pub(super) fn in_prose<'a>(prose: &[(usize, &'a str)]) -> Vec<Claim<'a>> {
    let mut claims = Vec::new();
    for (at, (number, line)) in prose.iter().enumerate() {
        let text = Container::of(line).1;
        if text.contains("<<") && is_program(text) {
            let end = prose.len().min(at + 2);
            claims.extend(self::claims(&[&[(*number, text)], &prose[at + 1..end]].concat()));
            continue;
        }
        let is_prompt = text.starts_with("$ ");
        let command = if is_prompt { Some(text) } else { commanded(text) };
        claims.extend(command.map(|line| self::claims(&[(*number, line)])).unwrap_or_default());
    }
    claims
}

fn is_program(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    matches!(unprompted(first), "cat" | "tee" | "sudo" | "ed" | "ex")
        || INTERPRETERS.contains(&first)
}

/// The command in ``Run `rm src/a.ts` `` or `` `rm src/a.ts` ``.
fn commanded(text: &str) -> Option<&str> {
    const HEADS: [&str; 8] =
        ["", "run", "then", "then run", "execute", "first run", "now run", "next, run"];
    let (head, rest) = text.split_once('`')?;
    let head = head.trim().trim_end_matches([':', ',']).to_ascii_lowercase();
    HEADS.contains(&head.as_str()).then(|| rest.split_once('`').map(|(span, _)| span)).flatten()
}

/// The quoted paths in a text that calls functions that write files.
pub(super) fn scripted<'a>(lines: &[(usize, &'a str)]) -> Vec<Claim<'a>> {
    const CALLS: [&str; 14] = [
        "write_text(",
        "write_bytes(",
        "writefile(",
        "writefilesync(",
        "appendfile",
        ".write(",
        "put_contents(",
        "unlink(",
        "unlinksync(",
        "os.remove(",
        "os.rename(",
        "rmsync(",
        "renamesync(",
        "fs.rm(",
    ];
    let writes = |line: &str| {
        let line = line.to_ascii_lowercase();
        CALLS.iter().any(|call| line.contains(call))
    };
    if !lines.iter().any(|(_, line)| writes(line)) {
        return Vec::new();
    }
    literals(lines)
}

/// Every quoted text that could be a file.
fn literals<'a>(lines: &[(usize, &'a str)]) -> Vec<Claim<'a>> {
    let quoted = lines.iter().flat_map(|(number, line)| {
        let parts = line.split(['"', '\'', '`']).skip(1).step_by(2);
        parts.filter(|part| is_inside(part)).map(move |part| (*number, part))
    });
    quoted.map(|(number, path)| Claim::bare(number, path, ClaimSort::Touch, SCRIPT)).collect()
}

/// A line without its prompt.
fn unprompted(line: &str) -> &str {
    let line = line.trim();
    let line =
        line.strip_prefix("PS").and_then(|rest| rest.split_once("> ")).map_or(line, |it| it.1);
    // The end of a PowerShell here-string may be followed by more of the command.
    let line = ["'@", "\"@"].iter().find_map(|end| line.strip_prefix(end)).unwrap_or(line);
    ["$ ", "% ", "> ", "# "]
        .iter()
        .find_map(|prompt| line.strip_prefix(prompt))
        .unwrap_or(line)
        .trim()
}

/// A line of a shell script.
struct ShellCommand<'a> {
    number: usize,
    line: &'a str,
}

const INTERPRETERS: [&str; 9] =
    ["python", "python3", "node", "perl", "ruby", "php", "bun", "deno", "pwsh"];

impl<'a> ShellCommand<'a> {
    /// The lines of its heredoc: up to the delimiter.
    fn body(&self, behind: &[(usize, &'a str)]) -> Vec<(usize, &'a str)> {
        let Some(end) = self.end_of_body() else { return Vec::new() };
        let is_end = |line: &str| {
            line.trim() == end
                || end == "'@" && line.starts_with(['\'', '"']) && line[1..].starts_with('@')
        };
        let length = behind.iter().position(|(_, line)| is_end(line));
        behind[..length.unwrap_or(behind.len())].to_vec()
    }

    /// The delimiter of the heredoc; `'@` for a PowerShell here-string.
    fn end_of_body(&self) -> Option<&'a str> {
        if self.line.ends_with("@'") || self.line.ends_with("@\"") {
            return Some("'@");
        }
        let (_, rest) = self.line.split_once("<<").filter(|(_, rest)| !rest.starts_with('<'))?;
        let word = rest.trim_start_matches(['-', '~', ' ']);
        let word = word.split(|c: char| c.is_whitespace() || ";|&>)".contains(c)).next()?;
        let word = word.trim_matches(['\'', '"', '\\']);
        (!word.is_empty()).then_some(word)
    }

    fn claims(&self, body: &[(usize, &'a str)]) -> Vec<Claim<'a>> {
        if self.line.starts_with('#') {
            return Vec::new();
        }
        let mut claims = Vec::new();
        let has_text = self.end_of_body().is_some();
        let mut is_written = has_text;
        for simple in simples(self.line) {
            let words = words(simple);
            // Text that is printed into a pipe is text of the reply, too.
            is_written |=
                words.first().is_some_and(|word| matches!(word.as_str(), "echo" | "printf"));
            claims.extend(self.simple(&words, is_written));
            let is_run = words.iter().any(|word| INTERPRETERS.contains(&word.as_str()));
            if is_run && has_text {
                claims.extend(literals(body));
            }
        }
        claims
    }

    /// The files that a command without pipes changes.
    fn simple(&self, words: &[String], is_written: bool) -> Vec<Claim<'a>> {
        let claim = |path: &String, sort| {
            Claim::bare(self.number, path.trim_start_matches("./"), sort, COMMAND)
        };
        let made = |path: &String| {
            claim(
                path,
                if is_written && is_inside(path) { ClaimSort::Write } else { ClaimSort::Touch },
            )
        };
        let mut claims = Vec::new();
        let arrows = words.windows(2).filter(|pair| pair[0] == ">" && pair[1] != ">");
        claims.extend(arrows.map(|pair| made(&pair[1])));
        let Some((verb, arguments)) = verb(words) else { return claims };
        let files: Vec<&String> = arguments.iter().filter(|word| !word.starts_with('-')).collect();
        match verb {
            ProgramEffect::Prints => claims.extend(files.iter().map(|path| made(path))),
            ProgramEffect::Touches => {
                claims.extend(files.iter().map(|path| claim(path, ClaimSort::Touch)));
            }
            ProgramEffect::Makes => claims.extend(
                files.iter().filter(|path| is_path(path)).map(|path| claim(path, ClaimSort::Write)),
            ),
            ProgramEffect::Copies => {
                let is_template = |path: &&String| {
                    ["example", "sample", "template", "dist"].iter().any(|word| path.contains(word))
                };
                let to = files.last().filter(|_| !files.first().is_some_and(is_template));
                let sort =
                    |path: &String| if is_path(path) { ClaimSort::Write } else { ClaimSort::Touch };
                claims.extend(to.map(|path| claim(path, sort(path))));
            }
        }
        claims
    }
}

/// What a program does with its file arguments.
#[derive(Clone, Copy)]
enum ProgramEffect {
    /// Writes its input to them.
    Prints,
    /// Changes or removes them.
    Touches,
    /// Creates them.
    Makes,
    /// Creates the last one from the others.
    Copies,
}

/// The effect of a program that changes files, and its arguments.
fn verb(words: &[String]) -> Option<(ProgramEffect, &[String])> {
    let is_led = |at: usize| {
        at == 0
            || matches!(
                words[at - 1].as_str(),
                "sudo" | "git" | "xargs" | "-exec" | "command" | "env"
            )
    };
    let has = |flag: &str| words.iter().any(|word| word.starts_with(flag));
    for (at, word) in words.iter().enumerate().filter(|(at, _)| is_led(*at)) {
        let verb = match word.to_ascii_lowercase().as_str() {
            "tee" => ProgramEffect::Prints,
            "rm" | "mv" | "unlink" | "rmdir" | "truncate" | "ed" | "ex" | "remove-item"
            | "move-item" | "rename-item" | "clear-content" | "del" | "erase" | "ren"
            | "rename" | "shred" => ProgramEffect::Touches,
            "move" if !words[at].starts_with('M') => ProgramEffect::Touches,
            "sed" | "gsed" if has("-i") || has("--in-place") => {
                return Some((ProgramEffect::Touches, words));
            }
            "perl" | "ruby" if has("-i") || has("-pi") || has("-pi.") => {
                return Some((ProgramEffect::Touches, words));
            }
            "find" if has("-delete") || has("-exec") => {
                return Some((ProgramEffect::Touches, words));
            }
            "touch" | "new-item" | "set-content" | "add-content" | "out-file" => {
                ProgramEffect::Makes
            }
            "cp" | "copy-item" | "ln" | "install" => ProgramEffect::Copies,
            _ => continue,
        };
        return Some((verb, &words[at + 1..]));
    }
    None
}

/// The commands of a line, separated by `&&`, `|` and `;`.
fn simples(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut quote, mut start) = (None, 0);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '|' | ';' | '&') if line.get(at.saturating_sub(1)..at) != Some(">") => {
                parts.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&line[start..]);
    parts
}

/// The words of a command, unquoted; a redirection is a word of its own.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, ' ' | '\t') => words.push(String::new()),
            (None, '>') => words.extend([">".to_owned(), String::new()]),
            (_, c) => words.last_mut().into_iter().for_each(|word| word.push(c)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
