//! `portolan graph`: the Map, as JSON, as a picture or in numbers.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use portolan_engine::map::{self, MapReport, MapRequest};
use portolan_engine::view::{self, Numbers, Picture, PictureSyntax, View, ViewError};
use portolan_engine::{MetaHashes, System, config};
use portolan_types::{EdgeKind, NodeKind, Notice};
use serde_json::json;

use crate::args::Format;
use crate::commands::scope::{Budget, ScopeArgs, parse_budget};
use crate::context::{Context, escape, style};
use crate::failure::{Exit, Failure};
use crate::notices;

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

    #[command(flatten)]
    scope: ScopeArgs,
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
    let report = map::build(&ctx.system, &MapRequest { config, threads: args.scope.threads })
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
    let rendered =
        view::render(&report, args.raw_ids, &view).map_err(|error| view_failure(&error))?;
    let mut all_notices = report.notices;
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
        bytes = wrap(&result, &all_notices);
    } else {
        notices::say(ctx, &all_notices);
    }
    if !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    deliver(args, ctx, &bytes)
}

/// `{"notices": …, "result": …}`, canonical, without parsing the result again.
fn wrap(result: &[u8], all_notices: &[Notice]) -> Vec<u8> {
    let mut bytes = b"{\"notices\":".to_vec();
    bytes.extend(portolan_wire::canonical::to_vec(&notices::to_json(all_notices)));
    bytes.extend_from_slice(b",\"result\":");
    bytes.extend_from_slice(result);
    bytes.push(b'}');
    bytes
}

fn deliver(args: &GraphArgs, ctx: &mut Context, bytes: &[u8]) -> Result<Exit, Failure> {
    match &args.out {
        Some(path) if path.as_os_str() != "-" => {
            let target = ctx.path(path);
            ctx.system.write(&target, bytes).map_err(|error| {
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
        let report =
            json!({"result": numbers.to_json(), "notices": notices::to_json(&report.notices)});
        return deliver(
            args,
            ctx,
            format!("{}\n", portolan_wire::canonical::to_string(&report)).as_bytes(),
        );
    }
    let text = stats_text(&numbers, args);
    match args.out {
        Some(_) => deliver(args, ctx, text.as_bytes())?,
        None => ctx.data(text.as_bytes()).map(|()| Exit::Done)?,
    };
    notices::say(ctx, &report.notices);
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
