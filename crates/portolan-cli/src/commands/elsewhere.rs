//! Paths that lead to another repository: `portolan chart ../flask`.

use std::path::{Path, PathBuf};

use portolan_vfs::{FileKind, System as _};
use portolan_workspace::config::{self, LoadRequest};
use portolan_workspace::path_input::PathInput;

use crate::commands::outside;
use crate::commands::scope::config_failure;
use crate::context::Context;
use crate::failure::Failure;

/// Goes to the repository that paths as typed lead to, where that is not the current one. Such paths become absolute.
pub(crate) fn follow(ctx: &mut Context, texts: &mut [String]) -> Result<(), Failure> {
    let leads_out = |text: &String| text.starts_with('/') || text.starts_with("..");
    if ctx.config.is_some() || !texts.iter().any(leads_out) {
        return Ok(());
    }
    let loaded = config::load_with(&ctx.system, &ctx.load_request());
    let loaded = loaded.map_err(|error| config_failure(&error))?;
    let path_input = PathInput::here(&loaded);
    let outside: Vec<Option<(PathBuf, String)>> = texts
        .iter()
        .map(|text| {
            let found = path_input.outside(&ctx.system, &ctx.directory, text);
            found.map(|(path, rest)| (path, rest.to_owned()))
        })
        .collect();
    let Some((first, _)) = outside.iter().flatten().next() else { return Ok(()) };
    let is_folder = ctx.system.stat(first).is_ok_and(|stat| stat.kind == FileKind::Dir);
    let start = if is_folder { first.as_path() } else { first.parent().unwrap_or(first) };
    let request = LoadRequest { start: start.to_path_buf(), ..ctx.load_request() };
    let other = config::load_with(&ctx.system, &request);
    let other = other.map_err(|error| config_failure(&error))?;
    outside::check(ctx, first, &other)?;
    let is_here = |text: &String| {
        let path = text.split(['#', ':']).next().unwrap_or_default();
        let is_there = |folder: &Path| ctx.system.lstat(&folder.join(path)).is_ok();
        !path.is_empty() && (is_there(&ctx.directory) || is_there(&loaded.root))
    };
    for (text, found) in texts.iter().zip(&outside) {
        let is_other = match found {
            Some((path, _)) => path.starts_with(&other.root),
            None => !is_here(text),
        };
        if !is_other {
            let shown = first.display();
            return Err(Failure::bad_input(format!(
                "`{shown}` and `{text}` are in two repositories"
            ))
            .hint("ask about one repository at a time"));
        }
    }
    for (text, found) in texts.iter_mut().zip(&outside) {
        if let Some((path, rest)) = found {
            *text = format!("{}{rest}", path.display());
        }
    }
    ctx.directory = start.to_path_buf();
    Ok(())
}
