//! The command line: what every command shares, and the list of commands.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

use crate::commands;
use crate::failure::EXIT_CODES;

/// Version, commit and target.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("PORTOLAN_BUILD"), ")");

/// The first lines of the help: what a newcomer may try, each as it stands.
macro_rules! start {
    ($rest:literal) => {
        concat!(
            "Start here:
  portolan search import src      every line, by function: instead of grep -rn
  portolan read src/a.ts#a        one declaration: instead of sed -n
  portolan look src/a.ts#a        who uses it: before you change it
  portolan pack --diag ci.log     the code behind a failure
  portolan init --agents          tell coding agents how to ask

",
            $rest,
            "`portolan COMMAND --help` explains a command, `--help-all` shows all there is."
        )
    };
}

const START: &str = start!("");

const START_LONG: &str = start!(
    "Data goes to stdout and talk to stderr. With `--format json`, stdout has one JSON object:
`result` and `notices`, or `error`; of `pack` and `impact` it is the pack itself.

"
);

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "portolan",
    bin_name = "portolan",
    version = VERSION,
    about = "Grep, sed and \"find usages\" with the function around every line, in about 1,000 tokens",
    subcommand_required = true,
    arg_required_else_help = true,
    propagate_version = true,
    max_term_width = 100,
    after_help = START
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The flag that shows the whole help.
const HELP_ALL: &str = "--help-all";

/// Sections of options that few people need.
const RARE_HEADINGS: [&str; 3] = ["Scope", "Cache", "Wrapper options"];

/// Options that few people need.
const RARE: [&str; 22] = [
    "config",
    "quiet",
    "color",
    "verbose",
    "enclosure",
    "closure",
    "max_bytes",
    "max_nodes",
    "no_hashes",
    "no_subpackages",
    "wait",
    "meta_budget",
    "before",
    "after",
    "most",
    "within",
    "diag_format",
    "follow_file",
    "project",
    "default_kinds",
    "keep_kinds",
    "upgrade",
];

/// The command line for the arguments of a user, and these arguments. `--help` shows what most people need, on one
/// screen; `--help-all` shows everything.
pub(crate) fn for_user(given: Vec<OsString>) -> (clap::Command, Vec<OsString>) {
    let mut arguments = given;
    // What follows `--` belongs to another program.
    let own = arguments.iter().position(|it| it == "--").unwrap_or(arguments.len());
    if arguments.get(1).is_some_and(|it| it == "help")
        && arguments.get(2).is_none_or(|it| it != "help")
    {
        arguments.remove(1);
        arguments.insert(own - 1, OsString::from("--help"));
    }
    if arguments.get(1).is_some_and(|it| it == "version" || it == "-v") && arguments.len() == 2 {
        arguments[1] = OsString::from("--version");
    }
    if arguments.get(1).is_some_and(|it| it == "search" || it == "grep" || it == "rg") {
        arguments = with_globs(arguments);
    }
    let own = arguments.iter().position(|it| it == "--").unwrap_or(arguments.len());
    let all = arguments[..own].iter().position(|it| it == HELP_ALL);
    if let Some(all) = all {
        arguments[all] = OsString::from("--help");
        return (command(), arguments);
    }
    (shortened(command()), arguments)
}

/// What arguments that cannot be read say of the answer's form.
pub(crate) fn globals_of(arguments: &[OsString]) -> GlobalArgs {
    let own = arguments.iter().take_while(|it| *it != "--").filter_map(|it| it.to_str());
    let own: Vec<&str> = own.collect();
    let is_pair = |pair: &[&str]| pair == ["--format", "json"];
    let is_json = own.contains(&"--format=json") || own.windows(2).any(is_pair);
    let format = if is_json { FormatArg::Json } else { FormatArg::Human };
    GlobalArgs { directory: None, config: None, format, quiet: false, color: ColorWhen::Auto }
}

/// What grep calls `--include`, `--exclude` and `--exclude-dir` is `--glob` here, and not a part of the configuration;
/// `-q` asks for the exit code alone.
fn with_globs(arguments: Vec<OsString>) -> Vec<OsString> {
    let own = arguments.iter().position(|it| it == "--").unwrap_or(arguments.len());
    let mut rest = arguments.into_iter().enumerate();
    let mut all = Vec::new();
    while let Some((place, argument)) = rest.next() {
        let text = argument.to_str().filter(|_| place < own).unwrap_or_default();
        let (name, value) =
            text.split_once('=').map_or((text, None), |(name, it)| (name, Some(it)));
        let mark = match name {
            "--include" => "",
            "--exclude" | "--exclude-dir" => "!",
            // In every other command `-q` only means less talk.
            "-q" => {
                all.push(OsString::from("--silent"));
                continue;
            }
            _ => {
                all.push(argument);
                continue;
            }
        };
        let next = || rest.next().and_then(|(_, it)| it.into_string().ok());
        let glob = value.map(str::to_owned).or_else(next).unwrap_or_default();
        all.push(OsString::from(format!("--glob={mark}{glob}")));
    }
    all
}

/// A command, and those below it, without what few people need.
fn shortened(command: clap::Command) -> clap::Command {
    let is_rare = |arg: &Arg| {
        let heading = arg.get_help_heading().is_some_and(|it| RARE_HEADINGS.contains(&it));
        heading || RARE.contains(&arg.get_id().as_str())
    };
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::HelpShort)
        .help_heading(None::<&str>)
        .help("Print this help; `--help-all` shows all options");
    let has_help = !command.is_disable_help_flag_set();
    let command = command
        .mut_args(|arg| {
            let is_hidden = arg.is_hide_set() || is_rare(&arg);
            arg.hide(is_hidden)
        })
        .mut_subcommands(shortened);
    if has_help { command.disable_help_flag(true).arg(help) } else { command }
}

/// The command line, with the exit codes in the long help of every command.
pub(crate) fn command() -> clap::Command {
    let names = |group: clap::Command| -> Vec<(String, String)> {
        let about = |command: &clap::Command| command.get_about().map(ToString::to_string);
        let commands = group.get_subcommands();
        commands.map(|it| (it.get_name().to_owned(), about(it).unwrap_or_default())).collect()
    };
    let empty = || clap::Command::new("");
    let more = names(MoreCommand::augment_subcommands(empty()));
    let chat = names(ChatCommand::augment_subcommands(empty()));
    let x07 = names(X07Command::augment_subcommands(empty()));
    let mut command = Cli::command().mut_subcommands(with_exit_codes);
    for (name, _) in chat.iter().chain(&x07).chain(&more) {
        command = command.mut_subcommand(name, |command| command.hide(true));
    }
    let line = |(name, about): &(String, String)| format!("  {name:<11}  {about}\n");
    let more: String = more.iter().map(line).collect();
    command.after_long_help(format!("More commands:\n{more}\n{START_LONG}\n\n{EXIT_CODES}"))
}

fn with_exit_codes(command: clap::Command) -> clap::Command {
    let command = command.mut_subcommands(with_exit_codes);
    if command.get_after_long_help().is_some() {
        return command;
    }
    let examples = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
    command.after_long_help(format!("{examples}{EXIT_CODES}"))
}

/// What every command takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Work in this folder instead of the current one
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,

    /// Use this configuration instead of the repository's; its folder is the root
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,

    /// How to answer: text for people, JSON for machines, or a document where a command writes one
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = FormatArg::Human, global = true)]
    pub(crate) format: FormatArg,

    /// Say nothing on stderr but errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    /// When to use colours; `auto` honours `NO_COLOR` and whether the output is a terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorWhen::Auto, global = true)]
    pub(crate) color: ColorWhen,
}

/// The forms of an answer, as they can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// Text for people
    #[value(alias = "text")]
    Human,
    /// JSON for machines
    Json,
    /// A document (`read`, `pack`, `run --context` and `agent context` only)
    Markdown,
}

/// The forms that every command has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Text for people, or a document.
    Human,
    /// JSON for machines.
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands: one file each in `commands/`.
///
/// The help lists questions, setup and groups. The commands of `chat` and `x07` also work without the name of their
/// group, because the contract spells them that way: `run --context --meta`, `ast slice`, `agent context`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Search for text, names or a task: hits with the declarations that hold them
    ///
    /// It takes what `grep -rn` and `rg -n` take. The first line counts every hit; then come the files most worth
    /// reading, each hit below the declaration around it, with the lines of that declaration. Every line number is
    /// told where the budget allows it. With `--task` it lists the ten places that a task in words is most likely
    /// about. It exits with 0 where something is found, 1 where nothing is, and 2 on an error. docs/search.md tells
    /// more.
    #[command(aliases = ["grep", "rg"])]
    Search(commands::search::SearchArgs),
    /// Show declarations, lines or tests, every line with its number
    ///
    /// What is asked for is shown as it is in the file: a number, a tab and the line. Below it are the names
    /// and places of what it uses; `--needs` shows these as signatures or in full. Of a file longer than 200
    /// lines the outline is shown. With `--format json` the result has `slices` with `file`, `role`, `lines`
    /// and `text`, `uses`, `outlines` and `tokens`. See docs/read.md.
    #[command(aliases = ["cat", "show", "outline"])]
    Read(commands::read::ReadArgs),
    /// Show what files and declarations need, and who uses them
    ///
    /// For files by their imports, also through barrels; for declarations by what their names mean. In a
    /// listing `:t` is needed for types only, `:d` is loaded on demand, `~` is behind a barrel, `?` is not
    /// there. See docs/read.md.
    #[command(aliases = ["uses", "usages", "refs"])]
    Look(commands::look::LookArgs),
    /// Show how one declaration reaches another, call by call
    ///
    /// The shortest way along calls and references, each step with its line; `~` marks a step that is not
    /// certain. Where there is no way, the answer says how much was visited. See docs/read.md.
    Path(commands::path::PathArgs),
    /// Pack what is needed to repair a failure, to do a task, or to review a change
    ///
    /// Of a failure (`--diag`, or a command after `--`): the error, the code around it, what it needs. Of a
    /// task (`--task`): the passages that are likely to be changed, most likely first, and what they use. Of a
    /// place (`--at`) and of a change (`--changed`): the declarations, who uses them, the tests that reach them.
    /// Never over its budget; See docs/packs.md.
    Pack(commands::pack::PackArgs),
    /// Show on one screen what is in a repository: folders, what they are for and what they use
    ///
    /// A small repository is shown file by file. Of a path the outline is shown: signatures with their lines, or
    /// the files of a folder. With `--format json` the result has `listed`, `folded`, `tokens` and `text`.
    /// See docs/chart.md.
    #[command(aliases = ["map", "tree", "ls"])]
    Chart(commands::chart::ChartArgs),
    /// Write the map as a page to look at in a browser
    ///
    /// One file that needs nothing else: folders and files with their tokens, a treemap in which the edges of what
    /// is pointed at appear, a page for each file, and a builder of selections that tells their tokens at once and
    /// saves the state file. It is written to the workspace if there is one (`<stanPath>/output/view.html`), and else to
    /// your cache folder. See docs/view.md.
    View(commands::view::ViewArgs),
    /// Set a repository up: configuration, system docs, `.gitignore` lines
    ///
    /// It writes a commented `stan.config.yml`, the assistant's guide and a stub about the project
    /// below `<stanPath>/system/`, and `.gitignore` lines for what is generated. What is there is
    /// kept, so it is safe to run again. It needs no git.
    Init(commands::init::InitArgs),
    /// Answer agents over the Model Context Protocol: search, look, read and pack as tools
    ///
    /// It speaks on standard input and output with the program that started it, and ends with it. Each
    /// answer is made from the files as they are at that moment. Nothing is written to the repository.
    /// See docs/agents.md.
    Mcp(commands::mcp::McpArgs),
    /// Work in a chat without tools: bundle files, check and apply replies
    #[command(subcommand)]
    Chat(ChatCommand),
    /// Ask about many repositories at once: who uses a package, where something is declared
    ///
    /// An atlas is a folder or a bucket into which repositories were exported. See docs/atlas.md.
    Atlas(commands::atlas::AtlasArgs),
    /// Work with x07AST documents and x07 projects
    #[command(subcommand)]
    X07(X07Command),
    #[command(flatten)]
    UngroupedChat(ChatCommand),
    #[command(flatten)]
    UngroupedX07(X07Command),
    #[command(flatten)]
    More(MoreCommand),
}

/// The commands for a chat.
#[derive(Debug, Subcommand)]
pub(crate) enum ChatCommand {
    /// Bundle files for a chat: everything, the map, or a selection
    Run(commands::run::RunArgs),
    /// Move the baseline that diffs are measured against
    Snap(commands::snap::SnapArgs),
    /// Show what a state, or the entries given here, select, and what that costs
    Select(commands::select::SelectArgs),
    /// Print the assistant's guide: decode tables and rules, ready for a system prompt
    Prompt(commands::prompt::PromptArgs),
    /// Check an assistant's reply: can every patch be read, does it apply, does it keep the rules
    ///
    /// A reply is Markdown with patches: unified diffs, with or without what git adds to them,
    /// `*** Begin Patch`, `SEARCH`/`REPLACE` blocks and file operations. Each is held to the bytes of
    /// `<stanPath>/output/archive.tar`, which is what the assistant has seen, to the files as they are
    /// now, and to the rules of `portolan prompt`. What looks like a patch and cannot be read whole is a
    /// finding, and so is a change in another form (a heredoc, a command, an edit as JSON, a file below its
    /// path or in tags), unless the file has that very text: then it is a quotation. Each has a code, a
    /// line and a fix; docs/reference/notices.md explains the codes.
    CheckReply(commands::check_reply::CheckReplyArgs),
    /// Apply a reply that passes the check: all of its files, or none
    ///
    /// Nothing is written while `check-reply` has findings, so the files are those that the assistant
    /// saw, to the byte. Permissions, line ends and a missing last one are kept; folders that end up
    /// empty go. A copy of what was is kept below `<stanPath>/patch/portolan`, for `--undo` and for the
    /// next `apply` to put back, should this one be cut short.
    Apply(commands::apply::ApplyArgs),
    /// Show the dependency graph, the compact meta, or statistics
    Graph(commands::graph::GraphArgs),
}

/// The commands for x07.
#[derive(Debug, Subcommand)]
pub(crate) enum X07Command {
    /// Work with x07AST documents
    Ast(commands::ast::AstArgs),
    /// Pack what an agent needs to repair a failing project, and check such packs
    Agent(commands::agent::AgentArgs),
}

/// Commands that few people need. Only the long help lists them.
#[derive(Debug, Subcommand)]
pub(crate) enum MoreCommand {
    /// Show who is affected by a change: users, tests, and exports that are gone
    ///
    /// What changed since a revision is mapped to declarations; each is shown with its uses. An export that is gone
    /// though a file still imports it is an error, found without a compiler. With `--format json` it is the pack
    /// of `portolan pack --changed`.
    Impact(commands::impact::ImpactArgs),
    /// Tell which earlier answers are still true, and which files behind them changed
    ///
    /// `chart`, `look` and `read` start with the digest of their answer. The questions behind the digests
    /// given here are asked again: what has the same answer is true, the rest is named with the files that
    /// are not as they were. What answers were made from is kept in the user's cache folder.
    Check(commands::check::CheckArgs),
    /// List declarations by name: exact, by words, by initials, or nearly
    Find(commands::find::FindArgs),
    /// Write a repository as tables into an atlas, for questions over many
    ///
    /// Map, packages, declarations and references become Parquet files in a folder or a bucket, one set for each
    /// repository. A set replaces the one before in one step; one that did not change is left as it is.
    /// See docs/atlas.md; docs/reference/atlas.md has the tables.
    Export(commands::export::ExportArgs),
    /// Show or remove your cache: what earlier questions learned of repositories
    ///
    /// A repository with a workspace has its cache there (`<stanPath>/cache`). All others share a folder of yours, with at
    /// most 1 GB: the least recently used repositories are dropped first. Answers are the same without it, only slower.
    Cache(commands::cache::CacheCommandArgs),
    /// Print the JSON Schema of an artifact
    Schema(commands::schema::SchemaArgs),
    /// Print a completion script for a shell
    Completions(commands::completions::CompletionsArgs),
    /// Print the manual page, or write one for each command
    Man(commands::man::ManArgs),
}
