//! `portolan graph`: the Map, as JSON, as a picture or in numbers.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use portolan_engine::map::{self, MapReport, MapRequest};
use portolan_engine::timings::Timings;
use portolan_engine::view::{self, Numbers, Picture, PictureSyntax, View, ViewError};
use portolan_engine::{MetaHashes, System, config};
use portolan_types::{EdgeKind, NodeKind, Notice};

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{Budget, ScopeArgs, parse_budget};
use crate::context::{Context, escape, style};
use crate::failure::{Exit, Failure};
use crate::{notices, timings};

/// The arguments of `portolan graph`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan graph                                     what is there, in numbers
  portolan graph --view meta --out map.json          the map as an assistant gets it
  portolan graph --view mermaid --focus src/index.ts a picture of what is around a file")]
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

    /// Cut the meta to this many tokens, as `run` does: a number, `60k`, or `none` for the whole
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, default_value = "none")]
    meta_budget: Budget,

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
    let mut report = map::build_cached(&ctx.system, &request, args.cache.mode())
        .map_err(|error| super::scope::map_failure(&error))?;
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
    let rendered = timings.measure("encode", || view::render(&report, args.raw_ids, &view));
    let rendered = rendered.map_err(|error| view_failure(&error))?;
    let mut all_notices = std::mem::take(&mut report.notices);
    all_notices.extend(rendered.notices);
    let mut bytes = rendered.bytes;
    if ctx.format == Format::Json {
        let result = match view {
            View::Meta { .. } | View::Graph => bytes,
            View::Picture(_) => {
                let mut text = Vec::new();
                portolan_wire::canonical::write_string(&mut text, &String::from_utf8_lossy(&bytes));
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
    // The process is about to end: giving a large map back piece by piece is a waste.
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
    bytes.extend(portolan_wire::canonical::to_vec(&notices::to_json(all_notices)));
    bytes.extend_from_slice(b",\"result\":");
    bytes.extend_from_slice(result);
    if let Some(timings) = timings {
        bytes.extend_from_slice(b",\"timings\":");
        bytes.extend(portolan_wire::canonical::to_vec(&timings::to_json(timings)));
    }
    bytes.push(b'}');
    bytes
}

fn deliver(args: &GraphArgs, ctx: &mut Context, bytes: &[u8]) -> Result<Exit, Failure> {
    match &args.out {
        Some(path) if path.as_os_str() != "-" => {
            let target = ctx.path(path);
            ctx.system.write_named(&target, bytes).map_err(|error| {
                Failure::failed(format!("cannot write `{}`: {error}", path.display()))
            })?;
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
        let result = portolan_wire::canonical::to_vec(&numbers.to_json());
        let timings = args.timings.then_some(&report.timings);
        let mut bytes = wrap(&result, &report.notices, timings);
        bytes.push(b'\n');
        return deliver(args, ctx, &bytes);
    }
    let text = stats_text(&numbers, args);
    match args.out {
        Some(_) => deliver(args, ctx, text.as_bytes())?,
        None => ctx.data(text.as_bytes()).map(|()| Exit::Done)?,
    };
    notices::say(ctx, &report.notices);
    say_timings(args, ctx, &report.timings);
    Ok(Exit::Done)
}

fn stats_text(numbers: &Numbers, args: &GraphArgs) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    // An artifact has no colours, whatever it is called.
    let plain = args.out.is_some();
    let paint = |style: anstyle::Style, text: &str| {
        if plain { text.to_owned() } else { format!("{style}{text}{style:#}") }
    };
    let mut text = String::new();
    let count = |kind| numbers.stats.nodes_of(kind);
    let _ = writeln!(
        text,
        "{}  {} source, {} external, {} builtin, {} missing  {}",
        paint(bold, "Nodes "),
        count(NodeKind::Source),
        count(NodeKind::External),
        count(NodeKind::Builtin),
        count(NodeKind::Missing),
        paint(
            dim,
            &format!("({} files, {} of source)", numbers.files, bytes(numbers.stats.source_bytes))
        ),
    );
    for (label, counts) in
        [("Edges ", numbers.stats.explicit_edges), ("Tunnel", numbers.stats.implicit_edges)]
    {
        let kinds: Vec<_> = EdgeKind::ALL
            .iter()
            .zip(counts)
            .map(|(kind, count)| format!("{count} {}", kind.name()))
            .collect();
        let what = if label == "Tunnel" { "implicit, through barrels" } else { "explicit" };
        let _ = writeln!(
            text,
            "{}  {}  {}",
            paint(bold, label),
            kinds.join(", "),
            paint(dim, &format!("({what})"))
        );
    }
    let _ = writeln!(
        text,
        "{}  {}, about {} tokens",
        paint(bold, "Meta  "),
        bytes(numbers.meta_bytes as u64),
        numbers.meta_tokens()
    );
    for (index, (id, dependents)) in numbers.hubs.iter().enumerate() {
        let label = if index == 0 { paint(bold, "Hubs  ") } else { "      ".to_owned() };
        let _ = writeln!(text, "{label}  {dependents:>5}  {}", escape(id));
    }
    let largest = numbers.cycles.first().map_or(0, Vec::len);
    let detail = if numbers.cycles.is_empty() {
        String::new()
    } else {
        format!(", the largest of {largest} files")
    };
    let _ = writeln!(text, "{}  {}{detail}", paint(bold, "Cycles"), numbers.cycles.len());
    if let Some(cycle) = numbers.cycles.first() {
        let shown: Vec<_> = cycle.iter().take(4).map(|id| escape(id)).collect();
        let more = cycle.len().saturating_sub(4);
        let tail = if more > 0 { format!(", … {more} more") } else { String::new() };
        let _ = writeln!(text, "        {}", paint(dim, &format!("{}{tail}", shown.join(", "))));
    }
    text
}

/// A size for people.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["B", "kB", "MB", "GB"];
    #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{count} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_are_short() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1234), "1.2 kB");
        assert_eq!(bytes(5_000_000_000_000), "5000.0 GB");
    }
}
