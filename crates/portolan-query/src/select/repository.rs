//! The files and the state of a repository, for a selection over its map.

use std::path::{Path, PathBuf};

use portolan_archive::WorkspaceLayout;
use portolan_types::{NodeId, RepoPath, Sha256Digest};
use portolan_vfs::{FileKind, System};
use portolan_wire::state::StateV2;

use super::NodeFiles;
use super::groups::declarations;
use crate::declarations::{Target, TargetError};
use crate::target::TargetLookup;
use portolan_index::map::{MapError, MapReport};
use portolan_index::session::{Session, Snapshot};
use portolan_index::symbols::with_symbols;
use portolan_workspace::config::Loaded;
use portolan_workspace::path_input::PathInput;

/// The path of the state, relative to the root.
pub fn state_path(config: &Loaded) -> RepoPath {
    WorkspaceLayout::new(config.settings.stan_path.clone()).state()
}

/// Warnings about entries that name a declaration which its file does not have. Their files are
/// selected anyway.
pub fn undeclared(
    session: &Session<'_>,
    snapshot: &Snapshot,
    path_input: &PathInput,
    state: &StateV2,
) -> Result<Vec<String>, MapError> {
    let named = declarations(&snapshot.csr_graph, path_input, state);
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let (map, store) = (&snapshot.map, session.declarations());
    with_symbols(session.system(), session.config(), map, store, |symbols| {
        let told = named.iter().filter_map(|(file, name)| {
            let target = Target::Named(file.to_string(), (*name).to_owned());
            match TargetLookup(symbols).find(&target).err()? {
                TargetError::NoDeclaration { similar, .. } => {
                    let alike = similar.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>();
                    let nearest = if alike.is_empty() {
                        String::new()
                    } else {
                        format!(", nearest: {}", alike.join(", "))
                    };
                    Some(format!("No declaration `{name}`, the file is selected{nearest}: {file}"))
                }
                // Other problems with the file have their own messages.
                _ => None,
            }
        });
        told.collect()
    })
}

/// The files behind the nodes of a map.
pub struct MapFiles<'a> {
    system: &'a dyn System,
    root: &'a Path,
    map: &'a MapReport,
}

impl<'a> MapFiles<'a> {
    /// The files of a map that was built from this root.
    pub fn new(system: &'a dyn System, root: &'a Path, map: &'a MapReport) -> Self {
        Self { system, root, map }
    }

    /// The path of a node of the map, and its digest when the map was built.
    fn mapped(&self, id: &NodeId) -> Option<(&Path, Sha256Digest)> {
        let universe = &self.map.universe;
        let found = universe
            .binary_search_by(|file| portolan_types::cmp_utf16(file.path.as_str(), id.as_str()));
        if let Some(file) = found.ok().and_then(|at| universe.get(at)) {
            return Some((&file.absolute, file.sha256));
        }
        let locators = &self.map.locators;
        let found = locators.binary_search_by(|locator| locator.id.cmp(id));
        let locator = found.ok().and_then(|at| locators.get(at))?;
        Some((&locator.path, locator.sha256))
    }

    /// The file inside the repository that an id outside the map names. Links must not lead out.
    fn unmapped(&self, id: &NodeId) -> Option<PathBuf> {
        let path = RepoPath::from_untrusted(id.as_str()).ok()?;
        let real = self.system.real_path(&self.root.join(path.as_str())).ok()?;
        let is_file = self.system.stat(&real).is_ok_and(|stat| stat.kind == FileKind::File);
        (is_file && real.starts_with(self.root)).then_some(real)
    }
}

impl NodeFiles for MapFiles<'_> {
    fn digest(&self, id: &NodeId) -> Option<Sha256Digest> {
        self.mapped(id).map(|(_, digest)| digest)
    }

    fn is_hidden(&self, id: &NodeId) -> bool {
        self.mapped(id).is_none() && self.map.excluded.has(id)
    }

    fn read(&self, id: &NodeId) -> Option<Vec<u8>> {
        let path = match self.mapped(id) {
            Some((path, _)) => path.to_path_buf(),
            None if self.is_hidden(id) => return None,
            None => self.unmapped(id)?,
        };
        self.system.read(&path).ok()
    }

    fn exists(&self, id: &NodeId) -> bool {
        self.mapped(id).is_some() || self.unmapped(id).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_types::NodeId;
    use portolan_vfs::MemorySystem;

    use super::{MapFiles, state_path};
    use crate::select::{CsrGraph, NodeFiles, SelectRequest, SelectSettings, select};
    use portolan_index::map::{MapRequest, build};
    use portolan_index::token_counts::{MemoryTokenStore, Tokenizer};
    use portolan_workspace::config;
    use portolan_workspace::path_input::PathInput;

    #[test]
    fn excluded_files_have_no_cost() {
        let system = MemorySystem::default();
        system.put("/repo/stan.config.json", r#"{"stan-core":{"excludes":["hidden"]}}"#);
        system.put("/repo/src/a.ts", "import '../hidden/b';\n");
        system.put("/repo/hidden/b.ts", "export const secret = 1;\n");
        system.put("/repo/hidden/c.ts", "export {};\n");
        let config = config::load(&system, Path::new("/repo")).unwrap();
        let root = config.root.clone();
        let map = build(&system, &MapRequest { config, threads: 1 }).unwrap();
        let csr_graph = CsrGraph::from(&map.graph);
        let files = MapFiles::new(&system, &root, &map);
        let text = br#"{"v":2,"i":[["src/a.ts",1],"hidden/c.ts"]}"#;
        let request = SelectRequest {
            path_input: PathInput::default(),
            state: portolan_wire::state::read(text).unwrap().strict().unwrap().state,
            warnings: Vec::new(),
            settings: SelectSettings::default(),
            budget: None,
            bearings: std::collections::BTreeMap::new(),
            tokenizer: Tokenizer::O200kBase,
        };
        let report = select(&csr_graph, &files, &MemoryTokenStore::default(), &request).unwrap();
        let priced: Vec<&str> = report.node_tokens.keys().map(NodeId::as_str).collect();
        assert_eq!(priced, ["src/a.ts"]);
        assert_eq!(report.summary.selected.len(), 3);
        assert_eq!(report.summary.total_bytes, 22);
        assert_eq!(
            report.summary.warnings,
            [
                "Hidden by `excludes` of the configuration: hidden/b.ts",
                "Hidden by `excludes` of the configuration: hidden/c.ts",
            ]
        );
    }

    #[test]
    fn only_files_inside_the_repository_are_read() {
        let system = MemorySystem::default();
        system.put("/repo/.git/HEAD", "");
        system.put("/repo/.gitignore", "notes/\n");
        system.put("/repo/src/a.ts", "export {};\n");
        system.put("/repo/notes/todo.md", "todo");
        system.put("/secret", "s");
        system.link("/repo/notes/out", "/secret");
        let config = config::load(&system, Path::new("/repo")).unwrap();
        assert_eq!(state_path(&config).as_str(), ".stan/context/dependency.state.json");
        let root = config.root.clone();
        let map = build(&system, &MapRequest { config, threads: 1 }).unwrap();
        let files = MapFiles::new(&system, &root, &map);
        assert_eq!(files.read(&"src/a.ts".into()).as_deref(), Some(b"export {};\n".as_slice()));
        assert_eq!(files.digest(&"src/a.ts".into()), Some(portolan_vfs::sha256(b"export {};\n")));
        assert_eq!(files.read(&"notes/todo.md".into()).as_deref(), Some(b"todo".as_slice()));
        for id in ["../secret", "/secret", "notes/out", "notes", "gone.ts", "C:/x", ""] {
            assert_eq!(files.read(&id.into()), None, "{id}");
            assert!(!files.exists(&id.into()), "{id}");
        }
    }
}
