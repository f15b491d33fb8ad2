//! Reads `go.mod`, as far as it decides where imports lead.

/// A version of a module. The version is empty if none is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ModuleVersion {
    pub(super) module: String,
    pub(super) version: String,
}

impl ModuleVersion {
    fn of(words: &[&str]) -> Option<Self> {
        let (module, rest) = words.split_first()?;
        let version = rest.first().copied().unwrap_or_default().to_owned();
        Some(Self { module: (*module).to_owned(), version })
    }
}

/// The contents of a `go.mod`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GoMod {
    /// The module path.
    pub(super) path: String,
    /// Modules replaced by a folder, as written.
    pub(super) replaced: Vec<(String, String)>,
    /// Modules replaced by a version of another module.
    pub(super) renamed: Vec<(String, ModuleVersion)>,
    /// The required modules.
    pub(super) required: Vec<ModuleVersion>,
}

/// Parses a `go.mod`.
pub(super) fn read(text: &str) -> GoMod {
    let mut module = GoMod::default();
    let mut block = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line).trim();
        let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches('"')).collect();
        match words.as_slice() {
            [")"] => block.clear(),
            [word, "("] => (*word).clone_into(&mut block),
            ["module", path] => (*path).clone_into(&mut module.path),
            ["replace", rest @ ..] => replace(rest, &mut module),
            ["require", rest @ ..] => module.required.extend(ModuleVersion::of(rest)),
            rest if block == "replace" => replace(rest, &mut module),
            rest if block == "require" => module.required.extend(ModuleVersion::of(rest)),
            _ => {}
        }
    }
    module
}

/// `old [version] => new [version]`
fn replace(words: &[&str], module: &mut GoMod) {
    let Some(arrow) = words.iter().position(|word| *word == "=>") else { return };
    let (Some(old), Some(new)) = (words.first(), ModuleVersion::of(&words[arrow + 1..])) else {
        return;
    };
    if new.module.starts_with('.') {
        module.replaced.push(((*old).to_owned(), new.module));
    } else if !new.version.is_empty() {
        module.renamed.push(((*old).to_owned(), new));
    }
}

#[cfg(test)]
mod tests {
    use super::{GoMod, ModuleVersion, read};

    #[test]
    fn go_mod_directives_are_read_on_one_line_and_in_blocks() {
        let text = "module example.com/a // the module\n\ngo 1.22\n\nrequire github.com/b/c v1.2.3\nrequire (\n\t\
            github.com/d/e v0.1.0 // indirect\n)\nreplace github.com/b/c => ../c\nreplace (\n\tx.y/z v1 => ./z\n\t\
            q.r/s => q.r/t v2\n)\n";
        let own = |text: &str| text.to_owned();
        let version = |module: &str, version: &str| ModuleVersion {
            module: own(module),
            version: own(version),
        };
        let expected = GoMod {
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
