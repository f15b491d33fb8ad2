//! Notices: non-fatal findings that are part of every output.

use std::fmt;

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something the user may want to mend.
    Warning,
    /// Something the user may want to know.
    Info,
}

macro_rules! notice_codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal, $severity:ident, $title:literal;)+) => {
        /// The stable codes. A code is never renumbered and never used again for something else.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum NoticeCode {
            $($(#[doc = $doc])+ $name,)+
        }

        impl NoticeCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The code as written.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// How much it matters.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)+ }
            }

            /// A few words that head a group of such notices.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)+ }
            }

            /// Whether it is about how the repository was read, and so the same whatever is asked of it.
            pub fn is_of_the_map(self) -> bool {
                let of_the_map = ["CTX-SCAN-", "CTX-SYNTAX-", "CTX-RESOLVE-", "CTX-GRAPH-", "CTX-GUARD-"];
                of_the_map.iter().any(|start| self.as_str().starts_with(start))
            }

            /// What it means, for the reference page.
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc,)+),)+ }
            }
        }
    };
}

notice_codes! {
    /// A file or folder of the universe could not be read. It is left out; the rest of the run goes on.
    ScanUnreadable = "CTX-SCAN-0001", Warning, "unreadable files";
    /// A file's name cannot be written as a repo path (it is not UTF-8). It is left out.
    ScanOddName = "CTX-SCAN-0002", Warning, "file names that cannot be used";
    /// A symbolic link was left out: it leads outside the root, nowhere, or in a circle.
    ScanLink = "CTX-SCAN-0003", Warning, "links left out";
    /// An ignore file has a line that cannot be understood. That line has no effect.
    ScanIgnoreFile = "CTX-SCAN-0004", Warning, "ignore files with bad lines";
    /// A repository of git, or what it needs, could not be read: `.git` is broken or bare, its index is damaged, a configuration or an ignore file of yours is unreadable. What could be read counts; without the index, ignore files alone decide.
    ScanGit = "CTX-SCAN-0005", Warning, "git repositories read in part";
    /// Code that could not be parsed whole. The imports that could be read are in the map. Bodies that import nothing are not looked into.
    SyntaxBroken = "CTX-SYNTAX-0001", Warning, "files with syntax errors";
    /// A file that is nested too deeply, or too large, to be parsed safely. It was searched for imports by tokens.
    SyntaxTooDeep = "CTX-SYNTAX-0002", Warning, "files too deep or too large to parse";
    /// A manifest or a configuration (package.json, tsconfig, Cargo.toml, go.mod, pyproject.toml …) that could not be read whole. What could be read is used.
    ResolveConfig = "CTX-RESOLVE-0001", Warning, "configuration files with problems";
    /// A workspace package points at build output that is not there. The source it is built from is used.
    ResolveUnbuilt = "CTX-RESOLVE-0002", Info, "workspace packages resolved to source";
    /// Two workspace packages have the same name. The first in path order is used.
    ResolveDuplicatePackage = "CTX-RESOLVE-0003", Warning, "package names used twice";
    /// A folder or a link that an import leads through could not be looked at. The import is taken as one that leads nowhere.
    ResolveUnreadable = "CTX-RESOLVE-0004", Warning, "places that imports lead through and that cannot be read";
    /// An external file could not be read. It is in the map without size and hash and cannot be staged.
    GraphExternalUnreadable = "CTX-GRAPH-0001", Warning, "unreadable external files";
    /// A package calls itself by a name or version that cannot be part of a path. Its files have `abs` ids.
    GraphPackageName = "CTX-GRAPH-0002", Warning, "packages with unusable names";
    /// A package calls itself by the name and version of another one, and its files differ. The one nearest to the root keeps the ids; those of the other have a version with `~differs-` in it.
    GraphCollision = "CTX-GRAPH-0003", Warning, "packages that share a name and version and differ";
    /// A file imports a name that very many files define or add to. It has implicit edges to the first of them only; in the graph its node is marked `isPartial`.
    GraphCut = "CTX-GRAPH-0004", Warning, "files whose implicit edges were cut";
    /// The cache could not be used: it is damaged, or was made by another version, with other settings or for another folder. It is made anew; the result is the same.
    CacheDropped = "CTX-CACHE-0001", Info, "the cache was dropped";
    /// The cache could not be written. The next run takes longer; the result is the same.
    CacheUnwritable = "CTX-CACHE-0002", Info, "the cache could not be written";
    /// The configuration file has something odd that was understood all the same.
    ConfigLegacy = "CTX-CONFIG-0001", Warning, "configuration";
    /// The root is not the folder that the command was started in: a configuration or a repository was found above it, or
    /// `--config` names another one. The notice says which.
    ConfigRoot = "CTX-CONFIG-0002", Info, "the root";
    /// A file was asked for and denied: it is reserved, excluded by the configuration, or commonly holds secrets. The notice names the rule.
    ArchiveDenied = "CTX-ARCHIVE-0001", Warning, "files denied";
    /// A binary file was left out of the archive. Binaries are never archived.
    ArchiveBinary = "CTX-ARCHIVE-0002", Info, "binary files left out";
    /// A text file is large. It is in the archive; an exclude would take it out.
    ArchiveLargeText = "CTX-ARCHIVE-0003", Info, "large text files";
    /// A top-level file is not part of the base, because it is code, a lockfile or too large. A selection can ask for it, and
    /// `portolan.base.files` makes it part of the base.
    ArchiveBaseLeftOut = "CTX-ARCHIVE-0004", Info, "top-level files left out of the base";
    /// The state names something that is neither in the map nor a file of the repository. The rest of the selection is delivered.
    ArchiveUnknownId = "CTX-ARCHIVE-0005", Warning, "ids that lead nowhere";
    /// A file that was selected could not be read. It is left out.
    ArchiveUnreadable = "CTX-ARCHIVE-0006", Warning, "files that could not be archived";
    /// Something about the configured imports: a pattern without a match, a file that was passed over.
    ArchiveImport = "CTX-ARCHIVE-0007", Warning, "imports";
    /// A META run replaced the state; the notice says where the old one is kept.
    ArchiveStateReplaced = "CTX-ARCHIVE-0008", Info, "the state was replaced";
    /// A file changed between the making of the map and the making of the archive. Its hash in the meta is that of the old bytes.
    ArchiveChanged = "CTX-ARCHIVE-0009", Warning, "files that changed during the run";
    /// The repository's own `stan.system.md` does not say how to read the map: the decode tables are not in it. Portolan's guide is in the archive beside it.
    ArchiveGuide = "CTX-ARCHIVE-0010", Info, "the guide was added";
    /// What the state selects leads to a module that is no file: one of the platform, or one that is missing. There is nothing to deliver.
    ArchiveDropped = "CTX-ARCHIVE-0011", Info, "selected modules that are no files";
    /// A README is long: the base has its head only, and says so. A selection can ask for all of it.
    ArchiveCut = "CTX-ARCHIVE-0012", Info, "base files cut to their head";
    /// The workspace is not ignored by git: what is generated below it may be committed by mistake. `portolan init` adds the lines.
    ArchiveNotIgnored = "CTX-ARCHIVE-0013", Info, "the workspace is not ignored";
    /// A file of code holds something that looks like a secret. The map has its path, size and hash and nothing of its text:
    /// no description, no imports. The notice names the rule; `portolan.secrets.allow` opens single paths.
    GuardSilenced = "CTX-GUARD-0001", Warning, "files that hold secrets, silent in the map";
    /// The state is written in version 1. It is read all the same; `portolan select --upgrade` rewrites it.
    StateLegacy = "CTX-STATE-0001", Info, "state in the old form";
    /// The state, or the graph given with `--graph`, has something that was passed over or understood all the same.
    StateOddity = "CTX-STATE-0002", Warning, "input read with reservations";
    /// The compact meta was larger than its budget. The notice says what was left out of it; the map and the graph
    /// are whole, and what was left out can still be selected by its id.
    MetaReduced = "CTX-META-0001", Info, "left out of the meta to fit its budget";
    /// The compact meta is larger than its budget after everything that can be left out was left out.
    MetaTooLarge = "CTX-META-0002", Warning, "the meta is larger than its budget";
    /// A path in the output of a tool can be several files of the repository. It is left as printed; run the tool, or portolan, in the folder that the path is seen from.
    PackAmbiguousPath = "CTX-PACK-0001", Warning, "paths that can be several files";
    /// The line that a tool printed is not the line in the file: the file changed since, or the output is of another version. The place may be wrong.
    PackStale = "CTX-PACK-0002", Warning, "places that are out of date";
    /// A file that a diagnostic is in is not in the repository, or cannot be read. There is no code of it in the pack.
    PackNoFile = "CTX-PACK-0003", Warning, "places without a file";
    /// The state to compare with could not be read. The pack does not tell what changed since.
    PackBase = "CTX-PACK-0004", Info, "nothing to compare with";
}

/// Where a notice points: a path as people know it and, where it is known, line and column from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Repo-relative where possible.
    pub path: String,
    /// Line and column, both from 1; the column counts UTF-16 units as editors do.
    pub position: Option<(u32, u32)>,
}

impl Place {
    /// A whole file.
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

/// A non-fatal finding: a stable code, a place and a sentence. Ordered by code, place and message,
/// so that a sorted list does not tell in which order things were found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Notice {
    /// What kind of finding.
    pub code: NoticeCode,
    /// Where.
    pub place: Option<Place>,
    /// What, and what to do about it.
    pub message: String,
}

impl Notice {
    /// A notice about a place.
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
