//! Lines on a terminal that tell what goes on, and are gone at the end.

use std::cell::Cell;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use portolan_vfs::DiskActivity;

use crate::context::escape;
use portolan_query::text::thousands;

/// Draws on stderr, or does nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgressLine {
    is_shown: bool,
}

impl ProgressLine {
    /// Shown only on a terminal.
    pub(crate) fn new(is_shown: bool) -> Self {
        Self { is_shown }
    }

    /// Replaces the line.
    pub(crate) fn say(self, text: &str) {
        self.draw(&format!("{text} …"));
    }

    /// Takes the line away.
    pub(crate) fn clear(self) {
        self.draw("");
    }

    fn draw(self, text: &str) {
        if self.is_shown {
            draw(&mut io::stderr().lock(), text);
        }
    }
}

/// Replaces the line on a terminal.
fn draw(out: &mut dyn Write, text: &str) {
    // If stderr is closed, there is no way to report that.
    let _ = write!(out, "\r\x1b[K{text}").and_then(|()| out.flush());
}

/// Work that takes longer than this is reported.
const PATIENCE: Duration = Duration::from_millis(400);
/// So often it is looked whether there is something to say once.
const SECOND: Duration = Duration::from_secs(1);
/// So many files and folders are read in a large folder.
const MANY: u64 = 2_000;
/// So often the line is drawn.
const BEAT: Duration = Duration::from_millis(150);
/// After this time the user learns how to stop the work.
const LONG: Duration = Duration::from_secs(3);

/// A line that tells how far slow work is, from a thread of its own. It ends with the first output.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ticker(Arc<(Mutex<bool>, Condvar)>);

impl Ticker {
    /// Starts it on stderr. `expected` is how many files there are, as far as that is known.
    pub(crate) fn start(expected: Option<u64>) -> Self {
        let ticker = Self::default();
        let own = ticker.clone();
        let run = move || {
            let last = Cell::new(0);
            own.run(&mut io::stderr(), PATIENCE, &|elapsed| line(elapsed, expected, &last));
        };
        // Without a thread there is no line, and nothing else is missing.
        let _ = std::thread::Builder::new().name("progress".to_owned()).spawn(run);
        ticker
    }

    /// Without a terminal: says once that the work takes long because everything below the folder is read.
    pub(crate) fn start_once(folder: &Path) -> Self {
        let ticker = Self::default();
        let own = ticker.clone();
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let run = move || {
            let line = || once(&folder, DiskActivity::now());
            own.say_once(&mut io::stderr(), SECOND, &line);
        };
        // Without a thread there is no line, and nothing else is missing.
        let _ = std::thread::Builder::new().name("progress".to_owned()).spawn(run);
        ticker
    }

    /// Asks for the line every so often until there is one, or it is stopped.
    fn say_once(&self, out: &mut dyn Write, beat: Duration, text: &dyn Fn() -> Option<String>) {
        let (stopped, changed) = &*self.0;
        let mut is_stopped = stopped.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_stopped {
            let waited = changed.wait_timeout(is_stopped, beat);
            let (now, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            is_stopped = now;
            if let Some(line) = text().filter(|_| !*is_stopped && timeout.timed_out()) {
                // If stderr is closed, there is no way to report that.
                let _ = writeln!(out, "{line}");
                break;
            }
        }
        *is_stopped = false;
        changed.notify_all();
    }

    /// Draws until it is stopped.
    fn run(&self, out: &mut dyn Write, patience: Duration, text: &dyn Fn(Duration) -> String) {
        let (stopped, changed) = &*self.0;
        #[expect(clippy::disallowed_methods, reason = "the line tells how long it takes")]
        let started = Instant::now();
        let mut wait = patience;
        let mut is_stopped = stopped.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_drawn = false;
        while !*is_stopped {
            let waited = changed.wait_timeout(is_stopped, wait);
            is_stopped = waited.unwrap_or_else(PoisonError::into_inner).0;
            if !*is_stopped && started.elapsed() >= patience {
                draw(out, &text(started.elapsed()));
                (is_drawn, wait) = (true, BEAT);
            }
        }
        if is_drawn {
            draw(out, "");
        }
        // Whoever stops it waits until the line is gone.
        *is_stopped = false;
        changed.notify_all();
    }

    /// Takes the line away; it does not come back.
    pub(crate) fn stop(self) {
        let (stopped, changed) = &*self.0;
        // The thread holds the other handle while it runs.
        if Arc::strong_count(&self.0) < 2 {
            return;
        }
        let mut is_stopped = stopped.lock().unwrap_or_else(PoisonError::into_inner);
        *is_stopped = true;
        changed.notify_all();
        while *is_stopped && Arc::strong_count(&self.0) > 1 {
            let waited = changed.wait_timeout(is_stopped, BEAT);
            is_stopped = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// What is said once of a folder that is no repository, if much of it is read.
fn once(folder: &Path, DiskActivity { files, folders }: DiskActivity) -> Option<String> {
    let folder = escape(&folder.display().to_string());
    (files + folders >= MANY).then(|| {
        format!(
            "note: `{folder}` is in no git repository, so all below it is read: {} files so far; name a folder to ask about less",
            thousands(files)
        )
    })
}

/// Whether a folder is in a git repository.
pub(crate) fn is_in_repository(folder: &Path) -> bool {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    folder.ancestors().any(|it| it.join(".git").exists())
}

/// What is going on, in words.
fn line(elapsed: Duration, expected: Option<u64>, last: &Cell<u64>) -> String {
    let DiskActivity { files, folders } = DiskActivity::now();
    // Where nothing is read any more, what was read is put together.
    let verb = if last.replace(files) == files { "linking" } else { "reading" };
    let files = match expected {
        Some(all) if all >= files => format!("{} of {} files", thousands(files), thousands(all)),
        _ => format!("{} files", thousands(files)),
    };
    let seconds = elapsed.as_secs();
    let stop = if elapsed >= LONG { "; Ctrl-C stops it" } else { "" };
    format!("{verb}: {files} in {} folders, {seconds} s{stop} …", thousands(folders))
}

/// How many files git tracks in the repository around a folder: its index begins with their number.
pub(crate) fn tracked_files(folder: &Path) -> Option<u64> {
    let folder = std::path::absolute(folder).ok()?;
    let index = folder.ancestors().map(|it| it.join(".git/index")).find(|it| it.is_file())?;
    let mut head = [0; 12];
    io::Read::read_exact(&mut std::fs::File::open(index).ok()?, &mut head).ok()?;
    let count = head.strip_prefix(b"DIRC")?.get(4..)?;
    Some(u64::from(u32::from_be_bytes(count.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use portolan_vfs::DiskActivity;

    use super::{Ticker, once};

    fn drawn(patience: u64, work: u64) -> String {
        let ticker = Ticker::default();
        let own = ticker.clone();
        let thread = std::thread::spawn(move || {
            let mut out = Vec::new();
            own.run(&mut out, Duration::from_millis(patience), &|_| "reading".to_owned());
            drop(own);
            String::from_utf8(out).unwrap()
        });
        std::thread::sleep(Duration::from_millis(work));
        ticker.stop();
        thread.join().unwrap()
    }

    #[test]
    fn slow_work_is_told_of_and_the_line_is_gone_at_the_end() {
        let text = drawn(1, 100);
        assert!(text.starts_with("\r\x1b[Kreading"), "{text:?}");
        assert!(text.ends_with("\r\x1b[K"), "{text:?}");
    }

    #[test]
    fn a_large_folder_that_is_no_repository_is_told_once() {
        let ticker = Ticker::default();
        let mut out = Vec::new();
        let activity = DiskActivity { files: 40_000, folders: 10 };
        let line = || once(Path::new("/usr"), activity);
        ticker.say_once(&mut out, Duration::from_millis(1), &line);
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("note: `/usr` is in no git repository"), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        let little = DiskActivity { files: 3, folders: 1 };
        assert_eq!(once(Path::new("/usr"), little), None);
    }

    #[test]
    fn fast_work_draws_nothing() {
        assert_eq!(drawn(60_000, 20), "");
    }
}
