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

/// At most `count` of `paths` whose file name looks like that of `wanted`, best first; where none does, those that look
/// like it as a whole.
pub fn similar_files<'n>(
    wanted: &str,
    paths: impl Iterator<Item = &'n str>,
    count: usize,
) -> Vec<String> {
    let mut scored: Vec<(Reverse<usize>, Reverse<usize>, usize, &str)> = paths
        .filter_map(|path| {
            let (name, whole) = (likeness(stem(wanted), stem(path)), likeness(wanted, path));
            let depth = path.matches('/').count();
            let is_like = name >= 60 || whole >= 75;
            is_like.then_some((Reverse(name), Reverse(whole), depth, path))
        })
        .collect();
    scored.sort_unstable();
    scored.into_iter().take(count).map(|(.., path)| path.to_owned()).collect()
}

/// The name of a file without its ending.
fn stem(path: &str) -> &str {
    let name = base(path);
    name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty()).unwrap_or(name)
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
    use super::{similar, similar_files};

    #[test]
    fn the_name_of_a_file_counts_before_its_folder() {
        let paths = ["command.go", "doc/man.go", "site/comand/x.go", "src/flask/app.py"];
        let find = |wanted| similar_files(wanted, paths.into_iter(), 1);
        assert_eq!(find("comand.go"), ["command.go"]);
        assert_eq!(find("src/comand.go"), ["command.go"]);
        assert_eq!(find("lib/ap.py"), ["src/flask/app.py"]);
        assert_eq!(find("nothing/like/it.rs"), [""; 0]);
    }

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
