//! Running the command that a person typed after `--`: the only place where Portolan runs something, but for the
//! browser that `view --open` asks for.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::failure::Failure;
use crate::progress::ProgressLine;

/// Beyond this only the end of the output is kept.
const MOST_BYTES: usize = 64 << 20;

/// What is done with the output while the command runs; it is kept in any case.
#[derive(Clone, Copy)]
pub(super) enum Streamed {
    /// A line on a terminal tells how far it is.
    Counted(ProgressLine),
    /// All of it is passed on to stderr.
    Talk,
    /// Each stream is passed on as it is.
    AsIs,
}

/// Runs it, and answers what it printed and the exit code. A command that a signal ended has the code that shells give
/// it.
pub(super) fn run(
    command: &[OsString],
    folder: &Path,
    streamed: Streamed,
) -> Result<(Vec<u8>, u8), Failure> {
    let [program, arguments @ ..] = command else {
        return Err(Failure::bad_input("there is no command after `--`"));
    };
    let spawned = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::inherit())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = spawned.map_err(|error| {
        Failure::bad_input(format!("cannot run `{}`: {error}", program.to_string_lossy()))
            .hint("what is after `--` is run as typed, without a shell")
    })?;
    let said: Arc<Mutex<Vec<u8>>> = Arc::default();
    let mut copies = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        let said = Arc::clone(&said);
        copies.push(thread::spawn(move || match streamed {
            Streamed::Counted(line) => copy(stdout, Counter::new(line, &said), &said),
            Streamed::Talk => copy(stdout, std::io::stderr(), &said),
            Streamed::AsIs => copy(stdout, std::io::stdout(), &said),
        }));
    }
    if let Some(stderr) = child.stderr.take() {
        let said = Arc::clone(&said);
        copies.push(thread::spawn(move || match streamed {
            Streamed::Counted(line) => copy(stderr, Counter::new(line, &said), &said),
            Streamed::Talk | Streamed::AsIs => copy(stderr, std::io::stderr(), &said),
        }));
    }
    let status = child
        .wait()
        .map_err(|error| Failure::failed(format!("cannot wait for the command: {error}")))?;
    for copy in copies {
        // The thread only copies, so joining it cannot fail.
        let _ = copy.join();
    }
    if let Streamed::Counted(line) = streamed {
        line.clear();
    }
    let said = std::mem::take(&mut *said.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((said, code(status)))
}

/// Tells on a terminal how much was printed, instead of printing it.
struct Counter<'a> {
    line: ProgressLine,
    said: &'a Mutex<Vec<u8>>,
    shown: usize,
}

/// How many bytes pass before the line is drawn again.
const COUNTED: usize = 4 << 10;

impl<'a> Counter<'a> {
    fn new(line: ProgressLine, said: &'a Mutex<Vec<u8>>) -> Self {
        Self { line, said, shown: usize::MAX }
    }
}

impl Write for Counter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let size = self.said.lock().unwrap_or_else(PoisonError::into_inner).len();
        if self.shown == usize::MAX || size >= self.shown + COUNTED {
            self.shown = size;
            self.line.say(&format!("running, {} kB of output", size / 1_000));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Passes a stream on, and keeps whole lines of it.
fn copy(mut from: impl Read, mut to: impl Write, said: &Mutex<Vec<u8>>) {
    let mut line: Vec<u8> = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        // If the stream is closed, there is no reader.
        let _ = to.write_all(&buffer[..read]).and_then(|()| to.flush());
        line.extend_from_slice(&buffer[..read]);
        if let Some(end) = line.iter().rposition(|&byte| byte == b'\n') {
            keep(said, &line[..=end]);
            line.drain(..=end);
        }
    }
    keep(said, &line);
}

fn keep(said: &Mutex<Vec<u8>>, bytes: &[u8]) {
    let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
    said.extend_from_slice(bytes);
    if said.len() > MOST_BYTES {
        let from = said.len() - MOST_BYTES / 2;
        said.drain(..from);
    }
}

#[cfg(unix)]
fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let signal = status.signal().map(|signal| 128 + signal);
    let code = status.code().or(signal).unwrap_or(1);
    u8::try_from(code & 0xff).unwrap_or(1)
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> u8 {
    status.code().map_or(1, |code| u8::try_from(code).unwrap_or(1))
}
