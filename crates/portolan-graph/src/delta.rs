//! Describes how a map differs from an earlier one, for a reader of the earlier one.
//!
//! Only nodes and their dependencies count. Sizes and hashes change with every edit, and tell a
//! reader nothing that the edited file itself does not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use portolan_types::{KindMask, NodeIndex};
use portolan_wire::snapshot::MapSnapshot;

use crate::chart::{sign_of, written};
use crate::model::Graph;

/// The legend: the first line of every delta.
pub const DELTA_LEGEND: &str = "# What changed in the map since the archive before: + came, - went, * uses other files; > uses now (~ for types only, ? loaded on demand), ! no longer. The rest of the map holds.\n";

/// The number of edge kinds that an edge of a snapshot can encode.
const KINDS: u32 = 8;

/// The structure of a graph.
pub fn map_snapshot(graph: &Graph) -> MapSnapshot {
    let places = NodeIndex::first(graph.nodes().len());
    let edges = |node: NodeIndex| {
        let edges = graph.edges(node).iter();
        edges.map(|edge| edge.target.number() * KINDS + u32::from(edge.kinds().bits())).collect()
    };
    MapSnapshot {
        ids: graph.nodes().iter().map(|node| node.id.to_string()).collect(),
        edges: places.map(edges).collect(),
        chart: None,
    }
}

/// The difference between two maps as text; `None` if there is none. `size` returns the bytes of a
/// file.
pub fn map_delta(
    before: &MapSnapshot,
    now: &MapSnapshot,
    size: &dyn Fn(&str) -> Option<u64>,
) -> Option<String> {
    if before.ids == now.ids && before.edges == now.edges {
        return None;
    }
    let (old, new) = (uses(before), uses(now));
    let mut text = DELTA_LEGEND.to_owned();
    for (id, targets) in &new {
        let known = old.get(id);
        let none = BTreeSet::new();
        let known_targets = known.unwrap_or(&none);
        if known == Some(targets) {
            continue;
        }
        // A new module that is not a file is listed with the file that names it.
        if known.is_none() && targets.is_empty() && size(id).is_none() {
            continue;
        }
        let sign = if known.is_some() { '*' } else { '+' };
        let _ = write!(text, "{sign} {}", written(id));
        if let Some(bytes) = size(id).filter(|_| known.is_none()) {
            let _ = write!(text, " ({bytes} bytes)");
        }
        push_uses(&mut text, targets.difference(known_targets));
        // A dependency whose kind changed is shown with its new kind.
        let is_used = |id: &str| targets.iter().any(|(_, other)| *other == id);
        let gone = known_targets.iter().filter(|(_, id)| !is_used(id));
        push_uses(&mut text, gone.map(|(_, id)| ("!", *id)).collect::<BTreeSet<_>>().iter());
        text.push('\n');
    }
    for id in old.keys().filter(|id| !new.contains_key(*id)) {
        let _ = writeln!(text, "- {}", written(id));
    }
    (text.len() > DELTA_LEGEND.len()).then_some(text)
}

type Uses<'a> = BTreeSet<(&'static str, &'a str)>;

/// The dependencies of each id, with their signs. Skips invalid indexes of a damaged snapshot.
fn uses(map: &MapSnapshot) -> BTreeMap<&str, Uses<'_>> {
    let target = |edge: &u32| {
        let id = map.ids.get((edge / KINDS) as usize)?;
        let kinds = KindMask::from_bits_truncate(u64::from(edge % KINDS));
        Some((sign_of(kinds), id.as_str()))
    };
    let targets = |place: usize| map.edges.get(place).into_iter().flatten().filter_map(target);
    let ids = map.ids.iter().enumerate();
    ids.map(|(place, id)| (id.as_str(), targets(place).collect())).collect()
}

/// Writes the targets, grouped by sign.
fn push_uses<'a>(text: &mut String, uses: impl Iterator<Item = &'a (&'static str, &'a str)>) {
    let mut last = "";
    for (sign, id) in uses {
        if *sign != last {
            let _ = write!(text, " {sign}");
            last = sign;
        }
        let _ = write!(text, " {}", written(id));
    }
}

#[cfg(test)]
mod tests {
    use portolan_wire::snapshot::MapSnapshot;

    use super::{DELTA_LEGEND, map_delta};

    /// Builds a map from lines such as `a > b ~ c`.
    fn map(lines: &[&str]) -> MapSnapshot {
        let ids: Vec<String> =
            lines.iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
        let place = |id: &str| ids.iter().position(|known| known == id).unwrap() as u32;
        let edges = lines.iter().map(|line| {
            let mut kinds = 0;
            let mut edges = Vec::new();
            for word in line.split(' ').skip(1) {
                match word {
                    ">" => kinds = 1,
                    "~" => kinds = 2,
                    "?" => kinds = 4,
                    id => edges.push(place(id) * 8 + kinds),
                }
            }
            edges
        });
        MapSnapshot { edges: edges.collect(), ids, chart: None }
    }

    #[track_caller]
    fn check(before: &[&str], now: &[&str], expected: Option<&str>) {
        let delta = map_delta(&map(before), &map(now), &|_| Some(7));
        let expected = expected.map(|lines| format!("{DELTA_LEGEND}{lines}"));
        assert_eq!(delta, expected);
    }

    #[test]
    fn a_map_with_the_same_ids_and_edges_has_no_delta() {
        check(&["a > b", "b"], &["a > b", "b"], None);
    }

    #[test]
    fn only_added_removed_and_rewired_nodes_are_listed() {
        check(
            &["a > b ~ d", "b", "d", "gone > b", "same > b"],
            &["a > b ? d", "b > new", "d", "new ~ d", "same > b"],
            Some("* a ? d\n* b > new\n+ new (7 bytes) ~ d\n- gone\n"),
        );
        check(&["a > b", "b"], &["a", "b"], Some("* a ! b\n"));
    }

    #[test]
    fn a_module_without_a_file_is_listed_with_its_users() {
        let map = |ids: [&str; 2], edges| MapSnapshot {
            ids: ids.map(str::to_owned).to_vec(),
            edges,
            chart: None,
        };
        let before = map(["./gone", "a"], vec![vec![], vec![]]);
        let now = map(["./new", "a"], vec![vec![], vec![1]]);
        let size = |id: &str| (id == "a").then_some(3);
        let delta = map_delta(&before, &now, &size).unwrap();
        assert_eq!(delta, format!("{DELTA_LEGEND}* a > ./new\n- ./gone\n"));
    }

    #[test]
    fn another_index_of_the_same_id_is_not_a_change() {
        check(&["b > c", "c"], &["a", "b > c", "c"], Some("+ a (7 bytes)\n"));
    }

    #[test]
    fn odd_names_are_quoted_and_damaged_snapshots_do_no_harm() {
        let damaged = MapSnapshot { ids: vec!["a".into()], edges: vec![vec![8 * 99]], chart: None };
        let now = MapSnapshot { ids: vec!["a".into(), "b\nc".into()], ..MapSnapshot::default() };
        let delta = map_delta(&damaged, &now, &|_| Some(1)).unwrap();
        assert_eq!(delta, format!("{DELTA_LEGEND}+ \"b\\u{{a}}c\" (1 bytes)\n"));
    }
}
