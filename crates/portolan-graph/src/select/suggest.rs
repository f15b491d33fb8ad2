//! "Did you mean …?" for an id that is not in the map.

use portolan_types::NodeId;

use crate::territory::Territory;

/// How many suggestions are made.
const MOST: usize = 3;

/// The ids nearest to a misspelt one, best first: the same file name elsewhere or with another
/// ending, then what is a few edits away.
pub fn suggest(territory: &Territory, id: &str) -> Vec<NodeId> {
    let wanted = id.trim_start_matches("./").to_lowercase();
    let mut ranked: Vec<(usize, &NodeId)> = territory
        .ids()
        .iter()
        .filter(|known| known.as_str() != id)
        .filter_map(|known| Some((distance(&wanted, &known.as_str().to_lowercase())?, known)))
        .collect();
    ranked.sort_by(|left, right| left.0.cmp(&right.0).then_with(|| left.1.cmp(right.1)));
    ranked.into_iter().take(MOST).map(|(_, known)| known.clone()).collect()
}

/// How far a known id is from the wanted one; `None` where it is too far to be meant.
fn distance(wanted: &str, known: &str) -> Option<usize> {
    let limit = (wanted.chars().count() / 4).clamp(1, 6);
    if let Some(edits) = edits_within(wanted, known, limit) {
        return Some(edits);
    }
    let same_name =
        stem(file_name(wanted)) == stem(file_name(known)) && stem(file_name(wanted)) != "index";
    same_name.then_some(limit + 1)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn stem(name: &str) -> &str {
    name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// The number of inserted, removed and replaced characters between two texts, if at most `limit`.
fn edits_within(left: &str, right: &str, limit: usize) -> Option<usize> {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > limit {
        return None;
    }
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut current = Vec::with_capacity(right.len() + 1);
        current.push(row + 1);
        for (column, b) in right.iter().enumerate() {
            let replaced = previous[column] + usize::from(a != b);
            let edits = replaced.min(previous[column + 1] + 1).min(current[column] + 1);
            current.push(edits);
        }
        if current.iter().all(|edits| *edits > limit) {
            return None;
        }
        previous = current;
    }
    previous.last().copied().filter(|edits| *edits <= limit)
}

#[cfg(test)]
mod tests {
    use portolan_types::NodeKind;

    use super::suggest;
    use crate::model::{GraphBuilder, Node};
    use crate::territory::Territory;

    fn check(id: &str, expected: &[&str]) {
        let mut builder = GraphBuilder::default();
        for known in [
            "README.md",
            "src/button/Button.tsx",
            "src/index.ts",
            "src/indent.ts",
            "test/index.ts",
            "src/util.ts",
        ] {
            builder.node(Node::abstract_module(known.into(), NodeKind::Source));
        }
        let found = suggest(&Territory::from(&builder.build()), id);
        let found: Vec<&str> = found.iter().map(portolan_types::NodeId::as_str).collect();
        assert_eq!(found, expected, "{id}");
    }

    #[test]
    fn a_misspelt_id_finds_its_neighbours() {
        check("src/indx.ts", &["src/index.ts"]);
        check("src/index.tsx", &["src/index.ts", "src/indent.ts"]);
        check("./src/util.ts", &["src/util.ts"]);
        check("readme.md", &["README.md"]);
        check("lib/button.ts", &["src/button/Button.tsx"]);
        check("quite/another/thing.rs", &[]);
    }
}
