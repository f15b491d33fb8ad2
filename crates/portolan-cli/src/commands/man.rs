//! `portolan man`: the manual pages, made from the same definitions as the help.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;
use portolan_vfs::System;

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
    let quiet = |command: Command| command.disable_help_subcommand(true);
    let mut command = quiet(args::command()).mut_subcommands(quiet);
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
        let inner = command.get_subcommands();
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
    let cannot = |error| Failure::failed(format!("cannot render a page: {error}"));
    let extra = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let has_commands = command.get_subcommands().next().is_some();
    let source = concat!("portolan ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command).source(source).manual("Portolan");
    let mut page = Vec::new();
    man.render_title(&mut page).map_err(cannot)?;
    man.render_name_section(&mut page).map_err(cannot)?;
    man.render_synopsis_section(&mut page).map_err(cannot)?;
    man.render_description_section(&mut page).map_err(cannot)?;
    man.render_options_section(&mut page).map_err(cannot)?;
    if has_commands {
        man.render_subcommands_section(&mut page).map_err(cannot)?;
    }
    page.extend(sections(&extra).into_bytes());
    man.render_version_section(&mut page).map_err(cannot)?;
    Ok(page)
}

/// What stands below the options: `Examples:` with its lines becomes a section, kept as it is laid
/// out; other paragraphs are text.
fn sections(text: &str) -> String {
    let paragraph = |paragraph: &str| match paragraph.split_once(":\n") {
        Some((head, lines)) if !head.contains('\n') => {
            format!(".SH {}\n.nf\n{}\n.fi\n", head.to_uppercase(), roff(lines))
        }
        _ => format!(".PP\n{}\n", roff(paragraph)),
    };
    text.split("\n\n").filter(|text| !text.trim().is_empty()).map(paragraph).collect()
}

/// Text that roff takes for text.
fn roff(text: &str) -> String {
    let line = |line: &str| {
        let text = line.replace('\\', "\\e").replace('-', "\\-");
        if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::sections;

    #[test]
    fn examples_and_exit_codes_are_sections_of_a_page() {
        let text = "Examples:\n  a --b   c\n\n.Some words\nhere.\n\nExit codes:\n  0  done";
        let wanted = ".SH EXAMPLES\n.nf\n  a \\-\\-b   c\n.fi\n.PP\n\\&.Some words\nhere.\n\
                      .SH EXIT CODES\n.nf\n  0  done\n.fi\n";
        assert_eq!(sections(text), wanted);
    }
}
