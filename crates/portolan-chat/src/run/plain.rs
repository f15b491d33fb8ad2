//! `run`: the whole universe, with the system docs and the imports.

use std::collections::BTreeSet;

use portolan_languages::Ecosystems;
use portolan_types::RepoPath;
use portolan_workspace::{Patterns, ScanSettings, scan};

use super::candidate::{Candidate, CandidateSource, Part};
use super::imports::Imports;
use super::plan::{Collected, Plan};
use super::workspace::RunWorkspace;
use super::{Progress, RunError, Stage, base};
use portolan_index::map::MapError;

/// Plans a plain archive.
pub(crate) fn plan(
    workspace: &RunWorkspace<'_>,
    imports: &Imports,
    with_subpackages: bool,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Plan, RunError> {
    let settings = workspace.settings;
    let includes = Patterns::new(&settings.includes)?;
    let scanned = scan(
        workspace.system,
        &ScanSettings {
            root: workspace.path.to_path_buf(),
            stan_path: settings.stan_path.clone(),
            includes: includes.clone(),
            excludes: Patterns::new(&settings.excludes)?,
            git: workspace.git.clone(),
            only: Vec::new(),
            guard: settings.secrets.guard(),
        },
        &|_| Ok(()),
    );
    if let Some(reason) = scanned.root_error {
        return Err(MapError::RootUnreadable { path: workspace.path.to_path_buf(), reason }.into());
    }
    let scope = Patterns::new(&settings.scope)?;
    let is_in = |path: &RepoPath| scope.is_empty() || scope.is_match(path.as_str());
    let paths = scanned.files.into_iter().map(|(file, ())| file.path);
    let paths: Vec<RepoPath> = paths.filter(is_in).collect();
    progress(Progress { stage: Stage::Planning, count: paths.len() });
    let left_out =
        if with_subpackages { BTreeSet::new() } else { subpackages(&paths, &settings.stan_path) };

    let mut collected = Collected { notices: scanned.notices, ..Collected::default() };
    if scanned.is_workspace_open {
        collected.notices.push(workspace.not_ignored());
    }
    for path in paths {
        if includes.is_match(path.as_str()) || !is_below(&path, &left_out) {
            collected.inside(workspace.root(), path, Part::Base);
        }
    }
    for path in
        base::files_below(workspace.root(), &workspace.workspace.system_dir(), &mut collected)
    {
        if path != workspace.workspace.docs_meta() {
            collected.inside(workspace.root(), path, Part::Base);
        }
    }
    collected.candidates.remove(&workspace.workspace.docs_meta());
    add_imports(workspace, imports, &mut collected);
    Plan::make(workspace.system, &workspace.rules(), collected).map_err(RunError::Stage)
}

/// Adds the current imports or, if none are configured, the files in their folder.
fn add_imports(workspace: &RunWorkspace<'_>, imports: &Imports, collected: &mut Collected) {
    for file in imports.files() {
        let source = CandidateSource::Staged(file.clone());
        collected.add(Candidate::new(file.target.clone(), source, Part::Base));
    }
    if imports.folder().is_none() {
        for path in
            base::files_below(workspace.root(), &workspace.workspace.imports_dir(), collected)
        {
            collected.inside(workspace.root(), path, Part::Base);
        }
    }
}

/// The folders of nested packages. With `--no-subpackages`, a plain archive does not contain them.
fn subpackages(paths: &[RepoPath], stan_path: &RepoPath) -> BTreeSet<String> {
    let says_so = |name: &str| Ecosystems::default().iter().any(|one| one.is_manifest(name));
    let is_manifest =
        |path: &&RepoPath| says_so(path.file_name()) && !path.is_under(stan_path.as_str());
    paths.iter().filter(is_manifest).filter_map(|path| path.parent().map(str::to_owned)).collect()
}

fn is_below(path: &RepoPath, folders: &BTreeSet<String>) -> bool {
    let text = path.as_str();
    text.match_indices('/').any(|(at, _)| folders.contains(&text[..at]))
}
