//! "Did you mean": the names that look most like a misspelt one.

use std::cmp::Reverse;

/// The longest name that is compared letter by letter; cost grows with the square.
const MAX_LENGTH: usize = 300;

/// At most `count` of `names` that look like `wanted`, best first.
pub fn similar<'n>(
    wanted: &str,
    names: impl Iterator<Item = &'n str>,
    count: usize,
) -> Vec<String> {
    let wanted_base = base(wanted);
    let mut scored: Vec<(Reverse<usize>, &str)> = names
        .filter_map(|name| {
            let same_file = usize::from(base(name) == wanted_base) * 50;
            let score =
                likeness(wanted, name).max(same_file + likeness(wanted_base, base(name)) / 3);
            (score >= 60).then_some((Reverse(score), name))
        })
        .collect();
    scored.sort_unstable();
    scored.into_iter().take(count).map(|(_, name)| name.to_owned()).collect()
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How alike two texts are, in percent of the longer one.
pub(crate) fn likeness(left: &str, right: &str) -> usize {
    let longer = left.len().max(right.len());
    // Most names are far too different: their lengths already tell.
    if longer == 0 || longer > MAX_LENGTH || left.len().min(right.len()) * 100 < longer * 60 {
        return 0;
    }
    100 - distance(left.as_bytes(), right.as_bytes()).min(longer) * 100 / longer
}

/// The number of bytes to change, add or take away (or swap with a neighbour).
fn distance(left: &[u8], right: &[u8]) -> usize {
    let width = right.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut row: Vec<usize> = (0..width).collect();
    for (i, a) in left.iter().enumerate() {
        let mut next = vec![i + 1; width];
        for (j, b) in right.iter().enumerate() {
            let mut best = (row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(before[j - 1] + 1);
            }
            next[j + 1] = best;
        }
        before = std::mem::replace(&mut row, next);
    }
    row[width - 1]
}

#[cfg(test)]
mod tests {
    use super::similar;

    #[test]
    fn a_slip_of_the_pen_is_found_and_nonsense_is_not() {
        let names = ["src/index.ts", "src/app/main.ts", "README.md", "packages/a/src/util.ts"];
        let find = |wanted| similar(wanted, names.into_iter(), 2);
        assert_eq!(find("src/indx.ts"), ["src/index.ts"]);
        assert_eq!(find("src/idnex.ts"), ["src/index.ts"]);
        assert_eq!(find("util.ts"), ["packages/a/src/util.ts"]);
        assert_eq!(find("completely/else"), [""; 0]);
    }
}
