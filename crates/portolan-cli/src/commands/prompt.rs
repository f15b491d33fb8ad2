//! `portolan prompt`: the assistant's guide.

use clap::Args;
use portolan_engine::{config, guide};
use serde_json::json;

use crate::args::Format;
use crate::commands::scope::config_failure;
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// The arguments of `portolan prompt`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan prompt             the guide, ready for a system prompt
  portolan prompt --stats     what it costs
  portolan init --force       keep it in the repository, as .stan/system/stan.system.md")]
pub(crate) struct PromptArgs {
    /// Show what the guide costs instead of the guide
    #[arg(long)]
    stats: bool,
}

/// Runs it.
pub(crate) fn run(args: &PromptArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let config =
        config::load(&ctx.system, &ctx.directory).map_err(|error| config_failure(&error))?;
    let text = guide::text(config.settings.stan_path.as_str());
    let tokens = guide::tokens(&text);
    let answer = match (ctx.format, args.stats) {
        (Format::Json, _) => {
            let report = json!({"result": {"text": text, "bytes": text.len(), "tokens": tokens, "tokenizer": guide::TOKENIZER.name()}, "notices": []});
            format!("{}\n", portolan_wire::canonical::to_string(&report))
        }
        (Format::Human, true) => {
            let tokenizer = guide::TOKENIZER.name();
            format!(
                "{} bytes, {tokens} tokens of {tokenizer} (limit {})\n",
                text.len(),
                guide::TOKEN_LIMIT
            )
        }
        (Format::Human, false) => text,
    };
    ctx.data(answer.as_bytes())?;
    Ok(Exit::Done)
}
