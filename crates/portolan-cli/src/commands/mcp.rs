//! `portolan mcp`: the questions of agents over the Model Context Protocol.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use clap::Args;
use portolan_mcp::{DEFAULT_MEMORY, HttpOptions, ServeOptions, new_token, serve_http, serve_stdio};

use crate::context::{Context, cache_folder};
use crate::failure::{Exit, Failure};

/// The variable that a program sets which works in a project.
const PROJECT: &str = "CLAUDE_PROJECT_DIR";
/// The variable with the token for `--http`.
const TOKEN: &str = "PORTOLAN_MCP_TOKEN";

/// The arguments of `portolan mcp`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan mcp                       for an agent that starts it
  portolan mcp --allow-root ../lib   it may ask about that repository, too")]
pub(crate) struct McpArgs {
    /// A folder outside the repository that may be asked about, with all below it (can be repeated)
    #[arg(long, value_name = "DIR")]
    allow_root: Vec<PathBuf>,

    /// Listen on this port of the loopback instead (0 for any); the token is that of
    /// `PORTOLAN_MCP_TOKEN`, or a new one that is told on stderr
    #[arg(long, value_name = "PORT")]
    http: Option<u16>,

    /// Keep at most about so many megabytes between questions; repositories that were not asked for the
    /// longest time are forgotten first
    #[arg(long, value_name = "MB", default_value_t = DEFAULT_MEMORY >> 20)]
    memory: usize,

    /// How many threads to use; 0 for one per core. The result is the same
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// Runs it.
pub(crate) fn run(args: &McpArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let options = options(args, ctx);
    let served = match args.http {
        None => {
            if io::stdin().is_terminal() {
                ctx.say("note: waiting for an MCP client on standard input; Ctrl-C stops it. `portolan init --agents` tells clients how to start it");
            }
            serve_stdio(options)
        }
        Some(port) => {
            let said = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
            let is_new = said.is_none();
            let token = said.map_or_else(new_token, Ok);
            token.and_then(|token| {
                let http = HttpOptions { port, token: token.clone() };
                serve_http(options, &http, |address| {
                    ctx.say(&format!("note: listening on http://{address}/mcp"));
                    if is_new {
                        ctx.say(&format!("note: send `Authorization: Bearer {token}`"));
                    }
                })
            })
        }
    };
    served.map_err(|error| Failure::failed(format!("the server ended: {error}")))?;
    Ok(Exit::Done)
}

fn options(args: &McpArgs, ctx: &Context) -> ServeOptions {
    let request = ctx.load_request();
    let project = std::env::var_os(PROJECT).map(PathBuf::from);
    let own = || project.filter(|path| path.is_absolute() && !ctx.is_directory_given);
    ServeOptions {
        directory: own().unwrap_or(request.start),
        config: request.config,
        allow_roots: args.allow_root.iter().map(|root| ctx.path(root)).collect(),
        git: ctx.git.clone(),
        stores: ctx.stores.clone(),
        trusted: request.trusted,
        cache: cache_folder(),
        memory: args.memory.saturating_mul(1 << 20),
        threads: args.threads,
    }
}
