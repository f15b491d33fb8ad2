//! Draws a neighbourhood as Mermaid or DOT text.

use std::collections::BTreeMap;
use std::fmt::Write;

use portolan_types::{KindMask, NodeIndex, NodeKind, is_invisible};

use crate::{Edge, Graph};

/// The nodes within `depth` hops of `focus`, along edges in either direction, sorted.
pub fn neighbourhood(graph: &Graph, focus: &[NodeIndex], depth: u32) -> Vec<NodeIndex> {
    let mut incoming: Vec<Vec<NodeIndex>> = vec![Vec::new(); graph.nodes().len()];
    for (index, _) in graph.iter() {
        for edge in graph.edges(index) {
            incoming[edge.target.index()].push(index);
        }
    }
    let mut distance: BTreeMap<NodeIndex, u32> = focus.iter().map(|node| (*node, 0)).collect();
    let mut frontier: Vec<NodeIndex> = focus.to_vec();
    for hop in 1..=depth {
        let mut next = Vec::new();
        for node in frontier {
            let outgoing = graph.edges(node).iter().map(|edge| edge.target);
            for neighbour in outgoing.chain(incoming[node.index()].iter().copied()) {
                distance.entry(neighbour).or_insert_with(|| {
                    next.push(neighbour);
                    hop
                });
            }
        }
        frontier = next;
        if frontier.is_empty() {
            break;
        }
    }
    distance.into_keys().collect()
}

/// A flowchart for Markdown.
pub fn mermaid(graph: &Graph, nodes: &[NodeIndex]) -> String {
    let mut text = String::from("flowchart LR\n");
    for node in nodes {
        let label = escape(
            graph.node(*node).id.as_str(),
            &[('"', "#quot;"), ('<', "#lt;"), ('>', "#gt;"), ('`', "#96;")],
        );
        let (open, close) = match graph.node(*node).kind {
            NodeKind::Source => ("[", "]"),
            NodeKind::External => ("([", "])"),
            NodeKind::Builtin => ("[[", "]]"),
            NodeKind::Missing => ("{{", "}}"),
        };
        let _ = writeln!(text, "  n{node}{open}\"{label}\"{close}");
    }
    for_each_edge(graph, nodes, |source, edge| {
        let arrow = match arrow_of(edge) {
            Arrow::Solid => "-->",
            Arrow::Dotted => "-.->",
            Arrow::Dynamic => "-. dynamic .->",
        };
        let _ = writeln!(text, "  n{source} {arrow} n{}", edge.target);
    });
    text
}

/// A graph for Graphviz.
pub fn dot(graph: &Graph, nodes: &[NodeIndex]) -> String {
    let mut text = String::from(
        "digraph portolan {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n",
    );
    for node in nodes {
        let label = escape(graph.node(*node).id.as_str(), &[('"', "\\\""), ('\\', "\\\\")]);
        let style = match graph.node(*node).kind {
            NodeKind::Source => "",
            NodeKind::External => ", style=rounded",
            NodeKind::Builtin => ", shape=component",
            NodeKind::Missing => ", style=dashed",
        };
        let _ = writeln!(text, "  n{node} [label=\"{label}\"{style}];");
    }
    for_each_edge(graph, nodes, |source, edge| {
        let style = match arrow_of(edge) {
            Arrow::Solid => "",
            Arrow::Dotted => " [style=dashed]",
            Arrow::Dynamic => " [style=dotted, label=\"dynamic\"]",
        };
        let _ = writeln!(text, "  n{source} -> n{}{style};", edge.target);
    });
    text.push_str("}\n");
    text
}

enum Arrow {
    Solid,
    Dotted,
    Dynamic,
}

/// Runtime edges are solid, type edges dotted, and edges loaded on demand dotted with a label.
fn arrow_of(edge: Edge) -> Arrow {
    if edge.kinds().meets(KindMask::RUNTIME) {
        Arrow::Solid
    } else if edge.kinds().meets(KindMask::DYNAMIC) {
        Arrow::Dynamic
    } else {
        Arrow::Dotted
    }
}

fn for_each_edge(graph: &Graph, nodes: &[NodeIndex], mut visit: impl FnMut(NodeIndex, Edge)) {
    for source in nodes {
        let inside =
            graph.edges(*source).iter().filter(|edge| nodes.binary_search(&edge.target).is_ok());
        inside.for_each(|edge| visit(*source, *edge));
    }
}

/// Escapes text from a repository for a quoted label: characters that would end the label, or
/// affect a terminal.
fn escape(text: &str, replacements: &[(char, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match replacements.iter().find(|(from, _)| *from == c) {
            Some((_, to)) => out.push_str(to),
            None if is_invisible(c) => out.push('\u{FFFD}'),
            None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use portolan_types::{KindMask, NodeIndex, NodeKind};

    use super::{dot, mermaid, neighbourhood};
    use crate::{Edge, Graph, GraphBuilder, Node};

    fn graph() -> Graph {
        let mut builder = GraphBuilder::default();
        let mut node = |id: &str, kind| builder.node(Node::abstract_module(id.into(), kind));
        let (a, b, c, d) = (
            node("a.ts", NodeKind::Source),
            node("b\"].ts", NodeKind::Source),
            node("node:fs", NodeKind::Builtin),
            node("z.ts", NodeKind::Source),
        );
        let mut edge = |from, target, explicit| {
            builder.edge(from, Edge { target, explicit, implicit: KindMask::NONE });
        };
        edge(a, b, KindMask::RUNTIME);
        edge(b, c, KindMask::TYPE);
        edge(d, a, KindMask::DYNAMIC);
        builder.build()
    }

    fn nodes(count: usize) -> Vec<NodeIndex> {
        NodeIndex::first(count).collect()
    }

    #[test]
    fn a_neighbourhood_goes_both_ways() {
        assert_eq!(neighbourhood(&graph(), &[NodeIndex::new(0)], 0), [0]);
        assert_eq!(neighbourhood(&graph(), &[NodeIndex::new(0)], 1), [0, 1, 3]);
        assert_eq!(neighbourhood(&graph(), &[NodeIndex::new(0)], 9), [0, 1, 2, 3]);
    }

    #[test]
    fn mermaid_shows_kinds_and_escapes_labels() {
        let expected = "flowchart LR\n  n0[\"a.ts\"]\n  n1[\"b#quot;].ts\"]\n  n2[[\"node:fs\"]]\n  n3[\"z.ts\"]\n  \
            n0 --> n1\n  n1 -.-> n2\n  n3 -. dynamic .-> n0\n";
        assert_eq!(mermaid(&graph(), &nodes(4)), expected);
    }

    #[test]
    fn dot_shows_only_edges_inside() {
        let text = dot(&graph(), &nodes(2));
        assert!(text.contains("n1 [label=\"b\\\"].ts\"];") && text.contains("n0 -> n1;"));
        assert!(!text.contains("n2") && !text.contains("n3"));
    }
}
