//! Notices: non-fatal findings that are part of every output.

use std::fmt;

/// How serious a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The user may want to fix it.
    Warning,
    /// The user may want to know it.
    Info,
}

macro_rules! notice_codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal, $severity:ident, $title:literal;)+) => {
        /// The stable codes. A code is never renumbered and never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum NoticeCode {
            $($(#[doc = $doc])+ $name,)+
        }

        impl NoticeCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The code as text.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// How serious it is.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)+ }
            }

            /// A short heading for a group of such notices.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)+ }
            }

            /// Whether the notice comes from reading the repository. Such notices are the same for every request.
            pub fn is_request_independent(self) -> bool {
                let prefixes = ["CTX-SCAN-", "CTX-SYNTAX-", "CTX-RESOLVE-", "CTX-GRAPH-", "CTX-GUARD-"];
                prefixes.iter().any(|start| self.as_str().starts_with(start))
            }

            /// What the code means, for the reference page.
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc,)+),)+ }
            }
        }
    };
}

notice_codes! {
    /// A file or folder could not be read. It is left out, and the run continues.
    ScanUnreadable = "CTX-SCAN-0001", Warning, "unreadable files";
    /// The name of a file is not UTF-8 or cannot be part of a repo path. The file is left out.
    ScanOddName = "CTX-SCAN-0002", Warning, "file names that cannot be used";
    /// A symbolic link was left out: it points outside the root, its target does not exist, or it forms a loop.
    ScanLink = "CTX-SCAN-0003", Warning, "links left out";
    /// A line of an ignore file is not a valid pattern. The line has no effect.
    ScanIgnoreFile = "CTX-SCAN-0004", Warning, "ignore files with bad lines";
    /// Part of a git repository could not be read: `.git` is broken or bare, the index is damaged, or a configuration or ignore file is unreadable. The rest is used; without the index, only ignore files decide which files are ignored.
    ScanGit = "CTX-SCAN-0005", Warning, "git repositories read in part";
    /// A file has syntax errors. The imports that could be parsed are in the map. Function bodies without imports are not checked.
    SyntaxBroken = "CTX-SYNTAX-0001", Warning, "files with syntax errors";
    /// A file is nested too deeply, or is too large, to parse safely. Its imports were found by searching its tokens.
    SyntaxTooDeep = "CTX-SYNTAX-0002", Warning, "files too deep or too large to parse";
    /// A manifest or configuration file (package.json, tsconfig, Cargo.toml, go.mod, pyproject.toml …) has errors. The parts that could be read are used.
    ResolveConfig = "CTX-RESOLVE-0001", Warning, "configuration files with problems";
    /// A workspace package points at build output that does not exist. Its source is used instead.
    ResolveUnbuilt = "CTX-RESOLVE-0002", Info, "workspace packages resolved to source";
    /// Two workspace packages have the same name. The first in path order is used.
    ResolveDuplicatePackage = "CTX-RESOLVE-0003", Warning, "package names used twice";
    /// A folder or link on the path of an import could not be read. The import counts as unresolved.
    ResolveUnreadable = "CTX-RESOLVE-0004", Warning, "unreadable paths of imports";
    /// An external file could not be read. The map lists it without size and hash, and it cannot be staged.
    GraphExternalUnreadable = "CTX-GRAPH-0001", Warning, "unreadable external files";
    /// The name or version in a package's manifest cannot be part of a path. Its files have `abs` ids.
    GraphPackageName = "CTX-GRAPH-0002", Warning, "packages with unusable names";
    /// Two packages have the same name and version but different files. The one nearest to the root keeps the ids; the ids of the other have a version with `~differs-` in it.
    GraphCollision = "CTX-GRAPH-0003", Warning, "packages that share a name and version and differ";
    /// A file imports a name that very many files define or extend. It has implicit edges to the first of them only; the graph marks its node `isPartial`.
    GraphCut = "CTX-GRAPH-0004", Warning, "files whose implicit edges were cut";
    /// The cache could not be used: it is damaged, or it belongs to another version, other settings or another folder. Portolan rebuilds it; the result is the same.
    CacheDropped = "CTX-CACHE-0001", Info, "the cache was dropped";
    /// The cache could not be written. The next run takes longer; the result is the same.
    CacheUnwritable = "CTX-CACHE-0002", Info, "the cache could not be written";
    /// The configuration file has an unusual or old setting. It still applies.
    ConfigLegacy = "CTX-CONFIG-0001", Warning, "configuration";
    /// The root is not the current folder: a configuration or repository was found in a parent folder, or
    /// `--config` names another one. The notice says which.
    ConfigRoot = "CTX-CONFIG-0002", Info, "the root";
    /// A requested file was denied: it is reserved, excluded by the configuration, or likely to hold secrets. The notice names the rule.
    ArchiveDenied = "CTX-ARCHIVE-0001", Warning, "files denied";
    /// A binary file was left out of the archive. Archives never contain binary files.
    ArchiveBinary = "CTX-ARCHIVE-0002", Info, "binary files left out";
    /// A text file is large. It is in the archive; exclude it to leave it out.
    ArchiveLargeText = "CTX-ARCHIVE-0003", Info, "large text files";
    /// A top-level file is not part of the base, because it is code, a lockfile or too large. Select it, or add it to
    /// `portolan.base.files`.
    ArchiveBaseLeftOut = "CTX-ARCHIVE-0004", Info, "top-level files left out of the base";
    /// The state names an id that is neither in the map nor a file of the repository. The rest of the selection is delivered.
    ArchiveUnknownId = "CTX-ARCHIVE-0005", Warning, "unknown ids";
    /// A selected file could not be read. It is left out.
    ArchiveUnreadable = "CTX-ARCHIVE-0006", Warning, "files that could not be archived";
    /// A configured import has a problem: a pattern matches nothing, or a file was skipped.
    ArchiveImport = "CTX-ARCHIVE-0007", Warning, "imports";
    /// A META run replaced the state. The notice names the backup of the old state.
    ArchiveStateReplaced = "CTX-ARCHIVE-0008", Info, "the state was replaced";
    /// A file changed after the map was built and before the archive was written. The meta has the hash of the old content.
    ArchiveChanged = "CTX-ARCHIVE-0009", Warning, "files that changed during the run";
    /// The repository's own `stan.system.md` does not explain how to read the map: it lacks the decode tables. The archive also contains Portolan's guide.
    ArchiveGuide = "CTX-ARCHIVE-0010", Info, "the guide was added";
    /// The selection includes a module that is not a file: it belongs to the platform or is missing. There is nothing to deliver.
    ArchiveDropped = "CTX-ARCHIVE-0011", Info, "selected modules that are not files";
    /// A README is long. The base contains only its beginning and says so. Select the file to get all of it.
    ArchiveCut = "CTX-ARCHIVE-0012", Info, "base files cut to their head";
    /// Git does not ignore the workspace, so generated files may be committed by mistake. `portolan init` adds the ignore rules.
    ArchiveNotIgnored = "CTX-ARCHIVE-0013", Info, "the workspace is not ignored";
    /// A source file contains something that looks like a secret. The map has its path, size and hash, but nothing from its text:
    /// no description, no imports. The notice names the rule; `portolan.secrets.allow` allows single paths.
    GuardSilenced = "CTX-GUARD-0001", Warning, "files that may hold secrets, blank in the map";
    /// The state has version 1. It still works; `portolan select --upgrade` rewrites it.
    StateLegacy = "CTX-STATE-0001", Info, "state in the old format";
    /// The state, or the graph given with `--graph`, has entries that were skipped or corrected.
    StateOddity = "CTX-STATE-0002", Warning, "remarks on the state or graph";
    /// The compact meta was larger than its budget. The notice says what was left out of it. The map and the graph
    /// are complete, and what was left out can still be selected by its id.
    MetaReduced = "CTX-META-0001", Info, "left out of the meta to fit its budget";
    /// The compact meta is larger than its budget even after everything optional was left out.
    MetaTooLarge = "CTX-META-0002", Warning, "the meta is larger than its budget";
    /// A path in a tool's output matches several files of the repository. It stays as printed; run the tool, or portolan, in the folder that the path is relative to.
    PackAmbiguousPath = "CTX-PACK-0001", Warning, "paths that match several files";
    /// A line that a tool printed differs from the line in the file: the file has changed, or the output is of another version. The position may be wrong.
    PackStale = "CTX-PACK-0002", Warning, "positions that are out of date";
    /// The file of a diagnostic is not in the repository, or cannot be read. The pack has no code of it.
    PackNoFile = "CTX-PACK-0003", Warning, "positions without a file";
    /// The base state could not be read. The pack does not say what changed since then.
    PackBase = "CTX-PACK-0004", Info, "nothing to compare with";
}

/// Where a notice points: a path and, if known, line and column from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Relative to the repository if possible.
    pub path: String,
    /// Line and column, both from 1; the column counts UTF-16 units as editors do.
    pub position: Option<(u32, u32)>,
}

impl Place {
    /// The whole file.
    pub fn file(path: impl Into<String>) -> Self {
        Self { path: path.into(), position: None }
    }

    /// A position in a file.
    pub fn at(path: impl Into<String>, line: u32, column: u32) -> Self {
        Self { path: path.into(), position: Some((line, column)) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some((line, column)) => write!(f, "{}:{line}:{column}", self.path),
            None => f.write_str(&self.path),
        }
    }
}

/// A non-fatal finding: a stable code, a location and a message. Notices sort by code, location and message, so a
/// sorted list is independent of the order in which they were found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Notice {
    /// The kind of finding.
    pub code: NoticeCode,
    /// The location, if the notice has one.
    pub place: Option<Place>,
    /// What happened, and what to do about it.
    pub message: String,
}

impl Notice {
    /// A notice about a location.
    pub fn at(code: NoticeCode, place: Place, message: impl Into<String>) -> Self {
        Self { code, place: Some(place), message: message.into() }
    }

    /// A notice about the run as a whole.
    pub fn general(code: NoticeCode, message: impl Into<String>) -> Self {
        Self { code, place: None, message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::NoticeCode;

    #[test]
    fn codes_are_unique_and_well_formed() {
        let mut codes: Vec<_> = NoticeCode::ALL.iter().map(|code| code.as_str()).collect();
        for code in &codes {
            let parts: Vec<_> = code.split('-').collect();
            assert!(matches!(parts[..], ["CTX", _, number] if number.len() == 4), "{code}");
        }
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), NoticeCode::ALL.len());
    }
}
