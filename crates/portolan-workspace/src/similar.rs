//! Suggests similar names for a misspelt one ("did you mean").

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

/// The similarity of two texts, in percent of the longer one.
pub fn likeness(left: &str, right: &str) -> usize {
    let longer = left.len().max(right.len());
    // Most names are far too different, as their lengths already show.
    if longer == 0 || longer > MAX_LENGTH || left.len().min(right.len()) * 100 < longer * 60 {
        return 0;
    }
    100 - strsim::osa_distance(left, right).min(longer) * 100 / longer
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
