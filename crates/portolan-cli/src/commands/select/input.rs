//! Where the graph and the entries come from: files, stdin, the command line, or a repository.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use portolan_chat::run;
use portolan_index::map::MapRequest;
use portolan_index::session::{Session, Snapshot};
use portolan_query::select::{CsrGraph, SelectEntries, SelectSource, state_path};
use portolan_types::{Notice, NoticeCode, Place};
use portolan_vfs::{OsSystem, System};
use portolan_wire::graph::AnyGraph;
use portolan_wire::problem::Problem;
use portolan_wire::state::{self, ReadState, StateV2, StateVersion};

use super::SelectArgs;
use crate::commands::run::run_failure;
use crate::commands::scope::map_failure;
use crate::context::Context;
use crate::failure::Failure;

/// The graph to select from.
pub(super) struct Chart {
    graph: ChartGraph,
    pub(super) notices: Vec<Notice>,
}

enum ChartGraph {
    Repository(Box<Session<'static>>, Arc<Snapshot>),
    /// That of a file.
    Read(CsrGraph),
}

impl Chart {
    pub(super) fn source<'a>(&'a self, system: &'a OsSystem) -> SelectSource<'a> {
        match &self.graph {
            ChartGraph::Repository(session, snapshot) => {
                SelectSource::Repository { session, system, snapshot }
            }
            ChartGraph::Read(graph) => SelectSource::Graph(graph),
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
    let graph = ChartGraph::Read(CsrGraph::from(&read.value));
    Ok(Chart { graph, notices: notices.collect() })
}

fn repository_chart(args: &SelectArgs, ctx: &Context) -> Result<Chart, Failure> {
    let request = MapRequest { config: args.scope.load(ctx)?, threads: args.scope.threads };
    let session = Session::open(&OsSystem, request, args.cache.mode())
        .map_err(|error| map_failure(&error))?;
    let snapshot = session.snapshot().map_err(|error| map_failure(&error))?;
    let notices = snapshot.map.notices.clone();
    Ok(Chart { graph: ChartGraph::Repository(Box::new(session), snapshot), notices })
}

/// The entries to select, and what was noticed when they were read.
#[derive(Default)]
pub(super) struct Directives {
    pub(super) entries: SelectEntries,
    pub(super) notices: Vec<Notice>,
}

/// Reads the entries: those of the command line, or else a state file, leniently.
pub(super) fn directives(args: &SelectArgs, ctx: &Context) -> Result<Directives, Failure> {
    if !args.question.entries.is_empty() || !args.question.exclude.is_empty() {
        let entries = SelectEntries::typed(&args.question);
        let mut entries = entries.map_err(|error| Failure::bad_input(error.to_string()))?;
        // What is saved takes the place of the selection, not of what the thread asks to see.
        let asked = if args.write { asked(args, ctx) } else { StateV2::default() };
        (entries.state.zoom, entries.state.task) = (asked.zoom, asked.task);
        return Ok(Directives { entries, notices: Vec::new() });
    }
    let (name, bytes) = state_file(args, ctx)?;
    let Some(bytes) = bytes else {
        let message = "there is no state yet, so nothing is selected; give entries, and `--write` to save them";
        let notices = vec![Notice::at(NoticeCode::StateOddity, Place::file(&name), message)];
        return Ok(Directives { notices, ..Directives::default() });
    };
    let read = state::read(&bytes).map_err(|problem| failure_at(&name, &problem))?;
    let legacy = (read.version == StateVersion::V1).then(|| {
        let message = "written in version 1; `portolan select --upgrade` rewrites it as version 2";
        Notice::at(NoticeCode::StateLegacy, Place::file(&name), message)
    });
    let ReadState { state, warnings, .. } = read;
    Ok(Directives {
        entries: SelectEntries { state, warnings, is_typed: false },
        notices: legacy.into_iter().collect(),
    })
}

/// What the state that is there asks for, as far as it can be read.
fn asked(args: &SelectArgs, ctx: &Context) -> StateV2 {
    let bytes = state_file(args, ctx).ok().and_then(|(_, bytes)| bytes);
    bytes.and_then(|bytes| state::read(&bytes).ok()).map(|read| read.state).unwrap_or_default()
}

/// The strict reading: every problem at once.
pub(super) fn read_strict(name: &str, bytes: &[u8]) -> Result<ReadState, Failure> {
    let read = state::read(bytes).map_err(|problem| failure_at(name, &problem))?;
    read.strict().map_err(|problems| {
        let message = format!("the state has problems:\n{}", state::list_problems(&problems));
        Failure::bad_input(message).at(Place::file(name))
    })
}

/// What people call the state file (as it was given, or from the root) and its bytes; no bytes where the repository has none yet.
pub(super) fn state_file(
    args: &SelectArgs,
    ctx: &Context,
) -> Result<(String, Option<Vec<u8>>), Failure> {
    if let Some(path) = &args.state {
        return Ok((path.display().to_string(), Some(read_file(ctx, path)?)));
    }
    if args.graph.is_some() {
        let failure =
            Failure::bad_input("nothing to select: `--graph` needs entries or `--state FILE`");
        return Err(failure.hint("portolan select --graph graph.json src/index.ts:2"));
    }
    let config = args.scope.load(ctx)?;
    let state = run::read_state(&ctx.system, &config).map_err(|error| run_failure(&error))?;
    Ok((state_path(&config).to_string(), state))
}

/// Writes a state: back to where it was read from, or to the repository's own. Answers what people call
/// that file.
pub(super) fn write_state(
    args: &SelectArgs,
    ctx: &Context,
    bytes: &[u8],
) -> Result<String, Failure> {
    let Some(path) = &args.state else {
        let config = args.scope.load(ctx)?;
        run::write_state(&ctx.system, &config, bytes).map_err(|error| run_failure(&error))?;
        return Ok(state_path(&config).to_string());
    };
    if path.as_os_str() == "-" {
        return Err(Failure::bad_input("a state that was read from stdin cannot be written back"));
    }
    let name = path.display().to_string();
    let path = ctx.path(path);
    let folder = path.parent().map_or(Ok(()), |folder| ctx.system.create_dir_all(folder));
    let written = folder.and_then(|()| ctx.system.write(&path, bytes));
    written.map_err(|error| Failure::failed(format!("cannot write {name}: {error}")))?;
    Ok(name)
}

fn read_file(ctx: &Context, path: &Path) -> Result<Vec<u8>, Failure> {
    let read = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        ctx.system.read_named(&ctx.path(path))
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
