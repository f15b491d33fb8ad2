//! What `go.mod` and `go.work` say, as far as it decides where an import leads.

/// A version of a module; empty where none is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) module: String,
    pub(super) version: String,
}

impl Version {
    fn of(words: &[&str]) -> Option<Self> {
        let (module, rest) = words.split_first()?;
        let version = rest.first().copied().unwrap_or_default().to_owned();
        Some(Self { module: (*module).to_owned(), version })
    }
}

/// What was read of a `go.mod`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Module {
    /// Its path.
    pub(super) path: String,
    /// Modules that are replaced by a folder, with that folder as written.
    pub(super) replaced: Vec<(String, String)>,
    /// Modules that are replaced by a version of another one.
    pub(super) renamed: Vec<(String, Version)>,
    /// The modules it asks for.
    pub(super) required: Vec<Version>,
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
            ["require", rest @ ..] => module.required.extend(Version::of(rest)),
            rest if block == "replace" => replace(rest, &mut module),
            rest if block == "require" => module.required.extend(Version::of(rest)),
            _ => {}
        }
    }
    module
}

/// `old [version] => new [version]`
fn replace(words: &[&str], module: &mut Module) {
    let Some(arrow) = words.iter().position(|word| *word == "=>") else { return };
    let (Some(old), Some(new)) = (words.first(), Version::of(&words[arrow + 1..])) else { return };
    if new.module.starts_with('.') {
        module.replaced.push(((*old).to_owned(), new.module));
    } else if !new.version.is_empty() {
        module.renamed.push(((*old).to_owned(), new));
    }
}

#[cfg(test)]
mod tests {
    use super::{read, Module, Version};

    #[test]
    fn modules_replacements_and_requirements_are_read_in_both_forms() {
        let text = "module example.com/a // the module\n\ngo 1.22\n\nrequire github.com/b/c v1.2.3\nrequire (\n\t\
            github.com/d/e v0.1.0 // indirect\n)\nreplace github.com/b/c => ../c\nreplace (\n\tx.y/z v1 => ./z\n\t\
            q.r/s => q.r/t v2\n)\n";
        let own = |text: &str| text.to_owned();
        let version =
            |module: &str, version: &str| Version { module: own(module), version: own(version) };
        let expected = Module {
            path: own("example.com/a"),
            replaced: vec![(own("github.com/b/c"), own("../c")), (own("x.y/z"), own("./z"))],
            renamed: vec![(own("q.r/s"), version("q.r/t", "v2"))],
            required: vec![
                version("github.com/b/c", "v1.2.3"),
                version("github.com/d/e", "v0.1.0"),
            ],
        };
        assert_eq!(read(text), expected);
    }
}
