//! The answers of `select` for people.

use std::borrow::Cow;
use std::fmt::Write as _;

use anstyle::Style;
use portolan_guard::redact;
use portolan_types::escape_invisible as escape;
use portolan_wire::select::{
    ImportersReportV1, SelectBudget, SelectNode, SelectReportV1, WhyReportV1, WhyRoute,
};
use serde_json::Value;

use super::{SelectAnswer, UNREAD};
use crate::text::{bytes, count, padded, shortened, thousands, width, wrapped};

/// The width of a bar.
const BAR: usize = 10;
/// What a name keeps of its width, however narrow the terminal is.
const NAME_MIN: usize = 12;
/// How many ids of a cut are named.
const CUT_NAMED: usize = 5;

/// How a text looks: plain and as wide as it is, or fit for a terminal.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextStyle {
    /// The columns of the terminal, if there is one.
    pub columns: Option<usize>,
    /// A headline.
    pub bold: Style,
    /// A number that matters.
    pub accent: Style,
    /// A detail.
    pub dim: Style,
}

impl SelectAnswer {
    /// The answer for people. The warnings of a selection are not in it.
    pub fn to_text(&self, style: &TextStyle) -> String {
        match self {
            Self::Selection { shown, tree, top, .. } => selection(shown, *tree, *top, style),
            Self::Why(report) => why(report, style),
            Self::Importers(report) => importers(report, style),
        }
    }
}

/// A warning of the selection's contract in plain words. JSON keeps the contract's.
pub fn warning_text(warning: &str) -> String {
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

/// A selection: one line on the whole, one on each node, then what a budget cut.
fn selection(report: &SelectReportV1, tree: bool, top: usize, style: &TextStyle) -> String {
    let mut out = headline(report, style);
    table(&mut out, report, tree, style);
    if report.nodes.len() > top && top > 0 {
        largest(&mut out, report, style);
    }
    if let Some(budget) = &report.budget {
        cuts(&mut out, budget, &report.state, style);
    }
    out
}

fn headline(report: &SelectReportV1, style: &TextStyle) -> String {
    let TextStyle { bold, accent, dim, .. } = style;
    let nodes = count(report.selected_count, "node");
    let (tokens, who) = match report.tokens {
        Some(tokens) => (thousands(tokens), report.tokenizer),
        // Nobody was to count, or there is nothing to read.
        None => (format!("~{}", thousands(estimate(report.total_bytes))), "bytes / 4"),
    };
    let mut out = format!(
        "{bold}{nodes}{bold:#}, {}, {accent}{tokens} tokens{accent:#} {dim}({who}){dim:#}",
        bytes(report.total_bytes)
    );
    if !report.excluded.is_empty() {
        let _ = write!(out, ", {} excluded", thousands(report.excluded.len() as u64));
    }
    out.push('\n');
    out
}

/// A longer name pushes its own line out of shape, and no other.
const WIDEST: usize = 200;

fn table(out: &mut String, report: &SelectReportV1, tree: bool, style: &TextStyle) {
    let &TextStyle { columns, dim, .. } = style;
    if report.nodes.is_empty() {
        return;
    }
    let counted = report.tokens.is_some();
    let price = |node: &SelectNode| if counted { node.tokens.unwrap_or(0) } else { node.bytes };
    let total: u64 = report.nodes.iter().fold(0, |sum: u64, node| sum.saturating_add(price(node)));
    let names = names(&report.nodes, tree);
    let layout = Layout::fit(&names, columns);
    let share_width = if layout.has_bar { BAR + 5 } else { 5 };
    let row = |tokens: &str, size: &str, share: &str| format!("{tokens:>8}  {size:>9}  {share}  ");
    let head = row("tokens", "size", &padded("share", share_width));
    let _ = writeln!(out, "{dim}{head}{}  why{dim:#}", padded("node", layout.name));
    for (node, name) in names {
        let name = if columns.is_some() { shortened(&name, layout.name) } else { name };
        let Some(node) = node else {
            let _ = writeln!(out, "{}{dim}{name}{dim:#}", row("", "", &padded("", share_width)));
            continue;
        };
        let tokens = match node.tokens {
            Some(tokens) => thousands(tokens),
            None if node.bytes == 0 => "-".to_owned(),
            None => format!("~{}", thousands(estimate(node.bytes))),
        };
        let share = share(price(node), total, layout.has_bar, style.accent);
        let why = why_in(node, layout.names_entry);
        let start = row(&tokens, &bytes(node.bytes), &share);
        let _ = writeln!(out, "{start}{}  {dim}{why}{dim:#}", padded(&name, layout.name));
    }
}

/// What of the table there is room for.
#[derive(Debug, PartialEq, Eq)]
struct Layout {
    /// Whether shares have a bar.
    has_bar: bool,
    /// Whether the last column names the entry that a node was reached from.
    names_entry: bool,
    /// The width of the names.
    name: usize,
}

impl Layout {
    /// What is least needed goes first: the bar, the entry, the middle of long names.
    fn fit(names: &[(Option<&SelectNode>, String)], columns: Option<usize>) -> Self {
        // Tokens, size and a share without a bar, with two columns behind each and behind the name.
        const FIXED: usize = 8 + 2 + 9 + 2 + 5 + 2 + 2;
        let name = names.iter().map(|(_, name)| width(name)).max().unwrap_or(0).min(WIDEST);
        let why = |names_entry: bool| {
            let nodes = names.iter().filter_map(|(node, _)| *node);
            nodes.map(|node| width(&why_in(node, names_entry))).max().unwrap_or(0)
        };
        let (long, short) = (why(true), why(false));
        let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(FIXED));
        let names_entry = name + long <= room;
        let needed = name + if names_entry { long } else { short };
        Self {
            has_bar: needed.saturating_add(BAR) <= room,
            names_entry,
            name: name.min(room.saturating_sub(short).max(NAME_MIN)),
        }
    }
}

/// The lines of the table: in a tree, a folder has a line without a node.
fn names(nodes: &[SelectNode], tree: bool) -> Vec<(Option<&SelectNode>, String)> {
    if !tree {
        return nodes.iter().map(|node| (Some(node), escape(&shown(node)))).collect();
    }
    let mut lines = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for node in nodes {
        let mut folders: Vec<&str> = node.id.split('/').collect();
        let name = folders.pop().unwrap_or_default();
        let common = open.iter().zip(&folders).take_while(|(left, right)| left == right).count();
        for (depth, folder) in folders.iter().enumerate().skip(common) {
            lines.push((None, format!("{}{}/", "  ".repeat(depth), escape(folder))));
        }
        lines.push((Some(node), format!("{}{}", "  ".repeat(folders.len()), escape(name))));
        open = folders;
    }
    lines
}

/// The id of a node. What the map does not have is the caller's own text, which may hold anything.
fn shown(node: &SelectNode) -> Cow<'_, str> {
    if node.kind.is_some() { Cow::Borrowed(&node.id) } else { redact(&node.id) }
}

/// The share of the whole, as a number and, where there is room, a bar before it.
fn share(part: u64, total: u64, has_bar: bool, accent: Style) -> String {
    let (part, total) = (u128::from(part), u128::from(total));
    let percent = (part * 200 + total).checked_div(total * 2).unwrap_or(0) as usize;
    if !has_bar {
        return format!("{percent:>4}%");
    }
    let full = (percent * BAR).div_ceil(100);
    format!("{accent}{}{accent:#}{} {percent:>3}%", "█".repeat(full), "░".repeat(BAR - full))
}

/// Why a node is in: it is an entry, or so many edges away from one.
fn why_in(node: &SelectNode, names_entry: bool) -> String {
    let kind = match node.kind {
        None => "not in the map, ".to_owned(),
        Some("source") => String::new(),
        Some(kind) => format!("{kind}, "),
    };
    match node.hops {
        0 => format!("{kind}entry"),
        hops if !names_entry => format!("{kind}{}", count(hops as usize, "hop")),
        hops => {
            let entry = escape(&entry_text(&node.entry));
            format!("{kind}{} from {entry}", count(hops as usize, "hop"))
        }
    }
}

/// An entry as it is typed: `src/index.ts:2:1`.
fn entry_text(entry: &Value) -> String {
    let parts = entry.as_array().map(Vec::as_slice);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    parts.map_or_else(|| text(entry), |parts| parts.iter().map(text).collect::<Vec<_>>().join(":"))
}

fn largest(out: &mut String, report: &SelectReportV1, style: &TextStyle) {
    let &TextStyle { columns, bold, .. } = style;
    let _ = writeln!(out, "\n{bold}largest{bold:#}");
    // Behind the column of sizes.
    let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(13));
    for node in &report.largest {
        let id = shortened(&escape(&node.node_id), room);
        let _ = writeln!(out, "  {:>9}  {id}", bytes(node.bytes));
    }
}

fn cuts(out: &mut String, budget: &SelectBudget, state: &Value, style: &TextStyle) {
    let &TextStyle { columns, bold, .. } = style;
    let unit = if budget.unit == "estimate" { "tokens by the estimate" } else { "tokens" };
    let _ = writeln!(
        out,
        "\n{bold}budget{bold:#} {} {unit}: {} → {}",
        thousands(budget.budget),
        thousands(budget.before),
        thousands(budget.after)
    );
    if budget.steps.is_empty() {
        let _ = writeln!(out, "  nothing had to be cut");
        return;
    }
    for (index, step) in budget.steps.iter().enumerate() {
        let what = match (step.step, step.depth) {
            (_, Some(hops)) => format!("{} away", count(hops as usize, "hop")),
            (_, None) => "entries given up".to_owned(),
        };
        let mut named: Vec<String> = step.cut.iter().take(CUT_NAMED).map(|id| escape(id)).collect();
        if step.cut.len() > CUT_NAMED {
            named.push(format!("… {} more", step.cut.len() - CUT_NAMED));
        }
        let line = format!(
            "  {}. {what}: {} cut, {} left ({})",
            index + 1,
            count(step.cut.len(), "node"),
            thousands(step.after),
            named.join(", ")
        );
        let _ = writeln!(out, "{}", wrapped(&line, columns, 5));
    }
    let _ = writeln!(out, "{bold}entries that select just this{bold:#}");
    for (list, sign) in [("i", ""), ("x", "-x ")] {
        for entry in state[list].as_array().into_iter().flatten() {
            let _ = writeln!(out, "  {sign}{}", escape(&entry_text(entry)));
        }
    }
}

/// The answer to `--why`.
fn why(report: &WhyReportV1, style: &TextStyle) -> String {
    let bold = style.bold;
    let verdict = match (report.selected, &report.included_by, &report.excluded_by) {
        (true, _, _) => "is selected",
        (false, Some(_), Some(_)) => "is excluded",
        (false, Some(_), None) => "is reached, but is no file",
        (false, None, _) => "is not selected: no entry reaches it",
    };
    let mut out = format!("{bold}{}{bold:#} {verdict}\n", escape(&report.id));
    if let Some(route) = &report.included_by {
        way(&mut out, "included by", route, style.accent);
    }
    if let Some(route) = &report.excluded_by {
        way(&mut out, "excluded by", route, style.accent);
    }
    for near in &report.did_you_mean {
        let _ = writeln!(out, "  not in the map; did you mean {}?", escape(near));
    }
    out
}

fn way(out: &mut String, head: &str, route: &WhyRoute, accent: Style) {
    let _ = writeln!(out, "  {head} {}", escape(&entry_text(&route.entry)));
    for step in &route.steps {
        let _ = writeln!(
            out,
            "    {accent}─ {} →{accent:#} {}",
            step.kinds.join(", "),
            escape(&step.to)
        );
    }
}

/// The answer to `--importers`.
fn importers(report: &ImportersReportV1, style: &TextStyle) -> String {
    let TextStyle { bold, dim, .. } = style;
    let id = escape(&report.id);
    if report.importers.is_empty() && !report.is_read {
        return format!(
            "{bold}nobody knows{bold:#} who depends on {id}: imports of this language are not read\n"
        );
    }
    let nodes = count(report.importers.len(), "node");
    let verb = if report.importers.len() == 1 { "depends" } else { "depend" };
    let mut out = format!("{bold}{nodes}{bold:#} {verb} on {id}\n");
    let ids = report.importers.iter().map(|importer| width(&escape(&importer.id)));
    let column = ids.max().unwrap_or(0);
    for importer in &report.importers {
        let how = if importer.kinds.is_empty() {
            "through others".to_owned()
        } else {
            importer.kinds.join(", ")
        };
        let id = padded(&escape(&importer.id), column);
        let _ = writeln!(out, "  {:>2}  {id}  {dim}{how}{dim:#}", importer.hops);
    }
    if !report.is_read {
        let _ =
            writeln!(out, "{dim}there may be more: imports of this language are not read{dim:#}");
    }
    out
}

fn estimate(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use anstyle::Style;
    use portolan_wire::select::SelectNode;
    use serde_json::json;

    use super::{Layout, entry_text, names, share, why_in};

    fn node(id: &str) -> SelectNode {
        SelectNode {
            id: id.to_owned(),
            kind: Some("source"),
            bytes: 1,
            tokens: None,
            entry: json!(id),
            hops: 0,
        }
    }

    #[test]
    fn a_share_is_a_bar_of_fixed_width() {
        let plain = |part, total| share(part, total, true, Style::new());
        assert_eq!(plain(1, 2), "█████░░░░░  50%");
        assert_eq!(plain(0, 0), "░░░░░░░░░░   0%");
        assert_eq!(plain(1, 1000), "░░░░░░░░░░   0%");
        // Shares are rounded, so that those of a whole add up to it.
        assert_eq!(plain(48, 63), "████████░░  76%");
        assert_eq!(plain(15, 63), "███░░░░░░░  24%");
        assert_eq!(plain(7, 7), "██████████ 100%");
        let bare = |part, total| share(part, total, false, Style::new());
        assert_eq!([bare(1, 2), bare(7, 7)], ["  50%", " 100%"]);
    }

    #[test]
    fn a_tree_names_each_folder_once() {
        let nodes = [node("a.ts"), node("src/a.ts"), node("src/deep/b.ts"), node("test/c.ts")];
        let lines: Vec<String> = names(&nodes, true).into_iter().map(|(_, name)| name).collect();
        assert_eq!(lines, ["a.ts", "src/", "  a.ts", "  deep/", "    b.ts", "test/", "  c.ts"]);
    }

    #[test]
    fn ids_cannot_drive_the_terminal() {
        let nodes = [node("a\u{1b}[2J")];
        assert_eq!(names(&nodes, false)[0].1, "a\\u{1b}[2J");
        let far = SelectNode { hops: 2, entry: json!(["x\u{1b}", 2, 1]), ..node("a") };
        assert_eq!(why_in(&far, true), "2 hops from x\\u{1b}:2:1");
        assert_eq!(why_in(&far, false), "2 hops");
        assert_eq!(entry_text(&json!("a")), "a");
    }
    #[test]
    fn a_narrow_terminal_loses_the_bar_then_the_entry_then_the_middle_of_names() {
        let far = SelectNode { hops: 1, entry: json!(["src/index.ts", 1]), ..node("src/other.ts") };
        let nodes = [node("src/index.ts"), far];
        let names = names(&nodes, false);
        let layout = |columns| {
            let Layout { has_bar, names_entry, name } = Layout::fit(&names, columns);
            (has_bar, names_entry, name)
        };
        assert_eq!(layout(None), (true, true, 12), "a pipe has room for everything");
        assert_eq!(layout(Some(77)), (true, true, 12));
        assert_eq!(layout(Some(76)), (false, true, 12));
        assert_eq!(layout(Some(66)), (true, false, 12));
        assert_eq!(layout(Some(50)), (false, false, 12));
        let long = [node("src/a/very/long/path/to/some/file.ts")];
        assert_eq!(Layout::fit(&super::names(&long, false), Some(60)).name, 25);
        assert_eq!(Layout::fit(&super::names(&long, false), Some(10)).name, 12);
    }
}
