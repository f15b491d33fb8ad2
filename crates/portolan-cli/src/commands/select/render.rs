//! The answers of `portolan select` for people.

use std::fmt::Write as _;

use portolan_wire::select::{
    ImportersReportV1, SelectBudget, SelectNode, SelectReportV1, WhyReportV1, WhyRoute,
};
use serde_json::Value;

use crate::context::{escape, style};

/// The width of a bar.
const BAR: usize = 10;
/// How many ids of a cut are named.
const CUT_NAMED: usize = 5;

/// A selection: one line on the whole, one on each node, then what a budget cut.
pub(super) fn selection(report: &SelectReportV1, tree: bool, top: usize) -> String {
    let mut out = headline(report);
    table(&mut out, report, tree);
    if report.nodes.len() > top && top > 0 {
        largest(&mut out, report);
    }
    if let Some(budget) = &report.budget {
        cuts(&mut out, budget, &report.state);
    }
    out
}

fn headline(report: &SelectReportV1) -> String {
    let (bold, accent, dim) = (style::BOLD, style::ACCENT, style::DIM);
    let nodes = counted(report.selected_count, "node");
    let estimate = format!("~{} tokens", grouped(estimate(report.total_bytes)));
    let mut out = format!(
        "{bold}{nodes}{bold:#}, {} bytes, {accent}{estimate}{accent:#} {dim}(bytes / 4){dim:#}",
        grouped(report.total_bytes)
    );
    if let Some(tokens) = report.tokens {
        let _ = write!(
            out,
            ", {accent}{} tokens{accent:#} {dim}({}){dim:#}",
            grouped(tokens),
            report.tokenizer
        );
    }
    if !report.excluded.is_empty() {
        let _ = write!(out, ", {} excluded", grouped(report.excluded.len() as u64));
    }
    out.push('\n');
    out
}

/// A longer name pushes its own line out of shape, and no other.
const WIDEST: usize = 200;

fn table(out: &mut String, report: &SelectReportV1, tree: bool) {
    if report.nodes.is_empty() {
        return;
    }
    let counted = report.tokens.is_some();
    let price = |node: &SelectNode| if counted { node.tokens.unwrap_or(0) } else { node.bytes };
    let total: u64 = report.nodes.iter().fold(0, |sum: u64, node| sum.saturating_add(price(node)));
    let names = names(&report.nodes, tree);
    let width = names.iter().map(|(_, name)| name.chars().count()).max().unwrap_or(0).min(WIDEST);
    let dim = style::DIM;
    let _ = writeln!(
        out,
        "{dim}{:>9} {:>11}  {:<15} {:<width$}  why{dim:#}",
        "tokens", "bytes", "share", "node"
    );
    for (node, name) in names {
        let Some(node) = node else {
            let _ = writeln!(out, "{:>9} {:>11}  {:<15} {dim}{name}{dim:#}", "", "", "");
            continue;
        };
        let tokens = match node.tokens {
            Some(tokens) => grouped(tokens),
            None if node.bytes == 0 => "-".to_owned(),
            None => format!("~{}", grouped(estimate(node.bytes))),
        };
        let padding = " ".repeat(width.saturating_sub(name.chars().count()));
        let _ = writeln!(
            out,
            "{tokens:>9} {:>11}  {} {name}{padding}  {dim}{}{dim:#}",
            grouped(node.bytes),
            share(price(node), total),
            why_in(node)
        );
    }
}

/// The lines of the table: in a tree, a folder has a line without a node.
fn names(nodes: &[SelectNode], tree: bool) -> Vec<(Option<&SelectNode>, String)> {
    if !tree {
        return nodes.iter().map(|node| (Some(node), escape(&node.id))).collect();
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

/// The share of the whole, as a bar and a number.
fn share(part: u64, total: u64) -> String {
    let percent = (u128::from(part) * 100).checked_div(u128::from(total)).unwrap_or(0) as usize;
    let full = (percent * BAR).div_ceil(100);
    let accent = style::ACCENT;
    format!("{accent}{}{accent:#}{} {percent:>3}%", "█".repeat(full), "░".repeat(BAR - full))
}

fn why_in(node: &SelectNode) -> String {
    let kind = node
        .kind
        .filter(|kind| *kind != "source")
        .map_or(String::new(), |kind| format!("{kind}, "));
    let kind = if node.kind.is_none() { "not in the map, ".to_owned() } else { kind };
    match node.hops {
        0 => format!("{kind}entry"),
        hops => format!(
            "{kind}{} from {}",
            counted(hops as usize, "hop"),
            escape(&entry_text(&node.entry))
        ),
    }
}

/// An entry as it is typed: `src/index.ts:2:1`.
fn entry_text(entry: &Value) -> String {
    let parts = entry.as_array().map(Vec::as_slice);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    parts.map_or_else(|| text(entry), |parts| parts.iter().map(text).collect::<Vec<_>>().join(":"))
}

fn largest(out: &mut String, report: &SelectReportV1) {
    let bold = style::BOLD;
    let _ = writeln!(out, "\n{bold}largest{bold:#}");
    for node in &report.largest {
        let _ = writeln!(out, "{:>11} bytes  {}", grouped(node.bytes), escape(&node.node_id));
    }
}

fn cuts(out: &mut String, budget: &SelectBudget, state: &Value) {
    let (bold, dim) = (style::BOLD, style::DIM);
    let unit = if budget.unit == "estimate" { "tokens by the estimate" } else { "tokens" };
    let _ = writeln!(
        out,
        "\n{bold}budget{bold:#} {} {unit}: {} → {}",
        grouped(budget.budget),
        grouped(budget.before),
        grouped(budget.after)
    );
    if budget.steps.is_empty() {
        let _ = writeln!(out, "  nothing had to be cut");
        return;
    }
    for (index, step) in budget.steps.iter().enumerate() {
        let what = match (step.step, step.depth) {
            ("dynamic", _) => "dynamic edges not followed".to_owned(),
            (_, Some(depth)) => format!("depths capped at {depth}"),
            ("seeds", _) => "entries given up".to_owned(),
            (category, _) => format!("{category} excluded"),
        };
        let mut named: Vec<String> = step.cut.iter().take(CUT_NAMED).map(|id| escape(id)).collect();
        if step.cut.len() > CUT_NAMED {
            named.push(format!("… {} more", step.cut.len() - CUT_NAMED));
        }
        let _ = writeln!(
            out,
            "  {}. {what}: {} cut, {} left {dim}({}){dim:#}",
            index + 1,
            counted(step.cut.len(), "node"),
            grouped(step.after),
            named.join(", ")
        );
    }
    let _ = writeln!(out, "{bold}entries that select just this{bold:#}");
    for (list, sign) in [("i", ""), ("x", "-x ")] {
        for entry in state[list].as_array().into_iter().flatten() {
            let _ = writeln!(out, "  {sign}{}", escape(&entry_text(entry)));
        }
    }
}

/// The answer to `--why`.
pub(super) fn why(report: &WhyReportV1) -> String {
    let bold = style::BOLD;
    let verdict = match (report.selected, &report.included_by, &report.excluded_by) {
        (true, _, _) => "is selected",
        (false, Some(_), Some(_)) => "is excluded",
        (false, Some(_), None) => "is reached, but is no file",
        (false, None, _) => "is not selected: no entry reaches it",
    };
    let mut out = format!("{bold}{}{bold:#} {verdict}\n", escape(&report.id));
    if let Some(route) = &report.included_by {
        way(&mut out, "included by", route);
    }
    if let Some(route) = &report.excluded_by {
        way(&mut out, "excluded by", route);
    }
    for near in &report.did_you_mean {
        let _ = writeln!(out, "  not in the map; did you mean {}?", escape(near));
    }
    out
}

fn way(out: &mut String, head: &str, route: &WhyRoute) {
    let accent = style::ACCENT;
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
pub(super) fn importers(report: &ImportersReportV1) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let nodes = counted(report.importers.len(), "node");
    let verb = if report.importers.len() == 1 { "depends" } else { "depend" };
    let mut out = format!("{bold}{nodes}{bold:#} {verb} on {}\n", escape(&report.id));
    for importer in &report.importers {
        let how = if importer.kinds.is_empty() {
            "through others".to_owned()
        } else {
            importer.kinds.join(", ")
        };
        let _ =
            writeln!(out, "  {:>2}  {}  {dim}{how}{dim:#}", importer.hops, escape(&importer.id));
    }
    out
}

fn estimate(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

/// A number with a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use portolan_wire::select::SelectNode;
    use serde_json::json;

    use super::{entry_text, grouped, names, share, why_in};

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
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_share_is_a_bar_of_fixed_width() {
        let plain = |part, total| anstream::adapter::strip_str(&share(part, total)).to_string();
        assert_eq!(plain(1, 2), "█████░░░░░  50%");
        assert_eq!(plain(0, 0), "░░░░░░░░░░   0%");
        assert_eq!(plain(1, 1000), "░░░░░░░░░░   0%");
        assert_eq!(plain(7, 7), "██████████ 100%");
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
        assert_eq!(why_in(&far), "2 hops from x\\u{1b}:2:1");
        assert_eq!(entry_text(&json!("a")), "a");
    }
}
