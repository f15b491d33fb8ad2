//! The folders that build files give to the compiler, as far as they are written literally.

use crate::ResolveContext;
use crate::resolve::files::{folder_of, has_extension, is_under, join};

/// A folder with headers, and the folder of the build file that names it.
#[derive(Debug, PartialEq, Eq)]
struct IncludeFolder {
    scope: String,
    folder: String,
}

/// The folders with headers.
#[derive(Debug, Default)]
pub(super) struct SearchPath(Vec<IncludeFolder>);

/// Larger build files are generated.
const MOST_BYTES: usize = 4 << 20;
/// A compilation database repeats the same folders for each file.
const DATABASE: &str = "compile_commands.json";

impl SearchPath {
    /// Reads the build files of a repository.
    pub(super) fn new(ctx: &ResolveContext<'_>) -> Self {
        let mut told = Self::default();
        for path in ctx.sources().paths().filter(|path| is_build_file(path)) {
            let Some(text) = ctx.read(path).filter(|text| text.len() <= MOST_BYTES) else {
                continue;
            };
            told.read(ctx.files().root(), path, &text);
        }
        for folder in ["", "build"] {
            let path = join(&join(ctx.files().root(), folder), DATABASE);
            if !ctx.files().is_file(&path) {
                continue;
            }
            let text = ctx.read(&path).filter(|text| text.len() <= MOST_BYTES);
            told.read_flags(folder_of(&path), &text.unwrap_or_default());
        }
        told
    }

    /// The folders for a file: those of the nearest build file above it first, then those of others.
    pub(super) fn for_file<'s>(&'s self, path: &'s str) -> impl Iterator<Item = &'s str> {
        let is_above = move |told: &&IncludeFolder| is_under(path, &told.scope);
        let mut own: Vec<&IncludeFolder> = self.0.iter().filter(is_above).collect();
        own.sort_by_key(|told| std::cmp::Reverse(told.scope.len()));
        let others = self.0.iter().filter(move |told| !is_above(told));
        own.into_iter().chain(others).map(|told| told.folder.as_str())
    }

    fn read(&mut self, root: &str, path: &str, text: &str) {
        let folder = folder_of(path);
        match path.rsplit('/').next().unwrap_or(path) {
            "CMakeLists.txt" | "meson.build" => self.read_calls(root, folder, text),
            name if has_extension(name, &["cmake"]) => self.read_calls(root, folder, text),
            _ => self.read_flags(folder, text),
        }
    }

    fn add(&mut self, scope: &str, folder: String) {
        let told = IncludeFolder { scope: scope.to_owned(), folder };
        if !self.0.contains(&told) {
            self.0.push(told);
        }
    }

    /// The arguments of `-I`, `-iquote` and `-isystem`.
    fn read_flags(&mut self, scope: &str, text: &str) {
        let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | ',');
        for flag in ["-I", "-iquote", "-isystem"] {
            for (at, _) in text.match_indices(flag) {
                let is_flag = text[..at].ends_with(|c: char| is_end(c) || c == '=' || c == '(');
                let rest = text[at + flag.len()..].trim_start_matches([' ', '"', '\'', '\\', ',']);
                let written = rest.split(is_end).next().unwrap_or_default();
                let is_closed = written.contains('(');
                let written = if is_closed { written } else { written.trim_end_matches(')') };
                let folder = own_folder(written).filter(|_| is_flag || at == 0);
                if let Some(folder) = folder {
                    self.add(scope, join(scope, folder));
                }
            }
        }
    }

    /// The literal arguments of calls that add folders.
    fn read_calls(&mut self, root: &str, scope: &str, text: &str) {
        const CALLED: &str = "include_directories";
        for (at, _) in text.match_indices(CALLED) {
            let rest = text[at + CALLED.len()..].trim_start();
            let Some(inside) = rest.strip_prefix('(').and_then(|it| it.split_once(')')) else {
                continue;
            };
            let words = inside.0.split(|c: char| c.is_whitespace() || c == ',');
            for word in words.map(|word| word.trim_matches(['"', '\''])) {
                if let Some(folder) = cmake_folder(root, scope, word) {
                    self.add(scope, folder);
                }
            }
        }
    }
}

fn is_build_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let by_name = ["CMakeLists.txt", "meson.build", "Makefile", "makefile", "GNUmakefile"];
    by_name.contains(&name)
        || name.starts_with("Makefile.")
        || has_extension(name, &["cmake", "mk", "mak"])
}

/// A folder as a makefile writes it, relative to its own folder; `None` if it depends on variables.
fn own_folder(written: &str) -> Option<&str> {
    let own = ["$(srcdir)", "$(CURDIR)", "${CURDIR}", "$(top_srcdir)", "$(PWD)"];
    let rest = own.iter().find_map(|own| written.strip_prefix(own)).unwrap_or(written);
    let rest = rest.trim_start_matches('/');
    let is_literal = !rest.contains(['$', '@', '%', '*']) && !written.starts_with('/');
    (is_literal && (!rest.is_empty() || rest.len() < written.len())).then_some(if rest.is_empty() {
        "."
    } else {
        rest
    })
}

/// A folder as `CMakeLists.txt` or `meson.build` write it.
fn cmake_folder(root: &str, scope: &str, written: &str) -> Option<String> {
    const KEYWORDS: &[&str] =
        &["PUBLIC", "PRIVATE", "INTERFACE", "SYSTEM", "BEFORE", "AFTER", "is_system:", "true"];
    let written = written.strip_prefix("$<BUILD_INTERFACE:").unwrap_or(written);
    let written = written.trim_end_matches('>');
    let tops = ["${CMAKE_SOURCE_DIR}", "${PROJECT_SOURCE_DIR}", "${CMAKE_HOME_DIRECTORY}"];
    let own = ["${CMAKE_CURRENT_SOURCE_DIR}", "${CMAKE_CURRENT_LIST_DIR}"];
    let of = |starts: &[&str]| {
        starts.iter().find_map(|start| written.strip_prefix(start).map(str::to_owned))
    };
    let (base, rest) = match (of(&tops), of(&own)) {
        (Some(rest), _) => (root, rest),
        (None, Some(rest)) => (scope, rest),
        (None, None) => (scope, written.to_owned()),
    };
    let rest = rest.trim_start_matches('/');
    let is_literal = !rest.contains(['$', '<', '{', '@']) && !KEYWORDS.contains(&written);
    let is_name = written.is_empty() || base == scope && written.starts_with('/');
    (is_literal && !is_name).then(|| join(base, rest))
}

#[cfg(test)]
mod tests {
    use super::SearchPath;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let mut told = SearchPath::default();
        told.read("/r", path, text);
        let found: Vec<_> = told.0.iter().map(|told| told.folder.as_str()).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn makefiles_tell_folders() {
        let text = "CFLAGS+= -I../deps/hiredis -Iinclude -I$(DEPS)/x -I $(srcdir)/lib -I/usr/x\n";
        check("/r/src/Makefile", text, &["/r/deps/hiredis", "/r/src/include", "/r/src/lib"]);
        check("/r/Makefile", "x: a-Ib\n", &[]);
    }

    #[test]
    fn cmake_tells_folders() {
        let text = "target_include_directories(a\n  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>\n  PRIVATE src ${X}/y)\n";
        check("/r/lib/CMakeLists.txt", text, &["/r/lib/a", "/r/include", "/r/lib/src"]);
        check(
            "/r/meson.build",
            "inc = include_directories('include', 'lib')\n",
            &["/r/include", "/r/lib"],
        );
    }
}
