//! Where the graph and the entries come from: files, stdin, the command line, or a repository.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use portolan_engine::map::{self, MapReport, MapRequest};
use portolan_engine::select::{MapFiles, NoFiles, NodeFiles, Territory, parse_entry, state_path};
use portolan_engine::{OsSystem, System};
use portolan_types::{Notice, NoticeCode, Place};
use portolan_wire::graph::AnyGraph;
use portolan_wire::problem::Problem;
use portolan_wire::state::{self, ReadState, StateEntry, StateV2, StateVersion};

use super::SelectArgs;
use crate::commands::scope::map_failure;
use crate::context::Context;
use crate::failure::Failure;

/// The graph to select from.
pub(super) struct Chart {
    pub(super) territory: Territory,
    pub(super) notices: Vec<Notice>,
    repository: Option<(PathBuf, MapReport)>,
}

impl Chart {
    /// Calls with the files behind the graph, where there are any.
    pub(super) fn with_files<T>(
        &self,
        system: OsSystem,
        call: impl FnOnce(&dyn NodeFiles) -> T,
    ) -> T {
        match &self.repository {
            Some((root, map)) => call(&MapFiles::new(&system, root, map)),
            None => call(&NoFiles),
        }
    }
}

/// Reads or builds the graph.
pub(super) fn chart(args: &SelectArgs, ctx: &Context) -> Result<Chart, Failure> {
    let Some(path) = &args.graph else { return repository_chart(args, ctx) };
    let name = path.display().to_string();
    let bytes = read_file(ctx, path)?;
    let read = AnyGraph::read(&bytes).map_err(|problem| {
        failure_at(&name, &problem)
            .hint("`--graph` takes what `portolan graph` prints: the graph, or the compact meta")
    })?;
    let notices =
        read.problems.iter().map(|problem| notice(NoticeCode::StateOddity, &name, problem));
    Ok(Chart {
        territory: Territory::from(&read.value),
        notices: notices.collect(),
        repository: None,
    })
}

fn repository_chart(args: &SelectArgs, ctx: &Context) -> Result<Chart, Failure> {
    let config = args.scope.load(ctx)?;
    let root = config.root.clone();
    let report = map::build(&ctx.system, &MapRequest { config, threads: args.scope.threads });
    let report = report.map_err(|error| map_failure(&error))?;
    let territory = Territory::from(&report.graph);
    Ok(Chart { territory, notices: report.notices.clone(), repository: Some((root, report)) })
}

/// The entries to select.
pub(super) struct Directives {
    pub(super) state: StateV2,
    pub(super) warnings: Vec<String>,
    pub(super) notices: Vec<Notice>,
}

/// Reads the entries: those of the command line, or else a state file, leniently.
pub(super) fn directives(args: &SelectArgs, ctx: &Context) -> Result<Directives, Failure> {
    if !args.entries.is_empty() || !args.taken_away.is_empty() {
        let state = StateV2 { include: parse(&args.entries)?, exclude: parse(&args.taken_away)? };
        return Ok(Directives { state, warnings: Vec::new(), notices: Vec::new() });
    }
    let (StateFile { name, .. }, bytes) = state_file(args, ctx)?;
    let Some(bytes) = bytes else {
        let message = "there is no state yet, so nothing is selected; give entries, and `--write` to save them";
        let notices = vec![Notice::at(NoticeCode::StateOddity, Place::file(&name), message)];
        return Ok(Directives { state: StateV2::default(), warnings: Vec::new(), notices });
    };
    let read = state::read(&bytes).map_err(|problem| failure_at(&name, &problem))?;
    let legacy = (read.version == StateVersion::V1).then(|| {
        let message = "written in version 1; `portolan select --upgrade` rewrites it as version 2";
        Notice::at(NoticeCode::StateLegacy, Place::file(&name), message)
    });
    Ok(Directives {
        state: read.state,
        warnings: read.warnings,
        notices: legacy.into_iter().collect(),
    })
}

/// The strict reading: every problem at once.
pub(super) fn read_strict(name: &str, bytes: &[u8]) -> Result<ReadState, Failure> {
    let read = state::read(bytes).map_err(|problem| failure_at(name, &problem))?;
    read.strict().map_err(|problems| {
        let message = format!("the state has problems:\n{}", state::list_problems(&problems));
        Failure::bad_input(message).at(Place::file(name))
    })
}

fn parse(entries: &[String]) -> Result<Vec<StateEntry>, Failure> {
    let parsed: Result<Vec<StateEntry>, _> =
        entries.iter().map(|entry| parse_entry(entry)).collect();
    parsed.map_err(|error| Failure::bad_input(error.to_string()))
}

/// Where a state is.
pub(super) struct StateFile {
    pub(super) path: PathBuf,
    /// As people call it: as it was given, or from the root.
    pub(super) name: String,
}

impl StateFile {
    fn of_repository(args: &SelectArgs, ctx: &Context) -> Result<Self, Failure> {
        let config = args.scope.load(ctx)?;
        let name = state_path(&config);
        Ok(Self { path: config.root.join(name.as_str()), name: name.to_string() })
    }
}

/// The state file and its bytes; no bytes where the repository has none yet.
pub(super) fn state_file(
    args: &SelectArgs,
    ctx: &Context,
) -> Result<(StateFile, Option<Vec<u8>>), Failure> {
    if let Some(path) = &args.state {
        let file = StateFile { path: ctx.path(path), name: path.display().to_string() };
        return Ok((file, Some(read_file(ctx, path)?)));
    }
    if args.graph.is_some() {
        let failure =
            Failure::bad_input("nothing to select: `--graph` needs entries or `--state FILE`");
        return Err(failure.hint("portolan select --graph graph.json src/index.ts:2"));
    }
    let file = StateFile::of_repository(args, ctx)?;
    match ctx.system.read(&file.path) {
        Ok(bytes) => Ok((file, Some(bytes))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok((file, None)),
        Err(error) => Err(Failure::failed(format!("cannot read {}: {error}", file.name))),
    }
}

/// Where a state is written: back to where it was read from, or to the repository's own.
pub(super) fn state_target(args: &SelectArgs, ctx: &Context) -> Result<StateFile, Failure> {
    match &args.state {
        Some(path) if path.as_os_str() == "-" => {
            Err(Failure::bad_input("a state that was read from stdin cannot be written back"))
        }
        Some(path) => Ok(StateFile { path: ctx.path(path), name: path.display().to_string() }),
        None => StateFile::of_repository(args, ctx),
    }
}

fn read_file(ctx: &Context, path: &Path) -> Result<Vec<u8>, Failure> {
    let read = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        ctx.system.read(&ctx.path(path))
    };
    read.map_err(|error| Failure::bad_input(format!("cannot read {}: {error}", path.display())))
}

fn place(name: &str, problem: &Problem) -> Place {
    Place { path: name.to_owned(), position: problem.position }
}

/// The problem without its position, which the place has.
fn message(problem: &Problem) -> String {
    Problem { position: None, ..problem.clone() }.to_string()
}

fn notice(code: NoticeCode, name: &str, problem: &Problem) -> Notice {
    Notice::at(code, place(name, problem), message(problem))
}

fn failure_at(name: &str, problem: &Problem) -> Failure {
    Failure::bad_input(message(problem)).at(place(name, problem))
}
