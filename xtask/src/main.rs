//! Chores of the repository, written in Rust: `cargo xtask <chore>`.
//!
//! Nothing here ships. The benchmarks run the release binary as a user would, next to programs that
//! do the least possible work, so that every figure is a ratio taken in the same minutes.
#![expect(clippy::print_stderr, reason = "chores talk to the person who runs them")]

mod agents;
mod atlas_bench;
mod bench;
mod causes;
mod corpus;
mod declarations;
mod floor;
mod fuzz;
mod instructions;
mod language_bench;
mod languages;
mod outline;
mod package;
mod programs;
mod question_bench;
mod report;
mod secrets;
mod speed;
mod start;
mod tasks;
mod turns;
mod view;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The result of a chore, with any error.
type ChoreResult<T> = Result<T, Box<dyn Error>>;

#[derive(Parser)]
#[command(about = "Chores of the repository")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Measure Portolan against the floor and other tools, and write docs/benchmarks.md
    Bench(bench::BenchArgs),
    /// Measure an atlas of many repositories: build, query, and one real export
    AtlasBench(atlas_bench::AtlasBenchArgs),
    /// Write a synthetic TypeScript monorepo
    Corpus {
        /// The number of modules
        modules: usize,
        /// The target folder; created if missing
        folder: PathBuf,
        /// The same seed gives the same files
        #[arg(long, default_value_t = corpus::SEED)]
        seed: u64,
    },
    /// Compare what `read` shows with what a type checker says a location needs
    Declarations(declarations::DeclarationsArgs),
    /// The least possible work: walk, read and hash; or walk and stat
    Floor {
        #[arg(value_enum)]
        work: floor::FloorWork,
        folder: PathBuf,
    },
    /// Measure how often packs show the cause of an error
    Causes(causes::CausesArgs),
    /// Give mutated inputs to every reader of untrusted text
    Fuzz(fuzz::FuzzArgs),
    /// Measure the map of repositories in other languages than TypeScript against the floor and
    /// other tools
    LanguageBench(language_bench::LanguageBenchArgs),
    /// Check the edges and names of a language against the language's own tools
    Languages(languages::LanguagesArgs),
    /// Measure questions about repositories without a workspace, cold and warm
    Questions(question_bench::QuestionBenchArgs),
    /// Measure how well charts answer real tasks
    Tasks(tasks::TasksArgs),
    /// Measure the cost of a chat thread: the opener, a turn after an edit, the cache, warm
    /// questions
    Turns(turns::TurnsArgs),
    /// Make packages from the binary: npm, a Python wheel, an archive, a Debian package
    Package(package::PackageArgs),
    /// Check that outlines give the same facts as whole texts, on the code of some folders
    Outline(outline::OutlineArgs),
    /// Count the made-up secrets that the guard catches, and the files of real repositories that it
    /// denies
    Secrets(secrets::SecretsArgs),
    /// Count the instructions of a cold run on the 1k corpus, and fail if they grew by over 10 %
    Instructions {
        /// Record the count as the new reference
        #[arg(long)]
        record: bool,
    },
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().chore {
        Chore::Bench(args) => bench::run(&args),
        Chore::AtlasBench(args) => atlas_bench::run(&args),
        Chore::Corpus { modules, folder, seed } => corpus::write(&folder, modules, seed),
        Chore::Declarations(args) => declarations::run(&args),
        Chore::Floor { work, folder } => floor::run(work, &folder),
        Chore::Causes(args) => causes::run(&args),
        Chore::Fuzz(args) => fuzz::run(&args),
        Chore::LanguageBench(args) => language_bench::run(&args),
        Chore::Languages(args) => languages::run(&args),
        Chore::Tasks(args) => tasks::run(&args),
        Chore::Questions(args) => question_bench::run(&args),
        Chore::Turns(args) => turns::run(&args),
        Chore::Outline(args) => outline::run(&args),
        Chore::Package(args) => package::run(&args),
        Chore::Secrets(args) => secrets::run(&args),
        Chore::Instructions { record } => instructions::run(record),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
