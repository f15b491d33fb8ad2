//! Places that the text of a task names: the frames of a stack.

/// The places that lines of a text name: `a/b.ts:12:3`, `File "a/b.py", line 12`.
pub(super) fn frames_in(task: &str) -> impl Iterator<Item = (&str, u32)> {
    task.lines().flat_map(|line| {
        let quoted = line.split_once("File \"").and_then(|(_, rest)| {
            let (path, rest) = rest.split_once("\", line ")?;
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            Some((path, rest.get(..end)?.parse().ok()?))
        });
        let is_edge = |c: char| c.is_whitespace() || "()[]<>\"'`,;".contains(c);
        quoted.into_iter().chain(line.split(is_edge).filter_map(frame))
    })
}

/// A word that is a place.
fn frame(word: &str) -> Option<(&str, u32)> {
    let word = word.trim_end_matches([':', '.']);
    let word = word.strip_prefix("file://").unwrap_or(word).trim_start_matches("./");
    let number = |text: &str| text.parse::<u32>().ok().filter(|it| *it > 0);
    let (rest, last) = word.rsplit_once(':')?;
    let last = number(last)?;
    match rest.rsplit_once(':').and_then(|(path, line)| Some((path, number(line)?))) {
        Some(place) => Some(place),
        None => Some((rest, last)),
    }
    .filter(|(path, _)| path.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::frames_in;

    #[test]
    fn frames_of_stacks_are_places() {
        let task = "It fails:\n    at open (/home/me/app/src/a.ts:12:3)\n  File \"x/b.py\", line 3, in f\nsee ./src/c.rs:7: and 12:30, https://x.y:80";
        let found: Vec<String> =
            frames_in(task).map(|(path, line)| format!("{path} {line}")).collect();
        assert_eq!(found, ["/home/me/app/src/a.ts 12", "x/b.py 3", "src/c.rs 7", "https://x.y 80"]);
    }
}
