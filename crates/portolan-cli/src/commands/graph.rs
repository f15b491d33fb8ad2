//! `portolan graph`: the Map, as JSON, as a picture or in numbers.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use portolan_graph::MetaHashes;
use portolan_index::map::{MapReport, MapRequest};
use portolan_index::session::Session;
use portolan_index::timings::Timings;
use portolan_query::view::{self, Numbers, Picture, PictureSyntax, View, ViewError};
use portolan_types::{EdgeKind, NodeKind, Notice};
use portolan_wire::answer::NoticeV1;
use portolan_wire::canonical;
use portolan_workspace::config;
use serde::Serialize;

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{MetaBudget, ScopeArgs, map_failure, parse_budget};
use crate::context::{Context, escape, style};
use crate::failure::{Exit, Failure};
use crate::{notices, timings};
use portolan_query::text::{bytes, shortened, thousands, wrapped};

/// The arguments of `portolan graph`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan graph                                what is there, in numbers
  portolan graph --view meta --out map.json     the map as an assistant gets it
  portolan graph --view dot --focus src/a.ts    a picture of what is around it")]
pub(crate) struct GraphArgs {
    /// What to show [default: stats on a terminal, meta elsewhere]
    #[arg(long, value_enum, value_name = "VIEW")]
    view: Option<ViewName>,

    /// Name external files by where they are instead of where an archive has them
    #[arg(long)]
    raw_ids: bool,

    /// Leave the short hashes (`h`) out of the meta
    #[arg(long)]
    no_hashes: bool,

    /// Cut the meta to this many tokens: a number, `60k`, or `none` for the whole
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, default_value = "none")]
    meta_budget: MetaBudget,

    /// The node in the middle of a picture (can be repeated)
    #[arg(long, value_name = "ID")]
    focus: Vec<String>,

    /// How many hops around the focus a picture shows
    #[arg(long, value_name = "N", default_value_t = 1)]
    depth: u32,

    /// Write to this file instead of stdout (`-`)
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Tell how long each stage took
    #[arg(long)]
    timings: bool,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// The views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ViewName {
    /// Files, edges, hubs, cycles and notices in numbers
    Stats,
    /// The compact meta, version 2
    Meta,
    /// The whole graph: nodes with metadata, edges with kind and resolution
    Graph,
    /// A picture for Markdown
    Mermaid,
    /// A picture for Graphviz
    Dot,
}

/// Runs it.
pub(crate) fn run(args: &GraphArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let config = args.scope.load(ctx)?;
    let no_hashes = args.no_hashes || config.settings.meta.hashes == config::MetaHashes::None;
    let request = MapRequest { config, threads: args.scope.threads };
    let session = Session::open(&ctx.system, request, args.cache.mode());
    let session = session.map_err(|error| map_failure(&error))?;
    let mut report = session.map().map_err(|error| map_failure(&error))?;
    let terminal = ctx.stdout_is_terminal && args.out.is_none() && ctx.format == Format::Human;
    let name = args.view.unwrap_or(if terminal { ViewName::Stats } else { ViewName::Meta });
    let picture =
        |syntax| View::Picture(Picture { syntax, focus: args.focus.clone(), depth: args.depth });
    let hashes = if no_hashes { MetaHashes::None } else { MetaHashes::Short };
    let view = match name {
        ViewName::Stats => return show_stats(args, ctx, &report),
        ViewName::Meta => View::Meta { hashes, budget: args.meta_budget },
        ViewName::Graph => View::Graph,
        ViewName::Mermaid => picture(PictureSyntax::Mermaid),
        ViewName::Dot => picture(PictureSyntax::Dot),
    };
    let mut timings = std::mem::take(&mut report.timings);
    let rendered = timings
        .measure("encode", || session.install(|| view::render(&report, args.raw_ids, &view)));
    let rendered = rendered.map_err(|error| view_failure(&error))?;
    let mut all_notices = std::mem::take(&mut report.notices);
    all_notices.extend(rendered.notices);
    let mut bytes = rendered.bytes;
    if ctx.format == Format::Json {
        let result = match view {
            View::Meta { .. } | View::Graph => bytes,
            View::Picture(_) => {
                let mut text = Vec::new();
                canonical::write_string(&mut text, &String::from_utf8_lossy(&bytes));
                text
            }
        };
        bytes = wrap(&result, &all_notices, args.timings.then_some(&timings));
    } else {
        notices::say(ctx, &all_notices);
        say_timings(args, ctx, &timings);
    }
    if !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    let delivered = deliver(args, ctx, &bytes);
    // The process is about to end: freeing a large map piece by piece wastes time.
    std::mem::forget(report);
    delivered
}

fn say_timings(args: &GraphArgs, ctx: &mut Context, timings: &Timings) {
    if args.timings {
        timings::say(ctx, timings);
    }
}

/// `{"notices": …, "result": …}`, canonical, without parsing the result again; with `"timings"` last
/// where they are asked for.
fn wrap(result: &[u8], all_notices: &[Notice], timings: Option<&Timings>) -> Vec<u8> {
    let mut bytes = b"{\"notices\":".to_vec();
    bytes.extend(encoded(&all_notices.iter().map(NoticeV1::from).collect::<Vec<_>>()));
    bytes.extend_from_slice(b",\"result\":");
    bytes.extend_from_slice(result);
    if let Some(timings) = timings {
        bytes.extend_from_slice(b",\"timings\":");
        bytes.extend(encoded(&timings::to_wire(timings)));
    }
    bytes.push(b'}');
    bytes
}

fn encoded(value: &impl Serialize) -> Vec<u8> {
    canonical::to_vec(&serde_json::to_value(value).unwrap_or_default())
}

fn deliver(args: &GraphArgs, ctx: &mut Context, bytes: &[u8]) -> Result<Exit, Failure> {
    match &args.out {
        Some(path) if path.as_os_str() != "-" => {
            ctx.write_named(path, bytes)?;
            ctx.say(&format!("wrote {} ({} bytes)", path.display(), bytes.len()));
        }
        _ => ctx.artifact(bytes)?,
    }
    Ok(Exit::Done)
}

fn view_failure(error: &ViewError) -> Failure {
    let failure = Failure::bad_input(error.to_string());
    match error {
        ViewError::UnknownNode { similar, .. } if !similar.is_empty() => {
            failure.hint(format!("did you mean `{}`?", similar.join("`, `")))
        }
        ViewError::UnknownNode { .. } => {
            failure.hint("`portolan graph --view meta` lists every id")
        }
        ViewError::TooLarge(_) => {
            failure.hint("name what it should be about: `--focus ID --depth N`")
        }
    }
}

fn show_stats(args: &GraphArgs, ctx: &mut Context, report: &MapReport) -> Result<Exit, Failure> {
    let numbers = view::numbers(report, args.raw_ids, 5);
    if ctx.format == Format::Json {
        let timings = args.timings.then_some(&report.timings);
        let mut bytes = wrap(&encoded(&numbers.to_wire()), &report.notices, timings);
        bytes.push(b'\n');
        return deliver(args, ctx, &bytes);
    }
    let columns = ctx.stdout_width.filter(|_| args.out.is_none());
    let text = stats_text(&numbers, columns);
    match args.out {
        // An artifact has no colours, whatever it is called.
        Some(_) => deliver(args, ctx, anstream::adapter::strip_str(&text).to_string().as_bytes())?,
        None => ctx.data(text.as_bytes()).map(|()| Exit::Done)?,
    };
    notices::say(ctx, &report.notices);
    say_timings(args, ctx, &report.timings);
    Ok(Exit::Done)
}

/// The numbers for people. The labels stand in a column of eight.
fn stats_text(numbers: &Numbers, columns: Option<usize>) -> String {
    let dim = style::DIM;
    let mut text = String::new();
    let mut row = |label: &str, value: &str| {
        let bold = style::BOLD;
        let _ = writeln!(text, "{bold}{label}{bold:#}{:1$}{value}", "", 8 - label.len());
    };
    let nodes = NodeKind::ALL.map(|kind| (numbers.stats.nodes_of(kind), kind.name()));
    let size = bytes(numbers.stats.source_bytes);
    row("Nodes", &format!("{}  {dim}({size} of source){dim:#}", listed(nodes)));
    let named = |counts: [usize; 3]| {
        let kinds = EdgeKind::ALL.iter().zip(counts);
        listed(kinds.map(|(kind, count)| (count, kind.name())))
    };
    row("Edges", &named(numbers.stats.explicit_edges));
    let tunnels = named(numbers.stats.implicit_edges);
    row("Tunnels", &format!("{tunnels}  {dim}(implicit){dim:#}"));
    let tokens = thousands(numbers.meta_tokens);
    row("Meta", &format!("{}, {tokens} tokens", bytes(numbers.meta_bytes as u64)));
    let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(15));
    for (index, (id, dependents)) in numbers.hubs.iter().enumerate() {
        let label = if index == 0 { "Hubs" } else { "" };
        let dependents = thousands(*dependents as u64);
        row(label, &format!("{dependents:>5}  {}", shortened(&escape(id), room)));
    }
    let Some(largest) = numbers.cycles.first() else {
        row("Cycles", "none");
        return text;
    };
    let [cycles, files] = [numbers.cycles.len(), largest.len()].map(|n| thousands(n as u64));
    row("Cycles", &format!("{cycles}, the largest of {files} files"));
    let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(9));
    let mut named: Vec<_> = largest.iter().take(4).map(|id| shortened(&escape(id), room)).collect();
    if largest.len() > named.len() {
        named.push(format!("… {} more", thousands((largest.len() - named.len()) as u64)));
    }
    let cycle = wrapped(&format!("        {}", named.join(", ")), columns, 8);
    let _ = writeln!(text, "{dim}{cycle}{dim:#}");
    text
}

/// Counts with their names, without those of which there are none.
fn listed<'a>(counts: impl IntoIterator<Item = (usize, &'a str)>) -> String {
    let some = counts.into_iter().filter(|(count, _)| *count > 0);
    let some: Vec<_> =
        some.map(|(count, name)| format!("{} {name}", thousands(count as u64))).collect();
    if some.is_empty() { "none".to_owned() } else { some.join(", ") }
}
