//! Paths that lead to another repository: `portolan chart ../flask`.

use std::path::{Path, PathBuf};

use portolan_vfs::{FileKind, System as _};
use portolan_workspace::config::{self, LoadRequest, Loaded, is_repository};
use portolan_workspace::path_input::{PathInput, real_path_in};

use crate::commands::outside;
use crate::commands::scope::config_failure;
use crate::context::{Context, escape};
use crate::failure::Failure;

/// Goes to the repository that paths as typed lead to, where that is not the current one. Such paths become absolute.
/// Whoever is in no repository goes into the one that the first path is in.
pub(crate) fn follow(ctx: &mut Context, texts: &mut [String]) -> Result<(), Failure> {
    if ctx.config.is_some() || texts.is_empty() {
        return Ok(());
    }
    let loaded = config::load_with(&ctx.system, &ctx.load_request());
    let loaded = loaded.map_err(|error| config_failure(&error))?;
    let way = Way { ctx, path_input: PathInput::here(&loaded), loaded: &loaded };
    if let Some(gone) = texts.iter().find_map(|text| way.gone(text)) {
        return Err(gone);
    }
    for text in texts.iter_mut() {
        if let Some(inside) = way.back_in(text) {
            *text = inside;
        }
    }
    let led: Vec<Option<(PathBuf, String)>> = texts.iter().map(|text| way.leads_to(text)).collect();
    let Some((first, _)) = led.iter().flatten().next() else { return Ok(()) };
    let (start, other) = way.around(first).map_err(|error| config_failure(&error))?;
    outside::check(ctx, first, &other)?;
    for (text, found) in texts.iter().zip(&led) {
        let is_other = match found {
            Some((path, _)) => path.starts_with(&other.root),
            None => !way.is_here(text),
        };
        if !is_other {
            let shown = first.display();
            return Err(Failure::bad_input(format!(
                "`{shown}` and `{text}` are in two repositories"
            ))
            .hint("ask about one repository at a time"));
        }
    }
    for (text, found) in texts.iter_mut().zip(&led) {
        if let Some((path, rest)) = found {
            *text = format!("{}{rest}", path.display());
        }
    }
    ctx.directory = start;
    ctx.rewatch();
    Ok(())
}

/// Where paths lead from here.
struct Way<'a> {
    ctx: &'a Context,
    path_input: PathInput,
    loaded: &'a Loaded,
}

impl Way<'_> {
    /// A path that leads out and, through links, into the root again: as an absolute path below it.
    fn back_in(&self, text: &str) -> Option<String> {
        let leads_out = |text: &str| text.starts_with('/') || text.starts_with("..");
        if !leads_out(text) || !leads_out(&self.path_input.plain(text, &|_| true)) {
            return None;
        }
        let (real, rest) = real_path_in(&self.ctx.system, &self.ctx.directory, text)?;
        real.starts_with(&self.loaded.root).then(|| format!("{}{rest}", real.display()))
    }

    /// That a path is not there, for whoever is in no repository: a folder of any size would be read to say so.
    /// In a repository, the answer names the files that it may have meant.
    fn gone(&self, text: &str) -> Option<Failure> {
        let Context { system, directory, .. } = self.ctx;
        let is_led = text.starts_with('/') || text.split('/').next() == Some("..");
        if !is_led || is_repository(system, self.loaded) {
            return None;
        }
        if real_path_in(system, directory, text).is_some() {
            return None;
        }
        let path = text.split(['#', ':']).next().unwrap_or_default();
        // Of a glob, the folder that it begins in has to be there.
        let (path, is_glob) = match path.find(['*', '?', '[', '{']) {
            Some(at) => (path.get(..at)?.rsplit_once('/')?.0, true),
            None => (path, false),
        };
        let is_there = |path: &Path| system.stat(path).is_ok();
        let path = directory.join(path);
        if is_glob && is_there(&path) {
            return None;
        }
        let above = path.ancestors().skip(1).find(|folder| is_there(folder))?;
        let missing = path.strip_prefix(above).ok()?.components().next()?;
        let (shown, above) = (path.display().to_string(), above.display().to_string());
        let missing = missing.as_os_str().to_string_lossy();
        let failure = Failure::bad_input(format!("`{}` does not exist", escape(&shown)));
        Some(failure.hint(format!(
            "`{}` is there, and has no `{}`",
            escape(&above),
            escape(&missing)
        )))
    }

    /// The real path that a text names in another repository, and the rest of the text.
    fn leads_to(&self, text: &str) -> Option<(PathBuf, String)> {
        let Context { system, directory, .. } = self.ctx;
        let outside = self.path_input.outside(system, directory, text);
        let found = outside.or_else(|| {
            if is_repository(system, self.loaded) {
                return None;
            }
            let found = real_path_in(system, directory, text)?;
            let (_, own) = self.around(&found.0).ok()?;
            (is_repository(system, &own) && own.root != self.loaded.root).then_some(found)
        });
        found.map(|(path, rest)| (path, rest.to_owned()))
    }

    /// The folder of a path, and the repository around it.
    fn around(&self, path: &Path) -> Result<(PathBuf, Loaded), config::ConfigError> {
        let system = &self.ctx.system;
        let is_folder = system.stat(path).is_ok_and(|stat| stat.kind == FileKind::Dir);
        let start = if is_folder { path } else { path.parent().unwrap_or(path) };
        let request = LoadRequest { start: start.to_path_buf(), ..self.ctx.load_request() };
        Ok((start.to_path_buf(), config::load_with(system, &request)?))
    }

    /// Whether a text names something of the repository that the user is in.
    fn is_here(&self, text: &str) -> bool {
        let path = text.split(['#', ':']).next().unwrap_or_default();
        let is_there = |folder: &Path| self.ctx.system.lstat(&folder.join(path)).is_ok();
        !path.is_empty() && (is_there(&self.ctx.directory) || is_there(&self.loaded.root))
    }
}
