//! Targets that read the other files of a repository: configuration, manifests, patterns, and git's
//! data.

use std::path::Path;

use portolan_guard::Guard;
use portolan_languages::PathSources;
use portolan_languages::ResolveContext;
use portolan_languages::ecma::resolve::{NpmResolver, SpecifierForm};
use portolan_types::RepoPath;
use portolan_vfs::MemorySystem;
use portolan_workspace::GitEnvironment;
use portolan_workspace::Patterns;
use portolan_workspace::Revision;
use portolan_workspace::Scan;
use portolan_workspace::ScanSettings;
use portolan_workspace::config;
use portolan_workspace::scan;

pub(super) fn config_yaml(input: &[u8]) -> String {
    config_named("/r/stan.config.yml", input)
}

pub(super) fn config_json(input: &[u8]) -> String {
    config_named("/r/stan.config.json", input)
}

fn config_named(name: &str, input: &[u8]) -> String {
    let system = MemorySystem::default();
    system.put(name, input);
    match config::load(&system, Path::new("/r")) {
        Ok(loaded) => format!("{} notices", loaded.notices.len()),
        Err(error) => {
            assert!(!error.problems.is_empty());
            assert!(
                error.problems.iter().all(|problem| problem.place.path.contains("stan.config"))
            );
            error.to_string()
        }
    }
}

/// A tsconfig, a manifest of the repository, one of a package and a workspace file, separated by
/// `~~~`.
pub(super) fn manifests(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    let mut parts = text.split("~~~");
    let system = MemorySystem::default();
    for name in ["tsconfig.json", "package.json", "p/package.json", "pnpm-workspace.yaml"] {
        let part = parts.next().unwrap_or_default();
        system.put(format!("/r/{name}"), part);
        system.put(format!("/r/node_modules/{name}"), part);
    }
    system.put("/r/src/use.ts", "");
    let paths = ["/r/p/package.json", "/r/package.json", "/r/src/use.ts"].map(str::to_owned);
    let sources = PathSources(paths.to_vec());
    let ctx = ResolveContext::new(&system, "/r", std::iter::empty(), &sources);
    let resolver = NpmResolver::new(&ctx);
    let specifiers = ["p", "p/x", "#x", "./x", "@/x", "x"];
    let forms = [SpecifierForm::Import, SpecifierForm::Require, SpecifierForm::ReferenceTypes];
    let found: Vec<String> = specifiers
        .iter()
        .flat_map(|specifier| forms.map(|form| resolver.resolve("/r/src/use.ts", specifier, form)))
        .map(|resolution| format!("{resolution:?}"))
        .collect();
    let notices: Vec<String> = ctx.notices().into_iter().map(|notice| notice.message).collect();
    // Without quotation marks, so that the found names are part of the answer.
    format!("{} {}", notices.concat(), found.concat()).replace(['"', '`'], "")
}

pub(super) fn ignore(input: &[u8]) -> String {
    let system = MemorySystem::default();
    for path in ["/r/a.ts", "/r/dir/b.ts", "/r/dir/deep/c.log", "/r/.hidden"] {
        system.put(path, "");
    }
    system.put("/r/.gitignore", input);
    let Some(scan) = scanned(&system) else { return String::new() };
    let lines = String::from_utf8_lossy(input).lines().count();
    for notice in &scan.notices {
        let line = notice.place.as_ref().and_then(|place| place.position).map(|(line, _)| line);
        assert!(line.is_none_or(|line| line as usize <= lines.max(1)), "{notice:?}");
    }
    let files: Vec<_> = scan.files.iter().map(|(file, ())| file.path.as_str()).collect();
    let notices: Vec<_> = scan.notices.iter().map(|notice| notice.message.as_str()).collect();
    format!("{} {}", files.join(" "), notices.join(" "))
}

pub(super) fn globs(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    let patterns: Vec<&str> = text.lines().collect();
    match Patterns::new(&patterns) {
        Err(error) => error.to_string(),
        Ok(patterns) => {
            let paths = ["a", "src/a.ts", "src/deep/b.d.ts", ".env", "x/y/z/w", "{a}", "é"];
            for path in paths {
                // A pattern that covers a folder matches everything in it.
                let inside = format!("{path}/x");
                assert!(!patterns.covers(path) || patterns.is_match(&inside), "{text:?} {path}");
                assert!(!patterns.is_match(&inside) || patterns.may_match_below(path), "{text:?}");
            }
            paths.map(|path| if patterns.is_match(path) { 'y' } else { 'n' }).iter().collect()
        }
    }
}

/// A git index, and after `~~~` the index that it is split from.
pub(super) fn git_index(input: &[u8]) -> String {
    let system = git_ground();
    let end = input.windows(3).position(|window| window == b"~~~").unwrap_or(input.len());
    system.put("/r/.git/index", &input[..end]);
    system.put(
        "/r/.git/sharedindex.0101010101010101010101010101010101010101",
        input.get(end + 3..).unwrap_or_default(),
    );
    system.put("/r/.gitignore", "*.log\n");
    let Some(scan) = scanned(&system) else { return String::new() };
    let files: Vec<_> = scan.files.iter().map(|(file, ())| file.path.as_str()).collect();
    let notices: Vec<_> = scan.notices.iter().map(|notice| notice.message.as_str()).collect();
    format!("{} {}", files.join(" "), notices.join(" "))
}

/// A commit in a pack: its name, the length of the pack's index in two bytes, the index, the pack.
/// Readable data is listed and compared with the working tree; everything else gives an error.
pub(super) fn git_pack(input: &[u8]) -> String {
    let Some((head, rest)) = input.split_at_checked(22) else { return "too short".to_owned() };
    let (id, length) = head.split_at(20);
    let length = usize::from(length[0]) << 8 | usize::from(length[1]);
    let (table, pack) = rest.split_at(length.min(rest.len()));
    let system = git_ground();
    let id: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    system.put("/r/.git/HEAD", id);
    system.put("/r/.git/objects/pack/p.idx", table);
    system.put("/r/.git/objects/pack/p.pack", pack);
    // The same bytes again, as a loose object.
    system.put("/r/.git/objects/01/01010101010101010101010101010101010101", pack);
    let mut parts = Vec::new();
    for name in ["HEAD", "HEAD~1", "0101010101010101010101010101010101010101"] {
        parts.push(match Revision::open(&system, Path::new("/r"), name) {
            Err(error) => error,
            Ok(revision) => {
                let changed = revision.changed(["a.ts", "dir/b.ts"].into_iter());
                let read = revision.paths().filter(|path| revision.read(path).is_some()).count();
                format!("{} changed, {} read", changed.len().min(4), read.min(4))
            }
        });
    }
    parts.join("; ")
}

fn git_ground() -> MemorySystem {
    let system = MemorySystem::default();
    for path in ["/r/a.ts", "/r/dir/b.ts", "/r/dir/deep/c.log"] {
        system.put(path, "a\n");
    }
    system.put("/r/.git/HEAD", "ref: refs/heads/main\n");
    system.put("/r/.git/objects/info/x", "");
    system.put("/r/.git/refs/x", "");
    system
}

/// The universe of the repository at `/r`.
fn scanned(system: &MemorySystem) -> Option<Scan<()>> {
    let settings = ScanSettings {
        root: "/r".into(),
        stan_path: RepoPath::new(".stan").ok()?,
        includes: Patterns::default(),
        excludes: Patterns::default(),
        git: GitEnvironment::default(),
        only: Vec::new(),
        guard: Guard::default(),
    };
    Some(scan(system, &settings, &|_| Ok(())))
}
