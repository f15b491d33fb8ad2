//! What `go.mod` and `go.work` say, as far as it decides where an import leads.

/// What was read of a `go.mod`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Module {
    /// Its path.
    pub(super) path: String,
    /// Modules that are replaced by a folder, with that folder as written.
    pub(super) replaced: Vec<(String, String)>,
    /// The modules it asks for, with their versions.
    pub(super) required: Vec<(String, String)>,
}

/// Reads a `go.mod`.
pub(super) fn read(text: &str) -> Module {
    let mut module = Module::default();
    let mut block = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line).trim();
        let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches('"')).collect();
        match words.as_slice() {
            [")"] => block.clear(),
            [word, "("] => (*word).clone_into(&mut block),
            ["module", path] => (*path).clone_into(&mut module.path),
            ["replace", rest @ ..] => replace(rest, &mut module),
            ["require", path, rest @ ..] => require(path, rest, &mut module),
            rest if block == "replace" => replace(rest, &mut module),
            [path, rest @ ..] if block == "require" => require(path, rest, &mut module),
            _ => {}
        }
    }
    module
}

fn require(path: &str, rest: &[&str], module: &mut Module) {
    let version = rest.first().copied().unwrap_or("*");
    module.required.push((path.to_owned(), version.to_owned()));
}

/// `old [version] => new [version]`
fn replace(words: &[&str], module: &mut Module) {
    let Some(arrow) = words.iter().position(|word| *word == "=>") else { return };
    if let (Some(old), Some(new)) = (words.first(), words.get(arrow + 1))
        && new.starts_with('.')
    {
        module.replaced.push(((*old).to_owned(), (*new).to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::{Module, read};

    #[test]
    fn modules_replacements_and_requirements_are_read_in_both_forms() {
        let text = "module example.com/a // the module\n\ngo 1.22\n\nrequire github.com/b/c v1.2.3\nrequire (\n\t\
            github.com/d/e v0.1.0 // indirect\n)\nreplace github.com/b/c => ../c\nreplace (\n\tx.y/z v1 => ./z\n\t\
            q.r/s => q.r/t v2\n)\n";
        let own = |text: &str| text.to_owned();
        let expected = Module {
            path: own("example.com/a"),
            replaced: vec![(own("github.com/b/c"), own("../c")), (own("x.y/z"), own("./z"))],
            required: vec![
                (own("github.com/b/c"), own("v1.2.3")),
                (own("github.com/d/e"), own("v0.1.0")),
            ],
        };
        assert_eq!(read(text), expected);
    }
}
