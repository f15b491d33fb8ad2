//! Options and words that people bring from other tools: each gets a sentence on what to write instead.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use portolan_workspace::similar::likeness;

use crate::context::escape;
use crate::failure::Failure;

/// An option of another tool.
struct Foreign {
    /// The commands that people type it after; empty for all.
    commands: &'static [&'static str],
    /// Its spellings.
    options: &'static [&'static str],
    /// What to do instead, as a sentence after the option.
    instead: &'static str,
}

const SEARCH: &[&str] = &["search", "grep", "rg"];
const READ: &[&str] = &["read", "cat", "show", "outline"];
const LOOK: &[&str] = &["look", "uses", "usages", "refs"];

const fn of(
    commands: &'static [&'static str],
    options: &'static [&'static str],
    instead: &'static str,
) -> Foreign {
    Foreign { commands, options, instead }
}

/// The options that users of grep, rg and sed type.
const FOREIGN: [Foreign; 24] = [
    of(
        SEARCH,
        &["-o", "--only-matching"],
        "hits are shown as lines; `rg -o` prints the matches alone",
    ),
    of(SEARCH, &["-v", "--invert-match"], "`rg -v` prints the lines that do not match"),
    of(
        SEARCH,
        &["-L", "--files-without-match"],
        "`rg --files-without-match` lists files without a hit",
    ),
    of(SEARCH, &["--follow"], "links are not followed: their targets are searched where they are"),
    of(SEARCH, &["-U", "--multiline"], "a pattern matches within a line; `rg -U` crosses lines"),
    of(SEARCH, &["-T", "--type-not"], "`-g '!*.EXT'` leaves files out"),
    of(SEARCH, &["-f", "--file"], "several patterns are `-e A -e B`"),
    of(SEARCH, &["-x", "--line-regexp"], "write `^PATTERN$`"),
    of(
        SEARCH,
        &["-z", "--null-data", "--search-zip"],
        "only text files are searched; `rg -z` searches archives",
    ),
    of(
        SEARCH,
        &["-a", "--text", "--binary"],
        "files with zero bytes are left out; `rg -a` searches them",
    ),
    of(
        SEARCH,
        &["-0", "-Z", "--null"],
        "`--plain` and `-l` print lines; `rg -0` prints zero bytes",
    ),
    of(SEARCH, &["-M", "--max-columns"], "long lines are cut anyway; `--plain` prints them whole"),
    of(SEARCH, &["-d", "--max-depth"], "name a folder or a glob: `search PATTERN 'src/*'`"),
    of(
        SEARCH,
        &["--files"],
        "`portolan chart` shows what is there, `search -l PATTERN` files with hits",
    ),
    of(SEARCH, &["--replace"], "nothing is replaced; `rg -r` prints replacements"),
    of(
        SEARCH,
        &["--column", "--vimgrep", "-b", "--byte-offset"],
        "`--plain` prints `path:line:text`",
    ),
    of(SEARCH, &["--iglob"], "`-g` takes globs, and case matters in them"),
    of(SEARCH, &["--max-results", "--head-limit"], "`--budget TOKENS` bounds the answer"),
    of(
        READ,
        &["-n", "--lines", "--line", "--range", "-l", "-r"],
        "lines are `FILE:10-20`, as in `portolan read FILE:10-20`",
    ),
    of(
        READ,
        &["-A", "-B", "--head", "--tail", "--limit", "--offset"],
        "lines are `FILE:10-20`; `--match PATTERN` shows the parts around a match",
    ),
    of(
        LOOK,
        &["--callers", "--references", "--refs", "--usages", "--importers"],
        "who uses it is `--side users`",
    ),
    of(
        LOOK,
        &["--callees", "--imports", "--dependencies", "--deps"],
        "what it needs is `--side needs`",
    ),
    of(&[], &["--json"], "JSON is `--format json`"),
    of(&[], &["--no-color", "--no-colour"], "without colours is `--color never`"),
];

/// What is wrong with arguments, in our words; `None` where clap's are right.
pub(crate) fn explain(error: &clap::Error, arguments: &[OsString]) -> Option<Failure> {
    let words: Vec<String> =
        arguments.iter().skip(1).map(|it| it.to_string_lossy().into_owned()).collect();
    let command = words.iter().find(|word| !word.starts_with('-')).map_or("", String::as_str);
    let invalid = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    match error.kind() {
        ErrorKind::UnknownArgument if invalid.starts_with('-') => {
            Some(unknown_option(error, command, invalid))
        }
        ErrorKind::UnknownArgument => unknown_word(command, invalid),
        ErrorKind::InvalidSubcommand => unknown_command(error),
        _ => None,
    }
}

fn unknown_option(error: &clap::Error, command: &str, option: &str) -> Failure {
    let option = option.split('=').next().unwrap_or(option);
    let shown = escape(option);
    let known = FOREIGN.iter().find(|it| {
        (it.commands.is_empty() || it.commands.contains(&command)) && it.options.contains(&option)
    });
    let of = if command.is_empty() { "portolan" } else { command };
    let failure = Failure::bad_input(format!("`{}` has no option `{shown}`", escape(of)));
    if let Some(known) = known {
        return failure.hint(known.instead);
    }
    // clap's suggestions are by letters: only near ones help.
    let near = match error.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(text)) if likeness(text, option) >= NEAR => Some(text),
        _ => None,
    };
    let failure = match near {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure,
    };
    let failure = match command {
        command if SEARCH.contains(&command) => {
            failure.hint(format!("`-e {shown}` searches for it as a pattern"))
        }
        _ => failure,
    };
    let command = if command.is_empty() { String::new() } else { format!("{} ", escape(command)) };
    failure.hint(format!("`portolan {command}--help` lists the options"))
}

/// A suggestion has so many percent of the letters at least.
const NEAR: usize = 70;

/// A word where a command takes none.
fn unknown_word(command: &str, word: &str) -> Option<Failure> {
    let shown = escape(word);
    let (message, hint) = match command {
        "pack" if word.contains(char::is_whitespace) => (
            format!("`pack` takes no text: `{shown}`"),
            format!("a task is `portolan pack --task \"{shown}\"`"),
        ),
        "pack" => (
            format!("`pack` takes no word: `{shown}`"),
            format!(
                "a command is `portolan pack -- {shown} …`, a place `--at {shown}`, a task `--task TEXT`"
            ),
        ),
        _ => return None,
    };
    Some(Failure::bad_input(message).hint(hint))
}

/// A command that is none: the nearest first.
fn unknown_command(error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let mut near = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names.clone(),
        Some(ContextValue::String(name)) => vec![name.clone()],
        _ => Vec::new(),
    };
    near.sort_by_key(|name| std::cmp::Reverse(likeness(name, word)));
    let failure = Failure::bad_input(format!("there is no command `{}`", escape(word)));
    let failure = match near.split_first() {
        None => failure,
        Some((best, [])) => failure.hint(format!("did you mean `{best}`?")),
        Some((best, others)) => {
            failure.hint(format!("did you mean `{best}`, or else `{}`?", others.join("`, `")))
        }
    };
    Some(failure.hint("`portolan --help` lists the commands"))
}
