//! `portolan man`: the manual pages, made from the same definitions as the help.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;
use portolan_engine::System;

use crate::args;
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// The arguments of `portolan man`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan man | man -l -     read it
  portolan man --out man1     write one page for each command, ready to install")]
pub(crate) struct ManArgs {
    /// Write a page for each command into this folder, instead of the main page to stdout
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs it.
pub(crate) fn run(asked: &ManArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let mut command = args::command();
    command.build();
    let Some(folder) = &asked.out else {
        ctx.artifact(&page(command)?)?;
        return Ok(Exit::Done);
    };
    let folder = ctx.path(folder);
    let cannot = |error| Failure::failed(format!("cannot write `{}`: {error}", folder.display()));
    ctx.system.create_dir_all(&folder).map_err(cannot)?;
    let mut pages = 0;
    let mut todo = vec![("portolan".to_owned(), command)];
    while let Some((name, command)) = todo.pop() {
        let inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
        todo.extend(inner.map(|inner| (format!("{name}-{}", inner.get_name()), inner.clone())));
        ctx.system
            .write(&folder.join(format!("{name}.1")), &page(command.name(name.clone()))?)
            .map_err(cannot)?;
        pages += 1;
    }
    ctx.say(&format!("wrote {pages} pages to {}", folder.display()));
    Ok(Exit::Done)
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    let rendered = Man::new(command).render(&mut page);
    rendered.map_err(|error| Failure::failed(format!("cannot render a page: {error}")))?;
    Ok(page)
}
