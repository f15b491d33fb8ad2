//! Which files a search reads.

use portolan_languages::Languages;
use portolan_vfs::System;
use portolan_workspace::Patterns;

use super::names_of_files::FileNames;
use super::{SearchError, SearchQuestionV1};
use portolan_workspace::config::Loaded;
use portolan_workspace::path_input::{EVERYTHING, PathInput};

/// Tells which files are searched.
pub(super) struct FileFilter {
    /// Files, folders and globs; none for all.
    paths: Option<Patterns>,
    /// The paths that are no globs.
    named: Vec<String>,
    scope: Patterns,
    globs: Option<Patterns>,
    languages: Vec<String>,
}

impl FileFilter {
    pub(super) fn new(
        system: &dyn System,
        config: &Loaded,
        request: &SearchQuestionV1,
    ) -> Result<Self, SearchError> {
        let path_input = PathInput::here(config);
        let is_there = |path: &str| system.lstat(&config.root.join(path)).is_ok();
        let mut paths = Vec::new();
        for written in &request.paths {
            let path = path_input.plain(written, &is_there);
            let is_glob = is_glob(&path);
            let leads_out = path.starts_with('/') || path.split('/').any(|part| part == "..");
            if !leads_out && (path == EVERYTHING || is_there(&path)) {
                paths.push(path);
                continue;
            }
            if !leads_out && is_glob {
                let globs = path_input.globs(written);
                let anywhere = !written.contains('/');
                let far = |glob: String| if anywhere { format!("**/{written}") } else { glob };
                paths.extend(globs.into_iter().map(far));
                continue;
            }
            // All files of that name, wherever they lie.
            let names = FileNames::new(system, config);
            let ending = names.ending(&path_input, written);
            if ending.is_empty() {
                let similar = names.similar(written);
                return Err(SearchError::NoPath { path: written.clone(), similar });
            }
            paths.extend(ending);
        }
        let all = paths.is_empty() || paths.iter().any(|path| path == EVERYTHING);
        let named = paths.iter().filter(|path| !is_glob(path)).cloned().collect();
        let globs = request.glob.iter().flat_map(|glob| from_folders(glob, &config.here));
        let globs: Vec<String> = globs.flat_map(|glob| anywhere(&glob)).collect();
        Ok(Self {
            paths: if all { None } else { Some(Patterns::new(&paths)?) },
            named,
            scope: Patterns::new(&config.settings.scope)?,
            globs: if globs.is_empty() { None } else { Some(wanted(&globs)?) },
            languages: request
                .language
                .iter()
                .flat_map(|list| list.split(','))
                .map(|it| it.trim().trim_start_matches('.').to_lowercase())
                .collect(),
        })
    }

    /// Whether a file is searched.
    pub(super) fn takes(&self, path: &str) -> bool {
        let is_of = |patterns: &Option<Patterns>| {
            patterns.as_ref().is_none_or(|patterns| patterns.is_match(path))
        };
        is_of(&self.paths)
            && (self.scope.is_empty() || self.scope.is_match(path))
            && is_of(&self.globs)
            && self.is_spoken(path)
    }

    /// Whether a file was asked for by its own path.
    pub(super) fn names(&self, path: &str) -> bool {
        self.named.iter().any(|named| named == path)
    }

    fn is_spoken(&self, path: &str) -> bool {
        if self.languages.is_empty() {
            return true;
        }
        let languages = Languages::default();
        let extension = path.rsplit('/').next().unwrap_or(path).rsplit_once('.');
        let extension = extension.map(|(_, extension)| extension.to_lowercase());
        self.languages
            .iter()
            .any(|asked| extension.as_deref() == Some(asked) || languages.is_called(path, asked))
    }
}

fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// A glob as it is meant from the root, and from the user's folder: unless it begins with `/`, both are.
fn from_folders(glob: &str, here: &str) -> Vec<String> {
    let (mark, plain) = match glob.strip_prefix('!') {
        Some(plain) => ("!", plain),
        None => ("", glob),
    };
    let plain = plain.strip_prefix("./").unwrap_or(plain);
    let is_in_folder = plain.trim_end_matches('/').contains('/') && !plain.starts_with('/');
    let near = (is_in_folder && !here.is_empty()).then(|| format!("{mark}{here}/{plain}"));
    near.into_iter().chain([format!("{mark}{plain}")]).collect()
}

/// A glob without a folder is for files and folders of that name anywhere, as in `.gitignore`.
fn anywhere(glob: &str) -> [String; 2] {
    let (mark, plain) = match glob.strip_prefix('!') {
        Some(plain) => ("!", plain),
        None => ("", glob),
    };
    let plain = plain.strip_suffix('/').unwrap_or(plain);
    let place = match plain.strip_prefix('/') {
        Some(rooted) => format!("{mark}{rooted}"),
        None if plain.contains('/') => format!("{mark}{plain}"),
        None => format!("{mark}**/{plain}"),
    };
    let below = format!("{place}/**");
    [place, below]
}

fn wanted(globs: &[String]) -> Result<Patterns, SearchError> {
    let has_wanted = globs.iter().any(|glob| !glob.starts_with('!'));
    // Where only unwanted files are named, the list begins with everything.
    let first = (!has_wanted).then(|| "**".to_owned());
    let all: Vec<String> = first.into_iter().chain(globs.iter().cloned()).collect();
    Ok(Patterns::new(&all)?)
}

#[cfg(test)]
mod tests {
    use super::{anywhere, from_folders, wanted};

    #[test]
    fn globs_are_seen_from_the_current_folder_too() {
        assert_eq!(from_folders("src/**", "lib"), ["lib/src/**", "src/**"]);
        assert_eq!(from_folders("!./src/**", "lib"), ["!lib/src/**", "!src/**"]);
        assert_eq!(from_folders("/src/**", "lib"), ["/src/**"]);
        assert_eq!(from_folders("*.ts", "lib"), ["*.ts"]);
        assert_eq!(from_folders("src/**", ""), ["src/**"]);
    }

    #[test]
    fn globs_are_those_of_grep() {
        let takes = |globs: &[&str], path: &str| {
            let globs: Vec<String> = globs.iter().flat_map(|glob| anywhere(glob)).collect();
            wanted(&globs).unwrap().is_match(path)
        };
        assert!(takes(&["*.py"], "a/b/c.py") && takes(&["*.py"], "c.py"));
        assert!(!takes(&["*.py"], "c.pyi"));
        assert!(takes(&["!*.py"], "c.ts") && !takes(&["!*.py"], "a/c.py"));
        assert!(!takes(&["!docs"], "docs/a.md") && !takes(&["!docs/"], "docs/a.md"));
        assert!(takes(&["src/**/*.ts"], "src/a/b.ts") && !takes(&["src/**/*.ts"], "lib/a.ts"));
        assert!(takes(&["*.ts", "!*.d.ts"], "a.ts") && !takes(&["*.ts", "!*.d.ts"], "a.d.ts"));
    }
}
