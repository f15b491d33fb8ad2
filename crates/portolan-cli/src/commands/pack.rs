//! `portolan pack`: what is needed to repair a failure.

mod log;
mod spawn;
pub(crate) mod task_pack;

use std::path::{Path, PathBuf};

use clap::Args;
use portolan_guard::redact;
use portolan_index::map::{CacheMode, MapRequest};
use portolan_index::session::Session;
use portolan_index::store::UserCache;
use portolan_query::agent::{
    AgentContextReport, AgentContextRequest, build_pack, is_x07, to_markdown,
};
use portolan_query::answers::{AnswerError, Report, shown_path};
use portolan_query::ast::{Source, write_out};
use portolan_query::diagnostics::{
    DiagnosticsError, DiagnosticsReport, DiagnosticsRequest, Format as DiagFormat, read_output,
};
use portolan_query::pack::{
    Base, DEFAULT_BUDGET, FocusRule, PackError, PackForm, PackReport, PackRequest, SMALLEST_BUDGET,
    build_context,
};
use portolan_query::settings_values;
use portolan_vfs::System as _;
use portolan_wire::question::{Budget, PackQuestionV1, QuestionV1};
use portolan_wire::slice::Diagnostic;
use portolan_workspace::NOT_A_REPOSITORY;
use portolan_workspace::config::{self, Loaded};

use crate::args::Format;
use crate::commands::agent::failure;
use crate::commands::answer::{self, Asked};
use crate::commands::ast::{ShapeArgs, out_file, shown, source};
use crate::commands::pack::spawn::{Ended, Streamed};
use crate::commands::read::target_failure;
use crate::commands::scope::{map_failure, own_config};
use crate::context::{Context, cache_folder, escape};
use crate::failure::{Exit, Failure};
use crate::wrapper::{Output, Wrapped, WrapperArgs};

pub(crate) const EXAMPLES: &str = "Examples:
  portolan pack --diag ci.log         a failure: what to repair, what it needs
  portolan pack --task - < note.md    a task: what it is likely to change
  portolan pack --at src/index.ts:2   a place: all of it, and what it uses

`portolan pack -- make test` runs a command, and packs what it prints if it fails.";

/// The arguments of `portolan pack` and `portolan agent context`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PackArgs {
    /// What a compiler, linter or test printed, or a whole log; `-` is stdin
    #[arg(long, value_name = "PATH")]
    diag: Option<PathBuf>,

    /// What you want to do, in words; `-` reads it from stdin
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["diag", "command"])]
    task: Option<String>,

    /// What changed since a revision, or from one to another (`A..B`); since the branch left the main one if none is named
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["diag", "command"])]
    changed: Option<String>,

    /// A place to show whole: `FILE`, `FILE:LINE[:COL]`, `FILE:FROM-TO`, `FILE#NAME` (can be repeated)
    #[arg(long, value_name = "PLACE", conflicts_with_all = ["diag", "command"])]
    at: Vec<String>,

    /// With `--task`: show the bodies of tests, too
    #[arg(long, requires = "task")]
    tests: bool,

    /// The format of the output, where it is not recognised
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    diag_format: Option<DiagFormat>,

    /// Print the diagnostics that were read, and nothing else
    #[arg(long)]
    list: bool,

    /// Build it around the `first` error, the one with this number in the list, or the one at `FILE:LINE`
    #[arg(long, value_name = "WHICH", value_parser = parse_focus)]
    focus: Option<String>,

    /// Tell what changed since this commit (`HEAD` by default, where files changed since), or `none`
    #[arg(long, value_name = "REV")]
    base: Option<String>,

    /// x07: the project's manifest (`x07.json`) or its folder, looked up upwards where it is relative
    #[arg(long, value_name = "PATH")]
    project: Option<PathBuf>,

    #[command(flatten)]
    shape: ShapeArgs,

    /// At most so many tokens for the whole pack; where nothing is said 2000 of a failure and 1500 of a task that are shown,
    /// 8000 and 4000 in a file or as JSON, and 16000 of a place or a change (of x07: as many as it takes)
    #[arg(long, value_name = "TOKENS", help_heading = None::<&str>)]
    budget: Option<Budget>,

    /// x07: slice the module that the focus diagnostic names, where that is not the entry
    #[arg(long)]
    follow_file: bool,

    /// Write the pack to this file
    #[arg(long, value_name = "PATH", help_heading = None::<&str>)]
    out: Option<PathBuf>,

    #[command(flatten)]
    wrapper: WrapperArgs,

    /// With a command: show what it prints while it runs
    #[arg(long, requires = "command", help_heading = None::<&str>)]
    show: bool,

    /// Run this command, and pack what it prints if it fails; its exit code is kept
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["diag", "project"], help_heading = None::<&str>)]
    command: Vec<std::ffi::OsString>,
}

fn parse_focus(text: &str) -> Result<String, String> {
    FocusRule::parse(text)
        .map(|_| text.to_owned())
        .ok_or_else(|| "expected `first`, a number from 1, or `FILE:LINE`".to_owned())
}

fn parse_format(text: &str) -> Result<DiagFormat, String> {
    DiagFormat::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = DiagFormat::all().into_iter().map(DiagFormat::name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

impl PackArgs {
    /// Whether it runs another program, which may draw on the terminal itself.
    pub(crate) fn runs_command(&self) -> bool {
        !self.command.is_empty()
    }
}

/// Runs it.
pub(crate) fn run(args: &PackArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    if !args.command.is_empty() {
        return of_command(args, ctx);
    }
    if args.task.is_some() || args.changed.is_some() || !args.at.is_empty() {
        return task_pack::run(args, ctx);
    }
    let Some(diag) = &args.diag else {
        if !(args.wrapper.json_schema || args.wrapper.json_schema_id) {
            return Err(Failure::bad_input("a pack has to be about something").hint(
                "give `--diag FILE` (a failure; `-` is stdin), `--task TEXT`, `--changed`, `--at PLACE`, or `-- COMMAND` to run one",
            ));
        }
        return Wrapped { command: "agent.context" }
            .run(&args.wrapper, ctx, |_| Ok(Output::default()));
    };
    if args.project.is_some() {
        let source = source(ctx, diag)?;
        return of_x07(args, ctx, source);
    }
    let output = match source(ctx, diag)? {
        Source::Bytes(bytes) => bytes,
        Source::File(path) => ctx.system.read_named(&path).map_err(|error| {
            Failure::bad_input(format!("cannot read `{}`: {error}", diag.display()))
        })?,
    };
    if is_x07(&output) && !args.list {
        return of_x07(args, ctx, Source::Bytes(output));
    }
    of_output(args, ctx, diag, output)?;
    Ok(Exit::Done)
}

/// Packs what was printed, and returns what failed in one line, if it says so.
fn of_output(
    args: &PackArgs,
    ctx: &mut Context,
    diag: &Path,
    output: Vec<u8>,
) -> Result<Option<String>, Failure> {
    let config = own_config(ctx)?;
    let named = from_root(ctx, &config.root, diag);
    let request = DiagnosticsRequest {
        config,
        directory: ctx.directory.clone(),
        shown: shown(diag),
        output,
        format: args.diag_format,
    };
    if args.list {
        let report = read_output(&ctx.system, &request).map_err(|error| unread(&error))?;
        list(&report, ctx)?;
        return Ok(None);
    }
    // A document in words is an answer like others, with its first line; what goes to a file or a program is not,
    // and what is no text cannot be asked about again.
    if form(args, ctx) == PackForm::Markdown
        && is_shown(args)
        && let Ok(failure) = str::from_utf8(&request.output)
    {
        let question = PackQuestionV1 {
            failure: Some(failure.to_owned()),
            format: args.diag_format.map(|format| format.name().to_owned()),
            focus: args.focus.clone(),
            base: args.base.clone(),
            budget: args.budget,
            ..PackQuestionV1::default()
        };
        return say(ctx, request.config, question, &request.shown);
    }
    let request = PackRequest {
        output: request,
        diag: named,
        focus: args.focus.as_deref().and_then(FocusRule::parse).unwrap_or_default(),
        base: match args.base.as_deref() {
            None => Base::Auto,
            Some("none") => Base::Off,
            Some(revision) => Base::Revision(revision.to_owned()),
        },
        budget: args.budget.map_or(DEFAULT_BUDGET, Budget::tokens),
        form: form(args, ctx),
        threads: 0,
        cache: CacheMode::Use,
    };
    let report = build_context(&ctx.system, &request).map_err(|error| unbased(&error))?;
    write(args, ctx, &report)?;
    Ok(report.failure())
}

/// Whether the pack is shown, and not put into a file.
fn is_shown(args: &PackArgs) -> bool {
    args.out.as_deref().is_none_or(|out| out == Path::new("-"))
}

/// Tells that nothing changed: an answer, too.
pub(crate) fn unchanged(ctx: &mut Context, since: &str) -> Result<Exit, Failure> {
    if ctx.format == Format::Json {
        ctx.answer(&serde_json::json!({ "unchanged": since }), &[])?;
    } else {
        ctx.text(&format!("nothing changed since {since}\n"))?;
    }
    Ok(Exit::Done)
}

/// Answers with a pack in words, or tells that nothing changed.
fn say_or_unchanged(
    ctx: &mut Context,
    config: Loaded,
    question: PackQuestionV1,
) -> Result<Exit, Failure> {
    match ask(ctx, config, question) {
        Err(AnswerError::Pack(PackError::Unchanged(since))) => unchanged(ctx, &since),
        asked => {
            tell(ctx, &asked.map_err(|error| answer::failure(&error))?)?;
            Ok(Exit::Done)
        }
    }
}

/// Answers with a pack of what a tool printed, in words, and returns what failed. `named` is what its output is called.
fn say(
    ctx: &mut Context,
    config: Loaded,
    question: PackQuestionV1,
    named: &str,
) -> Result<Option<String>, Failure> {
    let asked = ask(ctx, config, question).map_err(|error| match error {
        AnswerError::Pack(PackError::Diagnostics(error)) => unread(&error.of(named)),
        error => answer::failure(&error),
    })?;
    tell(ctx, &asked)?;
    let Report::Pack(report) = &asked.answer.report else { return Ok(None) };
    Ok(report.failure())
}

fn ask(ctx: &Context, config: Loaded, question: PackQuestionV1) -> Result<Asked, AnswerError> {
    let request = MapRequest { config, threads: 0 };
    let session = Session::open(&ctx.system, request, CacheMode::Use)?;
    answer::ask(session, &QuestionV1::Pack(question))
}

fn tell(ctx: &mut Context, asked: &Asked) -> Result<(), Failure> {
    answer::show(ctx, asked, None)
}

/// JSON where it was asked for, by the flag or by the name of the file.
fn form(args: &PackArgs, ctx: &Context) -> PackForm {
    let is_json_file =
        || args.out.as_ref().and_then(|out| out.extension()).is_some_and(|it| it == "json");
    if ctx.format == Format::Json || (!ctx.markdown && is_json_file()) {
        PackForm::Json
    } else {
        PackForm::Markdown
    }
}

fn write(args: &PackArgs, ctx: &mut Context, report: &PackReport) -> Result<(), Failure> {
    let mut text = report.context.text.clone();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    match args.out.as_deref().filter(|_| !is_shown(args)) {
        None => ctx.code(&text)?,
        Some(out) => write_out(&ctx.system, &out_file(ctx, out), text.as_bytes())
            .map_err(|error| Failure::failed(error.to_string()))?,
    }
    crate::notices::say_of_answer(ctx, &report.notices, |_| false);
    ctx.say(&format!("note: the pack has {} tokens", report.context.tokens));
    Ok(())
}

/// A path as the pack names it: from the root, or `-` for what is not in the repository.
fn from_root(ctx: &Context, root: &Path, diag: &Path) -> String {
    let real = ctx.system.real_path(&ctx.path(diag)).unwrap_or_default();
    match real.strip_prefix(root) {
        Ok(path) if diag != Path::new("-") => path.to_string_lossy().replace('\\', "/"),
        _ => "-".to_owned(),
    }
}

/// Tells why there is no pack of a failure: what changed need not be told there.
fn unbased(error: &PackError) -> Failure {
    match error {
        PackError::Base(_) => Failure::bad_input(error.to_string())
            .hint("name a commit, a branch or a tag of this repository, or `--base none`"),
        error => unpacked(error),
    }
}

/// Tells why there is no pack.
pub(crate) fn unpacked(error: &PackError) -> Failure {
    match error {
        PackError::Diagnostics(error) => unread(error),
        PackError::NoFocus(_) => Failure::bad_input(error.to_string())
            .hint("`--list` shows the diagnostics that were read"),
        PackError::Budget(_) => Failure::bad_input(error.to_string())
            .hint(format!("give `--budget {SMALLEST_BUDGET}` or more")),
        PackError::Base(reason) if reason.contains(NOT_A_REPOSITORY) => {
            Failure::bad_input(error.to_string())
                .hint("what changed is known from git only; `-C DIR` asks about another folder, `--at PLACE` needs no git")
        }
        PackError::Base(_) => Failure::bad_input(error.to_string())
            .hint("name a commit, a branch or a tag of this repository"),
        PackError::Unchanged(_) => {
            Failure::bad_input(error.to_string()).hint("name an earlier revision, such as `HEAD~1`")
        }
        PackError::Target(error) => target_failure(error),
        PackError::Search(error) => crate::commands::search::failure(error),
    }
}

/// Runs a command and packs what it printed, if it fails.
fn of_command(args: &PackArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let streamed = match (args.show, args.out.is_none()) {
        (false, _) => Streamed::Counted(ctx.progress()),
        // What the command prints is talk, unless the pack goes elsewhere.
        (true, true) => Streamed::Talk,
        (true, false) => Streamed::AsIs,
    };
    // Old logs go whether this command fails or not.
    if let Some(cache) = cache_folder().and_then(|folder| UserCache::open(&ctx.system, &folder)) {
        log::prune(&ctx.system, &cache);
    }
    let Ended { output, code, is_stopped } = spawn::run(&args.command, &ctx.directory, streamed)?;
    if is_stopped {
        ctx.say("the command was stopped");
        return Ok(Exit::Command(code));
    }
    if code == 0 {
        if spawn::hides_failures(&args.command) && reports_failures(&output) {
            ctx.say("the exit code 0 is that of the last program of the pipe: the output reports failures");
        } else {
            let last = summary_line(&output);
            let last = if last.is_empty() { "it printed nothing".to_owned() } else { last };
            ctx.say(&format!("the command succeeded: {last}"));
            return Ok(Exit::Done);
        }
    }
    if output.iter().all(u8::is_ascii_whitespace) {
        ctx.say(&format!("note: the command failed ({code}) and printed nothing to pack"));
        return Ok(Exit::Command(code));
    }
    // Neither the log nor the pack has what only the repository's own settings may hold.
    let loaded = config::load_with(&ctx.system, &ctx.load_request());
    let root = loaded.map_or_else(|_| ctx.directory.clone(), |loaded| loaded.root);
    let output = settings_values::masked(&ctx.system, &root, output);
    let kept = cache_folder().and_then(|cache| log::keep(&ctx.system, &cache, &output).ok());
    let size = output.len();
    let end = last_lines(&output, LAST_LINES);
    match of_output(args, ctx, Path::new("-"), output) {
        // Said again at the end: of a long answer, many look at the last lines only.
        Ok(Some(failure)) => ctx.say(&format!("failed: {failure}")),
        Ok(None) => {}
        Err(failure) => {
            // What no reader knows ends in what a person would look at.
            if !args.show {
                ctx.say(&end);
            }
            // Whoever ran a command did not choose a format, and has its last lines.
            if failure.hints.iter().any(|hint| hint.starts_with(FORMATS)) {
                ctx.say(&format!("the command failed ({code}), with no error that names a place"));
            } else {
                ctx.report(&failure);
            }
        }
    }
    if let Some(log) = kept {
        ctx.say(&format!("note: the whole output ({size} bytes) is in {}", log.display()));
    }
    Ok(Exit::Command(code))
}

/// Whether an output ends as one of failing tests or of a program that crashed does.
fn reports_failures(output: &[u8]) -> bool {
    let end = last_lines(output, LAST_LINES);
    let has_count = |line: &str| {
        let line = line.to_ascii_lowercase();
        let words: Vec<&str> =
            line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let is_some = |word: &str| word.parse::<u64>().is_ok_and(|count| count > 0);
        let is_noun =
            |word: &str| ["failed", "failures", "failure", "errors", "error"].contains(&word);
        words.windows(2).any(|pair| {
            is_some(pair[0]) && is_noun(pair[1]) || is_noun(pair[0]) && is_some(pair[1])
        })
    };
    // `ImportError: no module`, `thread 'main' panicked`, `FAILED tests/a.py`, `--- FAIL: TestA`.
    let is_crash = |line: &str| {
        let head = line.trim_start().split([':', ' ']).next().unwrap_or_default();
        let is_exception =
            head.len() > 5 && (head.ends_with("Error") || head.ends_with("Exception"));
        is_exception && line.contains(':')
            || line.starts_with("FAIL")
            || line.starts_with("--- FAIL")
            || line.contains(" panicked at ")
    };
    end.lines().any(|line| has_count(line) || is_crash(line))
}

/// The most lines of an unreadable output that are shown.
const LAST_LINES: usize = 15;

/// The most lines at the end of an output among which the sum of tests is looked for: tables of coverage come after it.
const SUMMARY_LINES: usize = 500;

/// The line that says how a command went: the last one that counts tests, as runners print it before times and hints,
/// or else the last one.
fn summary_line(output: &[u8]) -> String {
    let end = last_lines(output, SUMMARY_LINES);
    let lines: Vec<&str> = end.lines().collect();
    let counting = lines.iter().rev().copied().find(|line| counts_tests(line));
    let summary = counting.or(lines.last().copied()).unwrap_or_default().trim();
    // A runner may say in a line of its own that some were skipped: a test that did not run proves nothing.
    let is_open = counting.is_some() && !summary.contains("skipped");
    match lines.iter().rev().find(|line| is_open && line.contains("skipped")) {
        Some(skipped) => format!("{summary}; {}", skipped.trim()),
        None => summary.to_owned(),
    }
}

/// Whether a line says how many tests passed or failed: `12 passed`, `Ran 3 tests`, `Tests run: 5`. A time is no count:
/// `tests 4.28s`.
fn counts_tests(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_count = |pair: &[&str]| {
        let [number, noun] = pair else { return false };
        let nouns = ["passed", "failed", "test", "tests"];
        number.trim_start_matches('(').parse::<u64>().is_ok()
            && nouns.contains(&noun.trim_end_matches([',', ';', '.', ')', ':']))
    };
    words.windows(2).any(is_count) || line.contains("tests run:")
}

/// The last lines of an output that say something, without what acts on a terminal.
fn last_lines(output: &[u8], count: usize) -> String {
    let text = String::from_utf8_lossy(output);
    let text = anstream::adapter::strip_str(&text).to_string();
    let said: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = said.iter().skip(said.len().saturating_sub(count));
    let shown = |line: &&str| {
        let line = line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or_default();
        escape(&redact(line.trim_end()))
    };
    last.map(shown).collect::<Vec<_>>().join("\n")
}

/// How the hint for an output of an unknown format begins.
const FORMATS: &str = "`--diag-format` names one of: ";

/// Tells why nothing was read.
fn unread(error: &DiagnosticsError) -> Failure {
    match error {
        DiagnosticsError::Map(error) => map_failure(error),
        DiagnosticsError::Empty { .. } => Failure::bad_input(error.to_string())
            .hint("give what the tool printed: both streams, `cmd 2>&1 | portolan pack --diag -`"),
        DiagnosticsError::Nothing { .. } => {
            let names: Vec<&str> = DiagFormat::all().into_iter().map(DiagFormat::name).collect();
            Failure::bad_input(error.to_string()).hint(format!("{FORMATS}{}", names.join(", ")))
        }
    }
}

fn list(report: &DiagnosticsReport, ctx: &mut Context) -> Result<(), Failure> {
    if ctx.format == Format::Json {
        return ctx.answer(&report.to_wire(), &report.notices);
    }
    let mut text = String::new();
    for diagnostic in report.to_wire().diagnostics {
        let numbers = [diagnostic.line, diagnostic.col].into_iter().flatten();
        let place: String = diagnostic
            .file
            .into_iter()
            .map(|file| shown_path(&file).into_owned())
            .chain(numbers.map(|number| number.to_string()))
            .collect::<Vec<_>>()
            .join(":");
        let code = diagnostic.code.map_or_else(String::new, |code| format!(" {code}"));
        let line = format!("{place}: {}{code}: {}", diagnostic.severity, diagnostic.message);
        text.push_str(&escape(line.trim_start_matches(": ")));
        text.push('\n');
    }
    ctx.data(text.as_bytes())?;
    crate::notices::say(ctx, &report.notices);
    Ok(())
}

fn of_x07(args: &PackArgs, ctx: &mut Context, source: Source) -> Result<Exit, Failure> {
    Wrapped { command: "agent.context" }.run(&args.wrapper, ctx, |ctx| context(args, ctx, source))
}

fn context(args: &PackArgs, ctx: &mut Context, source: Source) -> Result<Output, Failure> {
    let out = args.out.as_deref().map(|out| out_file(ctx, out));
    if out.as_ref().is_some_and(|out| out.shown == "-") {
        return Err(Failure::bad_input("--out '-' is not supported")
            .hint("leave `--out` out: the pack goes to stdout"));
    }
    let request = AgentContextRequest {
        directory: ctx.directory.clone(),
        diag: shown(args.diag.as_deref().unwrap_or_else(|| Path::new("-"))),
        diag_source: source,
        project: args.project.clone().unwrap_or_else(|| PathBuf::from(".")),
        slice: args.shape.request(""),
        follow_file: args.follow_file,
        budget: args.budget.map(Budget::tokens),
    };
    let AgentContextReport { pack, diagnostics, tokens } =
        build_pack(&ctx.system, &request).map_err(failure)?;
    let mut bytes =
        if ctx.markdown { to_markdown(&pack).into_bytes() } else { pack.to_canonical() };
    if bytes.last() != Some(&b'\n') {
        bytes.push(b'\n');
    }
    let mut stderr: String = diagnostics.iter().map(talk).collect();
    stderr.extend(tokens.map(|tokens| format!("note: the pack has {tokens} tokens\n")));
    let stdout = match &out {
        None => bytes,
        Some(out) => {
            write_out(&ctx.system, out, &bytes)
                .map_err(|error| Failure::bad_input(error.to_string()))?;
            Vec::new()
        }
    };
    Ok(Output {
        exit: Some(Exit::Done),
        stdout,
        stderr,
        diagnostics,
        inputs: pack.digests.inputs,
        outputs: Vec::new(),
    })
}

/// A truncation, in a line for people.
fn talk(diagnostic: &Diagnostic) -> String {
    let stat = |field: &str| {
        diagnostic.data.as_ref().and_then(|data| data[field].as_u64()).unwrap_or_default()
    };
    format!(
        "{} {}: {}: {} of {} decls, {} of {} bytes\n",
        diagnostic.severity,
        diagnostic.code,
        diagnostic.message,
        stat("decls_after"),
        stat("decls_before"),
        stat("bytes_after"),
        stat("bytes_before")
    )
}

#[cfg(test)]
mod tests {
    use super::summary_line;

    #[test]
    fn the_line_that_counts_tests_says_how_it_went() {
        let check = |output: &str, expected: &str| {
            assert_eq!(summary_line(output.as_bytes()), expected);
        };
        check(
            " Tests  81 passed | 1 skipped (82)\n  Start at  10:00\n  Duration  2.1s (transform 885ms, tests 4.28s)\n",
            "Tests  81 passed | 1 skipped (82)",
        );
        check("collected 2 items\n==== 2 passed in 0.1s ====\n", "==== 2 passed in 0.1s ====");
        check("Ran 406 tests in 11s\n\nOK (skipped=49)\n", "Ran 406 tests in 11s; OK (skipped=49)");
        check("Tests run: 5, Failures: 0\nBUILD SUCCESS\n", "Tests run: 5, Failures: 0");
        check("built\ndone in 3 s\n", "done in 3 s");
        let table = "src/a.ts | 90 | 80 | 70 |\n".repeat(60);
        let output = format!("Tests  559 passed | 22 skipped (581)\n{table}-----|----|\n");
        check(&output, "Tests  559 passed | 22 skipped (581)");
        check("", "");
    }
}
