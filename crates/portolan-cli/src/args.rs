//! The command line: what every command shares, and the list of commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "portolan",
    version,
    about = "A context compiler: the smallest, reproducible context a coding assistant needs",
    subcommand_required = true,
    arg_required_else_help = true,
    propagate_version = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Work in this folder instead of the current one
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,

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
    Human,
    /// JSON for machines
    Json,
    /// A document (`agent context` only)
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
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the dependency graph, the compact meta, or statistics
    Graph(commands::graph::GraphArgs),
    /// Set a repository up: configuration, system docs, `.gitignore` lines
    Init(commands::init::InitArgs),
    /// Work with x07AST documents
    Ast(commands::ast::AstArgs),
    /// Pack what an agent needs to repair a failing project, and check such packs
    Agent(commands::agent::AgentArgs),
    /// Print the JSON Schema of an artifact
    Schema(commands::schema::SchemaArgs),
    /// Print the assistant's guide: decode tables and rules, ready for a system prompt
    Prompt(commands::prompt::PromptArgs),
    /// Write archives: of the universe, of the map, or of what a state asks for
    Run(commands::run::RunArgs),
    /// Show what a state, or the entries given here, select, and what that costs
    Select(commands::select::SelectArgs),
    /// Move the baseline that diffs are measured against
    Snap(commands::snap::SnapArgs),
}
