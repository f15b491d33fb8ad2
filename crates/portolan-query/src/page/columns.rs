//! Encodes the map as the columns of a page.

use std::collections::BTreeMap;

use portolan_graph::{Graph, stats};
use portolan_types::NodeIndex;
use portolan_types::declarations::DeclarationKind;
use portolan_wire::page::{EdgesV1, NamesV1, OftenV1, OutlinesV1, PageV1};

use super::TOKENIZER;
use super::details::FileDetailsMap;

/// The columns of a graph and of the details of its nodes.
pub(super) fn columns(graph: &Graph, details: &FileDetailsMap) -> PageV1 {
    let nodes = graph.nodes();
    let words: BTreeMap<&str, u32> = nodes.iter().map(|node| (node.language.as_str(), 0)).collect();
    let words: BTreeMap<&str, u32> = words.into_keys().zip(0u32..).collect();
    let described = graph
        .iter()
        .filter_map(|(at, node)| Some((at.number(), node.description.as_deref()?.to_owned())));
    let (described, descriptions): (Vec<u32>, Vec<String>) = described.unzip();
    PageV1 {
        v: 1,
        name: details.name.clone(),
        made: concat!("portolan ", env!("CARGO_PKG_VERSION")).to_owned(),
        state: details.state.clone(),
        tokenizer: TOKENIZER.name(),
        ids: names(nodes.iter().map(|node| node.id.as_str())),
        kinds: nodes.iter().map(|node| node.kind.code().to_string()).collect(),
        language: nodes.iter().map(|node| words[node.language.as_str()]).collect(),
        languages: words.into_keys().map(ToOwned::to_owned).collect(),
        tokens: details.tokens.clone(),
        bytes: nodes.iter().map(|node| node.size).collect(),
        binary: steps(places(&details.is_binary)),
        generated: steps(places(&details.is_generated)),
        web: details.web.clone(),
        descriptions: (steps(described), descriptions),
        edges: edges(graph),
        cycles: numbers(&stats(graph, 0).cycles),
        declarations: outlines(details),
        changed: details.is_changed.as_ref().map(|changed| steps(places(changed))),
        history: details.often.as_ref().map(|(commits, counts)| often(*commits, counts)),
    }
}

/// The indexes of the set flags.
/// The cycles as the page has them.
fn numbers(cycles: &[Vec<NodeIndex>]) -> Vec<Vec<u32>> {
    cycles.iter().map(|cycle| cycle.iter().map(|node| node.number()).collect()).collect()
}

fn places(flags: &[bool]) -> Vec<u32> {
    (0u32..).zip(flags).filter(|(_, flag)| **flag).map(|(place, _)| place).collect()
}

/// Encodes increasing numbers as differences, because small numbers are short.
fn steps(numbers: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut before = 0;
    let step = |number| number - std::mem::replace(&mut before, number);
    numbers.into_iter().map(step).collect()
}

fn names<'n>(names: impl Iterator<Item = &'n str>) -> NamesV1 {
    let mut found = NamesV1::default();
    let mut before = "";
    for name in names {
        let pairs = name.chars().zip(before.chars());
        let common = pairs.take_while(|(one, other)| one == other).map(|(one, _)| one);
        let (units, bytes) =
            common.fold((0, 0), |(units, bytes), c| (units + c.len_utf16(), bytes + c.len_utf8()));
        found.shared.push(units as u32);
        found.rest.push(name[bytes..].to_owned());
        before = name;
    }
    found
}

fn edges(graph: &Graph) -> EdgesV1 {
    let mut found = EdgesV1::default();
    for (index, _) in graph.iter() {
        let edges = graph.edges(index);
        found.degrees.push(edges.len() as u32);
        found.targets.extend(steps(edges.iter().map(|edge| edge.target.number())));
        let mask = |edge: &portolan_graph::Edge| edge.explicit.bits() + 8 * edge.implicit.bits();
        found.masks.extend(edges.iter().map(mask));
    }
    found
}

fn outlines(details: &FileDetailsMap) -> OutlinesV1 {
    let sorts = DeclarationKind::ALL.map(DeclarationKind::name).to_vec();
    let mut found = OutlinesV1 { sorts, ..OutlinesV1::default() };
    for outline in &details.outlines {
        found.counts.push(outline.len() as u32);
        found.lines.extend(steps(outline.iter().map(|one| one.line)));
        for one in outline {
            let sort = DeclarationKind::ALL.iter().position(|kind| *kind == one.kind);
            found.marks.push(2 * sort.unwrap_or_default() as u8 + u8::from(one.is_exported));
            found.names.push(one.name.clone());
        }
    }
    found
}

fn often(commits: usize, counts: &[u32]) -> OftenV1 {
    let changed = (0u32..).zip(counts).filter(|(_, count)| **count > 0);
    let (nodes, counts): (Vec<u32>, Vec<u32>) =
        changed.map(|(place, count)| (place, *count)).unzip();
    OftenV1 { commits, nodes: steps(nodes), counts }
}

#[cfg(test)]
mod tests {
    use super::{names, steps};

    #[test]
    fn names_share_a_prefix_with_the_previous_one() {
        let found = names(["src/a.ts", "src/ab.ts", "x"].into_iter());
        assert_eq!(
            (found.shared, found.rest),
            (vec![0, 5, 0], vec!["src/a.ts".into(), "b.ts".into(), "x".into()])
        );
        // No character is split, and lengths are in UTF-16 units, as in a browser.
        let found = names(["\u{1F600}a", "\u{1F600}b", "\u{1F601}"].into_iter());
        assert_eq!((found.shared, &*found.rest[2]), (vec![0, 2, 0], "\u{1F601}"));
    }

    #[test]
    fn rising_numbers_are_steps() {
        assert_eq!(steps([3, 4, 9]), [3, 1, 5]);
        assert_eq!(steps([]), [0u32; 0]);
    }
}
