//! `portolan prompt`: the assistant's guide.

use clap::Args;
use portolan_chat::guide;
use portolan_wire::reports::PromptReportV1;

use crate::args::Format;
use crate::commands::scope::own_config;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use portolan_query::text::thousands;

/// The arguments of `portolan prompt`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan prompt             the guide, ready for a system prompt
  portolan prompt --stats     what it costs
  portolan init --force       bring the copy in the repository up to it")]
pub(crate) struct PromptArgs {
    /// Show what the guide costs instead of the guide
    #[arg(long)]
    stats: bool,
}

/// Runs it.
pub(crate) fn run(args: &PromptArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let config = own_config(ctx)?;
    let text = guide::text(config.settings.stan_path.as_str());
    let tokens = guide::tokens(&text);
    let (bytes, tokenizer) = (text.len(), guide::TOKENIZER.name());
    match (ctx.format, args.stats) {
        (Format::Json, _) => {
            ctx.answer(&PromptReportV1 { v: 1, text, bytes, tokens, tokenizer }, &[])?;
        }
        (Format::Human, true) => {
            let [bytes, tokens, limit] = [bytes as u64, tokens, guide::TOKEN_LIMIT].map(thousands);
            let line = format!("{bytes} bytes, {tokens} tokens of {tokenizer} (limit {limit})\n");
            ctx.data(line.as_bytes())?;
        }
        (Format::Human, false) => ctx.data(text.as_bytes())?,
    }
    Ok(Exit::Done)
}
