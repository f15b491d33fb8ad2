//! Running the command that a person typed after `--`: the only place where Portolan runs something, but for the
//! browser that `view --open` asks for.

use std::ffi::OsString;
#[cfg(unix)]
use std::io::IsTerminal as _;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

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

/// A command that has ended.
pub(super) struct Ended {
    /// What it printed.
    pub(super) output: Vec<u8>,
    /// Its exit code; one that a signal ended has the code that shells give it.
    pub(super) code: u8,
    /// Whether a signal told it to stop.
    pub(super) is_stopped: bool,
}

/// Runs it, and answers what came of it. Signals that ask us to stop go to the command.
pub(super) fn run(
    command: &[OsString],
    folder: &Path,
    streamed: Streamed,
) -> Result<Ended, Failure> {
    let [program, arguments @ ..] = command else {
        return Err(Failure::bad_input("there is no command after `--`"));
    };
    let line = program.to_str().filter(|line| arguments.is_empty() && is_shell_line(line));
    let mut typed = if let Some(line) = line {
        shell(line)
    } else {
        let mut typed = Command::new(program);
        typed.args(arguments);
        typed
    };
    let spawned = typed
        .current_dir(folder)
        .stdin(Stdio::inherit())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = spawned.map_err(|error| {
        Failure::bad_input(format!("cannot run `{}`: {error}", program.to_string_lossy()))
            .hint("several words after `--` are a program with its arguments; a quoted line is for the shell: `-- 'cd x && make'`")
    })?;
    // A command inherits what is held: so they are held only now.
    let signals = Signals::hold();
    signals.pass_to(child.id());
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
    let is_stopped = signals.end();
    // Processes that the command started may hold the streams open. After a stop, do not wait for them.
    if !is_stopped {
        wait_for_rest(&copies, &said);
    }
    if let Streamed::Counted(line) = streamed {
        line.clear();
    }
    let output = std::mem::take(&mut *said.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Ended { output, code: code(status), is_stopped })
}

/// Whether a single argument is a line for the shell: `cd tests && make`, `FOO=1 npm test`.
fn is_shell_line(line: &str) -> bool {
    line.trim().contains(char::is_whitespace)
}

fn shell(line: &str) -> Command {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut command = Command::new(program);
    command.arg(flag).arg(line);
    command
}

/// Whether the exit code is that of the last program of a pipe, so that a failure before it does not show:
/// `bash -c 'make test | tail'`.
pub(super) fn hides_failures(command: &[OsString]) -> bool {
    let mut words = command.iter().map(|word| word.to_string_lossy());
    let is_shell = |program: &str| {
        let name = program.rsplit('/').next().unwrap_or(program);
        ["sh", "bash", "dash", "zsh", "ksh"].contains(&name)
    };
    let is_run_by_shell = match command {
        [line] => is_shell_line(&line.to_string_lossy()),
        _ => words.next().is_some_and(|program| is_shell(&program)),
    };
    let has_pipe = |line: &str| line.replace("||", "").contains('|');
    is_run_by_shell && command.last().is_some_and(|line| has_pipe(&line.to_string_lossy()))
}

/// The signals that ask us to stop, while a command runs.
#[derive(Clone, Default)]
struct Signals(Arc<State>);

#[derive(Default)]
struct State {
    /// Whether one was passed on.
    is_passed: AtomicBool,
    /// Whether the command has ended: then they are for us.
    is_ended: AtomicBool,
}

impl Signals {
    /// Keeps them from ending this process.
    fn hold() -> Self {
        #[cfg(unix)]
        let _ = stop_signals().thread_block();
        Self::default()
    }

    /// Passes them on, from a thread of its own. On a terminal, Ctrl-C reaches the command by itself.
    #[cfg(unix)]
    fn pass_to(&self, process: u32) {
        use nix::sys::signal::{Signal, kill};
        use nix::unistd::Pid;
        let Ok(process) = i32::try_from(process) else { return };
        let state = Arc::clone(&self.0);
        let is_terminal = std::io::stdin().is_terminal();
        let pass = move || {
            while let Ok(signal) = stop_signals().wait() {
                if state.is_ended.load(Ordering::SeqCst) {
                    std::process::exit(128 + signal as i32);
                }
                state.is_passed.store(true, Ordering::SeqCst);
                if !(is_terminal && signal == Signal::SIGINT) {
                    let _ = kill(Pid::from_raw(process), signal);
                }
            }
        };
        // Without a thread the command runs all the same.
        let _ = thread::Builder::new().name("signals".to_owned()).spawn(pass);
    }

    #[cfg(not(unix))]
    fn pass_to(&self, _process: u32) {}

    /// The command has ended: whether it was told to stop.
    fn end(&self) -> bool {
        self.0.is_ended.store(true, Ordering::SeqCst);
        self.0.is_passed.load(Ordering::SeqCst)
    }
}

/// What a terminal, a shell or a harness sends to end a program.
#[cfg(unix)]
fn stop_signals() -> nix::sys::signal::SigSet {
    use nix::sys::signal::Signal::{SIGHUP, SIGINT, SIGTERM};
    [SIGHUP, SIGINT, SIGTERM].into_iter().collect()
}

/// So long nothing may come after the command has ended.
const QUIET: Duration = Duration::from_millis(500);
/// And so long it may go on in any case.
const PATIENCE: Duration = Duration::from_secs(5);

/// Waits until all that the command printed was read. What it left behind (a daemon, a server) may hold the streams open for
/// hours: nobody waits for that.
fn wait_for_rest(copies: &[thread::JoinHandle<()>], said: &Mutex<Vec<u8>>) {
    let length = || said.lock().unwrap_or_else(PoisonError::into_inner).len();
    let ended = Instant::now();
    let (mut known, mut grown) = (length(), ended);
    while copies.iter().any(|copy| !copy.is_finished()) {
        thread::sleep(Duration::from_millis(2));
        let now = length();
        if now != known {
            (known, grown) = (now, Instant::now());
        }
        if grown.elapsed() > QUIET || ended.elapsed() > PATIENCE {
            return;
        }
    }
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
