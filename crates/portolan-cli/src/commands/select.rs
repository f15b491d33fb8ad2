//! `portolan select`: what a state, or the entries given here, select, and what that costs.

mod input;
mod render;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use portolan_index::token_counts::Tokenizer;
use portolan_query::select::{
    SelectReport, SelectRequest, SelectSettings, UNREAD, importers, importers_report, parse_kinds,
    select_report, suggest, why_report,
};
use portolan_types::{Budget, KindMask, NodeId};
use portolan_workspace::path_input::PathInput;
use serde::Serialize;

use self::input::{Chart, Directives};
use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::ScopeArgs;
use crate::context::{Context, escape, style};
use crate::failure::{Exit, Failure};
use crate::notices;
use crate::text::thousands;

/// How many warnings, and how many hints, are said; JSON has them all.
const SAID: usize = 5;

/// The arguments of `portolan select`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan select                                what the state on disk selects
  portolan select src/index.ts:2 --budget 30k    a file and its context, to fit
  portolan select --importers src/a.ts           who depends on a file")]
pub(crate) struct SelectArgs {
    /// What to select: ID, ID:DEPTH or ID:DEPTH:KINDS (default: the state on disk)
    #[arg(value_name = "ENTRY")]
    entries: Vec<String>,

    /// What to take away, written like an entry (can be repeated)
    #[arg(short = 'x', value_name = "ENTRY")]
    taken_away: Vec<String>,

    /// Read the graph or the meta from this file (`-` for stdin) instead of mapping a repository
    #[arg(long, value_name = "FILE")]
    graph: Option<PathBuf>,

    /// Read the entries from this state file (`-` for stdin)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["entries", "taken_away"])]
    state: Option<PathBuf>,

    /// Show the shortest way from an entry to this node
    #[arg(long, value_name = "ID", conflicts_with_all = ["importers", "write", "upgrade"])]
    why: Option<String>,

    /// Show who depends on this node
    #[arg(long, value_name = "ID", conflicts_with_all = ["write", "upgrade", "budget"])]
    importers: Option<String>,

    /// How many edges to walk back for `--importers`
    #[arg(long, value_name = "N", default_value_t = 1)]
    depth: u64,

    /// Cut the selection to this many tokens (`30000` or `30k`)
    #[arg(long, value_name = "TOKENS", value_parser = budget)]
    budget: Option<u64>,

    /// Who counts tokens
    #[arg(long, value_enum, value_name = "NAME", default_value_t = TokenizerArg::O200kBase)]
    tokenizer: TokenizerArg,

    /// How many of the largest nodes to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,

    /// The kinds of edge that an entry follows where it doesn't say (`runtime,type,dynamic`)
    #[arg(long, value_name = "KINDS", value_parser = kinds)]
    default_kinds: Option<KindMask>,

    /// Keep nodes that are not files in the selection
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',')]
    keep_kinds: Vec<KeptKind>,

    /// Show the nodes as a tree of folders
    #[arg(long)]
    tree: bool,

    /// Save the entries as the state file
    #[arg(long)]
    write: bool,

    /// Rewrite the state file in version 2
    #[arg(long, conflicts_with_all = ["entries", "taken_away", "write", "budget"])]
    upgrade: bool,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TokenizerArg {
    /// The encoding of current models
    #[value(name = "o200k_base", alias = "o200k")]
    O200kBase,
    /// Don't count: the estimate (bytes / 4) has to do
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KeptKind {
    /// Modules that Node provides
    Builtin,
    /// Modules that were not found
    Missing,
}

fn budget(text: &str) -> Result<u64, String> {
    let tokens = text.parse().map(Budget::tokens);
    tokens.map_err(|_| "expected a number of tokens such as `30000` or `30k`".to_owned())
}

fn kinds(text: &str) -> Result<KindMask, String> {
    parse_kinds(text).map_err(|error| error.to_string())
}

impl SelectArgs {
    fn settings(&self) -> SelectSettings {
        SelectSettings {
            default_kinds: self.default_kinds.unwrap_or(KindMask::ALL),
            keep_builtin: self.keep_kinds.contains(&KeptKind::Builtin),
            keep_missing: self.keep_kinds.contains(&KeptKind::Missing),
            top: self.top,
            ..SelectSettings::default()
        }
    }

    fn request(&self, directives: &Directives, path_input: PathInput) -> SelectRequest {
        SelectRequest {
            path_input,
            state: directives.state.clone(),
            warnings: directives.warnings.clone(),
            settings: self.settings(),
            budget: self.budget,
            bearings: BTreeMap::new(),
            tokenizer: match self.tokenizer {
                TokenizerArg::O200kBase => Tokenizer::O200kBase,
                TokenizerArg::None => Tokenizer::None,
            },
        }
    }
}

/// Runs it.
pub(crate) fn run(args: &SelectArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    if args.upgrade {
        return upgrade(args, ctx);
    }
    let chart = input::chart(args, ctx)?;
    if let Some(id) = &args.importers {
        return show_importers(args, ctx, &chart, &chart.meant(id));
    }
    let directives = input::directives(args, ctx)?;
    // A state means the same wherever it is read; what is typed is seen from here.
    let is_typed = !args.entries.is_empty() || !args.taken_away.is_empty();
    let request = args.request(&directives, chart.path_input(is_typed));
    let (report, told) = chart.select(ctx.system, &request)?;
    if args.write {
        refuse_unknown(&report)?;
    }
    let mut all_notices = [chart.notices.clone(), directives.notices.clone()].concat();
    all_notices.extend(told);
    if let Some(id) = &args.why {
        let why = why_report(chart.csr_graph(), &report.state, &report.selection, &chart.meant(id));
        return answer(ctx, &all_notices, &why, render::why);
    }
    let shown = select_report(chart.csr_graph(), &report);
    let columns = ctx.stdout_width;
    answer(ctx, &all_notices, &shown, |shown| {
        render::selection(shown, args.tree, args.top, columns)
    })?;
    say_warnings(ctx, &report);
    if args.write {
        write_state(args, ctx, &report.state.to_text())?;
    }
    Ok(Exit::Done)
}

fn show_importers(
    args: &SelectArgs,
    ctx: &mut Context,
    chart: &Chart,
    id: &NodeId,
) -> Result<Exit, Failure> {
    let kinds = args.default_kinds.unwrap_or(KindMask::ALL);
    let Some(found) = importers(chart.csr_graph(), id, args.depth, kinds) else {
        let below = format!("{}/", id.as_str().trim_end_matches('/'));
        if chart.csr_graph().ids().iter().any(|one| one.as_str().starts_with(&below)) {
            return Err(Failure::bad_input(format!(
                "`{id}` is a folder; `--importers` takes a file"
            ))
            .hint(format!("`portolan chart {id}` lists its files")));
        }
        let failure = Failure::bad_input(format!("`{id}` is not in the map"));
        let near = suggest(chart.csr_graph(), id.as_str());
        return Err(near
            .iter()
            .fold(failure, |failure, near| failure.hint(format!("did you mean `{near}`?"))));
    };
    let report = importers_report(id, &found);
    answer(ctx, &chart.notices, &report, render::importers)
}

/// Answers in the form that was asked for.
fn answer<T: Serialize>(
    ctx: &mut Context,
    found: &[portolan_types::Notice],
    report: &T,
    human: impl FnOnce(&T) -> String,
) -> Result<Exit, Failure> {
    match ctx.format {
        Format::Human => {
            ctx.data(human(report).as_bytes())?;
            notices::say(ctx, found);
        }
        Format::Json => {
            ctx.answer(report, found)?;
        }
    }
    Ok(Exit::Done)
}

fn say_warnings(ctx: &mut Context, report: &SelectReport) {
    if ctx.format == Format::Json || ctx.quiet {
        return;
    }
    let warnings = &report.summary.warnings;
    for text in warnings.iter().take(SAID) {
        ctx.tell("warning", style::WARNING, &in_plain_words(text));
    }
    if warnings.len() > SAID {
        let more = thousands((warnings.len() - SAID) as u64);
        ctx.say(&format!("… and {more} more warnings; `--format json` lists them all"));
    }
    for (id, near) in report.suggestions.iter().take(SAID) {
        let near: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
        let text = format!("`{id}`: did you mean {}?", near.join(", "));
        ctx.tell("hint", style::ACCENT, &text);
    }
}

/// A state that leads nowhere is not worth overwriting one for.
fn refuse_unknown(report: &SelectReport) -> Result<(), Failure> {
    if report.unknown.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = report.unknown.iter().take(SAID).map(|id| format!("`{id}`")).collect();
    let more = report.unknown.len().saturating_sub(SAID);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "nothing was written: {}{more} is neither in the map nor a file, folder or glob of the repository",
        shown.join(", ")
    );
    let hints = report.suggestions.iter().map(|(id, near)| {
        let near: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
        format!("`{id}`: did you mean {}?", near.join(", "))
    });
    Err(hints.fold(Failure::bad_input(message), Failure::hint))
}

/// The warnings of the selection's contract in the words of everything else. JSON keeps theirs.
fn in_plain_words(warning: &str) -> String {
    const WORDS: [(&str, &str); 7] = [
        ("Selected nodeId not present in graph.nodes: ", "it is not in the map"),
        ("metadata.size missing for file node: ", "its size is not known"),
        ("metadata.size missing for hashed node: ", "its size is not known"),
        ("Dropped builtin node from selection: ", "it is a module of the platform, not a file"),
        ("Dropped missing node from selection: ", "it leads nowhere, so there is no file"),
        (UNREAD, "imports of its language are not read, so nothing it needs is selected"),
        ("Dropped seed from selection to keep the budget: ", "it was given up to keep the budget"),
    ];
    let plain = WORDS
        .iter()
        .find_map(|(head, words)| warning.strip_prefix(head).map(|id| format!("`{id}`: {words}")));
    plain.unwrap_or_else(|| warning.to_owned())
}

fn upgrade(args: &SelectArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let (name, bytes) = input::state_file(args, ctx)?;
    let Some(bytes) = bytes else {
        return Err(Failure::bad_input(format!("there is no state to upgrade at {name}")));
    };
    let read = input::read_strict(&name, &bytes)?;
    write_state(args, ctx, &read.state.to_text())?;
    Ok(Exit::Done)
}

fn write_state(args: &SelectArgs, ctx: &mut Context, text: &str) -> Result<(), Failure> {
    let name = input::write_state(args, ctx, text.as_bytes())?;
    ctx.say(&escape(&format!("wrote {name}")));
    Ok(())
}
