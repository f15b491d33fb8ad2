//! Checks which paths a reply may touch, and whether they are as the assistant saw them.

use std::collections::{BTreeMap, BTreeSet};

use crate::reply::{PathRole as Role, TouchedPath as Target};
use portolan_archive::WorkspaceLayout;
use portolan_types::{RepoPath, is_invisible};

use super::{Finding, ReplyRule, ReplyVerdict, Review};
use portolan_workspace::config;

impl Review<'_, '_> {
    /// Checks all paths, including those that are only read (`cp SECRET NOTES`).
    pub(super) fn paths(&mut self) {
        let leaving: BTreeSet<&RepoPath> = self
            .targets
            .iter()
            .filter(|target| {
                matches!(target.role, Role::MoveFrom | Role::Delete | Role::RemoveFolder)
            })
            .map(|target| &target.path)
            .collect();
        for target in self.targets {
            self.allowed(target);
            self.standing(target, &leaving);
        }
        self.spellings();
        self.doubles(&leaving);
        self.portable();
    }

    fn allowed(&mut self, target: &Target) {
        let (path, workspace) = (&target.path, self.evidence.workspace);
        let folded = folded(path);
        let is_below = |folder: RepoPath| is_under(&folded, &folder.as_str().to_lowercase());
        let (rule, fix) = if is_below(workspace.imports_dir()) {
            (
                ReplyRule::ImportsReadOnly,
                "leave the patch out: imports are reference material".to_owned(),
            )
        } else if is_tooling(workspace, path, &folded) {
            let fix = "leave the patch out: the next run would overwrite it";
            (ReplyRule::ToolingOnly, fix.to_owned())
        } else if is_settings(path) {
            let fix = "leave the patch out, and say in words what to set";
            (ReplyRule::GuardSettings, fix.to_owned())
        } else if let Some(rule) = self.secret(target) {
            let fix = format!(
                "leave the file alone (rule `{rule}`; `portolan.secrets.allow` opens single paths)"
            );
            (ReplyRule::SecretFile, fix)
        } else {
            return;
        };
        self.refused.insert(path.clone());
        self.find(target.line, rule, format!("`{path}` is {}", verb(target.role)), fix);
    }

    /// The rule by which a file holds secrets. A file in the archive holds none, unless its name alone denies it: an
    /// older archive may have it, and under another name it would be readable.
    fn secret(&self, target: &Target) -> Option<&'static str> {
        let path = &target.path;
        if self.evidence.has(path.as_str()) {
            return self.evidence.context.secret(path, Some(&[]));
        }
        let files = &self.outcome.files;
        let made = files.binary_search_by(|file| file.path.cmp(path)).ok();
        let bytes = made.and_then(|index| files[index].bytes.as_deref());
        self.evidence.context.secret(path, bytes.filter(|_| !target.role.needs_a_base()))
    }

    /// Checks that the file on the disk is the one that the assistant saw, or that a new file does
    /// not exist yet.
    fn standing(&mut self, target: &Target, leaving: &BTreeSet<&RepoPath>) {
        let (path, line) = (&target.path, target.line);
        if self.behind_a_link(target) {
            return;
        }
        match (target.role, &*self.look(path)) {
            (_, ReplyVerdict::Elsewhere) => self.link(target, path),
            (_, ReplyVerdict::Unreadable(why)) => {
                let message = format!("`{path}` cannot be looked at: {why}");
                self.find(line, ReplyRule::FileChanged, message, "make it readable");
            }
            (Role::RemoveFolder, standing) => self.removed_folder(target, standing, leaving),
            (Role::MakeFolder, ReplyVerdict::Absent | ReplyVerdict::Folder) => {}
            (_, ReplyVerdict::Folder) => {
                let message = format!("`{path}` is a folder");
                let fix = "name a file; files are moved, copied and taken away one by one";
                self.find(line, ReplyRule::PatchUnfit, message, fix);
            }
            (role, standing) => {
                let is_left = leaving.contains(path) && role.arrives();
                let is_made = role.arrives() || role == Role::MakeFolder;
                if is_made && !is_left && self.evidence.has(path.as_str()) {
                    let message = format!("`{path}` is made, and the archive has it");
                    let fix = "patch what is there, or take another name";
                    self.find(line, ReplyRule::PatchUnfit, message, fix);
                } else {
                    self.unchanged(target, standing);
                }
            }
        }
    }

    /// Checks that a file of the archive has the same bytes on the disk.
    fn unchanged(&mut self, target: &Target, standing: &ReplyVerdict) {
        let path = &target.path;
        let is_attached = self.evidence.has(path.as_str());
        let Some(then) = self.evidence.bytes(path) else { return };
        let how = match standing {
            // A missing state counts as the empty one.
            ReplyVerdict::Absent if !is_attached => return,
            ReplyVerdict::File(now) if now == then => return,
            ReplyVerdict::File(_) => "is not what the archive has: it was changed since",
            _ => "is in the archive, and is not there any more",
        };
        let fix = "`portolan run --context` makes a new archive: ask for the patch again with it";
        self.find(target.line, ReplyRule::FileChanged, format!("`{path}` {how}"), fix);
    }

    fn removed_folder(
        &mut self,
        target: &Target,
        standing: &ReplyVerdict,
        leaving: &BTreeSet<&RepoPath>,
    ) {
        let path = &target.path;
        let stays = |name: &String| {
            let inner = RepoPath::new(format!("{path}/{name}"));
            !inner.is_ok_and(|inner| leaving.contains(&inner))
        };
        let is_empty = || !self.evidence.context.names(path).iter().any(stays);
        let message = match standing {
            ReplyVerdict::Folder if is_empty() => return,
            ReplyVerdict::Folder => format!("`{path}` is not empty"),
            _ => format!("`{path}` is no folder"),
        };
        let fix = "take the files away first, each with `rm`";
        self.find(target.line, ReplyRule::PatchUnfit, message, fix);
    }

    /// Whether a folder on the path is a link; reported once per target.
    fn behind_a_link(&mut self, target: &Target) -> bool {
        let text = target.path.as_str();
        let folders: Vec<RepoPath> =
            text.match_indices('/').filter_map(|(at, _)| RepoPath::new(&text[..at]).ok()).collect();
        for folder in folders {
            match *self.look(&folder) {
                ReplyVerdict::Elsewhere => {
                    self.link(target, &folder);
                    return true;
                }
                // There is nothing below a missing folder, and a file in the way is a separate
                // conflict.
                ReplyVerdict::Absent | ReplyVerdict::File(_) | ReplyVerdict::Unreadable(_) => {
                    return false;
                }
                ReplyVerdict::Folder => {}
            }
        }
        false
    }

    fn link(&mut self, target: &Target, path: &RepoPath) {
        let message = format!("`{path}` is a link, or its name on the disk has another spelling");
        let fix = "patch the file itself, under its own name";
        self.find(target.line, ReplyRule::OrdinaryFile, message, fix);
    }

    /// Reports new names that some file systems reject or change.
    fn portable(&mut self) {
        let mut found = Vec::new();
        for target in self.targets {
            let is_made = target.role.arrives() || target.role == Role::MakeFolder;
            let is_new = is_made && !self.refused.contains(&target.path);
            let odd = target.path.as_str().split('/').find(|name| is_odd(name));
            if let Some(name) = odd.filter(|_| is_new && !self.evidence.has(target.path.as_str())) {
                let message =
                    format!("`{name}` in `{}` is no name on every file system", target.path);
                let fix = "take a name without a dot or a space at its end, and none of a device";
                let (line, rule) = (target.line, ReplyRule::PatchConflict);
                found.push(Finding { line, rule, message, fix: fix.to_owned() });
            }
        }
        self.findings.extend(found);
    }

    /// Reports new files whose names differ only in case: some file systems would merge them.
    fn spellings(&mut self) {
        let mut known: BTreeMap<String, &RepoPath> = BTreeMap::new();
        let mut found = Vec::new();
        for target in self.targets.iter().filter(|target| !target.role.is_folder()) {
            let path = known.entry(target.path.as_str().to_lowercase()).or_insert(&target.path);
            if *path != &target.path && target.role.arrives() {
                let message = format!("`{}` and `{path}` differ only in case", target.path);
                let fix = "take names that every file system tells apart".to_owned();
                let (line, rule) = (target.line, ReplyRule::PatchConflict);
                found.push(Finding { line, rule, message, fix });
            }
        }
        self.findings.extend(found);
    }

    /// Reports a new name that differs only in case from a file or folder of the archive. Some file
    /// systems would overwrite that file.
    fn doubles(&mut self, leaving: &BTreeSet<&RepoPath>) {
        let is_made = |role: Role| role.arrives() || role == Role::MakeFolder;
        let made: Vec<&Target> = self.targets.iter().filter(|it| is_made(it.role)).collect();
        if made.is_empty() {
            return;
        }
        let stays = |path: &&str| !leaving.iter().any(|gone| gone.as_str() == *path);
        let paths = self.evidence.attached.keys().map(String::as_str).filter(stays);
        let known: BTreeSet<&str> = paths.flat_map(upwards).collect();
        let folded: BTreeMap<String, &str> =
            known.iter().map(|path| (path.to_lowercase(), *path)).collect();
        let mut found = Vec::new();
        for target in made {
            let double = upwards(target.path.as_str())
                .filter(|path| !known.contains(path))
                .find_map(|path| folded.get(&path.to_lowercase()));
            if let Some(double) = double {
                let message = format!("`{}` differs only in case from `{double}`", target.path);
                let fix = "take a name that every file system tells apart".to_owned();
                let (line, rule) = (target.line, ReplyRule::PatchConflict);
                found.push(Finding { line, rule, message, fix });
            }
        }
        self.findings.extend(found);
    }

    /// Reports patches of files that the assistant has not seen, and all other patches as long as a
    /// file is missing.
    pub(super) fn gate(&mut self, is_active: bool) {
        let state = self.evidence.workspace.state();
        let absent = if is_active { self.awaited() } else { None };
        let system = self.evidence.workspace.system_dir();
        let comes = |target: &&Target| matches!(target.role, Role::MoveTo | Role::CopyTo);
        let coming: BTreeSet<&RepoPath> =
            self.targets.iter().filter(comes).map(|target| &target.path).collect();
        for target in self.targets {
            let path = &target.path;
            // A path that may not be patched at all has its own finding.
            if *path == state || target.role.is_folder() || self.refused.contains(path) {
                continue;
            }
            // A file edited under its new name was seen under the old one.
            let is_moved = target.role == Role::Edit && coming.contains(path);
            if !is_moved && self.is_blind(target) {
                let verb = verb(target.role);
                let message = format!("`{path}` is {verb}, and the archive does not have it");
                let fix = format!(
                    "ask for it: add `{path}` to `{state}` and request a new --context archive"
                );
                self.find(target.line, ReplyRule::HardGate, message, fix);
            } else if let Some(absent) = &absent
                && target.role != Role::CopyFrom
                && !path.is_under(system.as_str())
            {
                let message =
                    format!("`{path}` is patched in a reply that still waits for `{absent}`");
                let fix = "patch only the state, stan.scratch.md and stan.todo.md in this turn";
                self.find(target.line, ReplyRule::HardGate, message, fix);
            }
        }
    }

    /// Whether a patch is blind: a file outside the archive can only be created, if it does not
    /// exist.
    fn is_blind(&mut self, target: &Target) -> bool {
        if self.evidence.has(target.path.as_str()) {
            return false;
        }
        target.role.needs_a_base() || *self.look(&target.path) != ReplyVerdict::Absent
    }
}

/// A path and its parent folders.
fn upwards(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at]).chain([path])
}

/// Whether tools write this path. The file system may ignore case and trailing dots or spaces, so
/// similar paths count as well.
fn is_tooling(workspace: &WorkspaceLayout, path: &RepoPath, folded: &str) -> bool {
    let stan = workspace.stan_path().as_str();
    let is_near = is_under(folded, &stan.to_lowercase()) && !path.is_under(stan);
    let is_generated = path.is_under(workspace.context_dir().as_str())
        || path.is_under(workspace.output_dir().as_str());
    is_near
        || is_git(folded)
        || workspace.reserved(path).is_some()
        || (is_generated && *path != workspace.state())
}

/// Whether a reply could have changed a path at all.
pub(crate) fn is_patchable(workspace: &WorkspaceLayout, path: &RepoPath) -> bool {
    let folded = folded(path);
    let imports = workspace.imports_dir().as_str().to_lowercase();
    !is_tooling(workspace, path, &folded) && !is_under(&folded, &imports) && !is_settings(path)
}

/// A path in lower case, without characters that some file systems ignore.
fn folded(path: &RepoPath) -> String {
    let is_ignored = |c: &char| matches!(c, '\u{AD}' | '\u{200C}' | '\u{200D}') || is_invisible(*c);
    path.as_str().to_lowercase().chars().filter(|c| !is_ignored(c)).collect()
}

/// Whether Windows would change a name or treat it as a device.
fn is_odd(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let is_numbered = |device: &str| {
        stem.strip_prefix(device).is_some_and(|rest| matches!(rest.as_bytes(), [b'1'..=b'9']))
    };
    name.ends_with(['.', ' '])
        || matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || is_numbered("com")
        || is_numbered("lpt")
}

fn verb(role: Role) -> &'static str {
    if role == Role::CopyFrom { "copied" } else { "patched" }
}

fn is_under(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a file system may treat a segment as `.git`: with trailing dots, spaces or a stream, or
/// by its short name.
fn is_git(folded: &str) -> bool {
    folded.split('/').any(|segment| {
        let name = segment.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
        let short = name.strip_prefix("git~");
        name == ".git" || short.is_some_and(|n| n.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// Whether a file decides what may leave the machine, at the root or in another folder.
fn is_settings(path: &RepoPath) -> bool {
    let folded = folded(path);
    let name = folded.rsplit('/').next().unwrap_or_default();
    config::FILE_NAMES.contains(&name.trim_end_matches(['.', ' ']))
}
