//! Measures the MCP server as agents use it: the cost of a session, response times, memory.

mod needs;
mod truth;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;
use std::{env, fs};

use portolan_chat::guide::tokens;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::programs::{self, median};
use crate::{ChoreResult, report};

/// How many calls the long run makes, and how many run at once.
const CALLS: usize = 10_000;
const AT_ONCE: usize = 8;
/// After this many calls memory should not grow any more.
const SETTLED: usize = 1_000;

/// Questions about repositories that are known by name: a file for `look`, names for `read`.
const TARGETS: [(&str, &str, &str); 2] = [
    ("tldraw", "packages/tldraw/src/lib/shapes/arrow/ArrowShapeUtil.tsx", "getCurvedArrowInfo"),
    ("trpc", "packages/client/src/links/httpBatchLink.ts", "httpBatchLink"),
];

/// Measures the server on some repositories and writes the page.
pub(crate) fn run(real: &[PathBuf], runs: usize, out: &Path) -> ChoreResult<()> {
    let portolan = programs::portolan("measured")?;
    let mut text = format!("{HEAD}\n{}\n", report::machine());
    start_figures(&portolan, runs, &mut text)?;
    let _ = writeln!(text, "\n## Answers\n\n{COLUMNS}");
    let mut copies = Vec::new();
    for source in real {
        let folder = copy(source)?;
        answers(&portolan, source, folder.path(), runs, &mut text)?;
        copies.push(folder);
    }
    let _ = writeln!(text, "\n## Against known answers\n\n| question | answer | goal |");
    let _ = writeln!(text, "| --- | --- | --- |");
    for (source, folder) in real.iter().zip(&copies) {
        truth::compare(&portolan, &name_of(source), folder.path(), &mut text)?;
    }
    if let Some(folder) = copies.first() {
        long_run(&portolan, folder.path(), &mut text)?;
    }
    fs::write(programs::repository().join(out), text)?;
    eprintln!("wrote {}", out.display());
    Ok(())
}

const HEAD: &str = "# Benchmarks: the MCP server

`cargo xtask bench --agents --real FOLDER…` writes this page. One `portolan mcp` process per repository; times are medians at the client. *First, cold* is the first answer
without a workspace; *first, warm* with the command line's cache (`.stan/cache`). *Processor ms* counts both cores. Tokens are o200k_base of the whole answer.
Goals: first answer ≤ 500 ms, next answers ≤ 60 ms (cal.com ≤ 150), memory with tldraw ≤ 120 MB, with cal.com ≤ 250 MB.
";

const COLUMNS: &str =
    "| repository | question | tokens | first, cold ms | first, warm ms | next ms | next, processor ms | after an edit ms | resident MB |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

fn copy(source: &Path) -> ChoreResult<TempDir> {
    let folder = tempfile::tempdir_in(programs::repository().join("target"))?;
    let status = Command::new("cp").arg("-a").arg(source.join(".")).arg(folder.path()).status()?;
    // Measure an unprepared repository: nothing of ours may be in it.
    let _ = fs::remove_dir_all(folder.path().join(".stan"));
    if status.success() { Ok(folder) } else { Err("cannot copy the repository".into()) }
}

/// A client of the server.
struct McpClient {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl McpClient {
    fn start(portolan: &Path, folder: &Path) -> ChoreResult<Self> {
        let cache = programs::repository().join("target").join("agents-cache");
        fs::create_dir_all(&cache)?;
        let mut child = Command::new(portolan)
            .arg("mcp")
            .current_dir(folder)
            .env("XDG_CACHE_HOME", cache)
            .env_remove("CLAUDE_PROJECT_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Self { child, input, output, next: 0 })
    }

    fn begin(&mut self, method: &str, mut params: Value) -> ChoreResult<u64> {
        self.next += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let message =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        let input = self.input.as_mut().ok_or("closed")?;
        writeln!(input, "{message}")?;
        input.flush()?;
        Ok(self.next)
    }

    fn receive(&mut self) -> ChoreResult<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    fn request(&mut self, method: &str, params: Value) -> ChoreResult<Value> {
        let id = self.begin(method, params)?;
        loop {
            let message = self.receive()?;
            if message["id"] == id {
                return Ok(message["result"].clone());
            }
        }
    }

    /// The text of an answer, and its milliseconds.
    fn ask(&mut self, name: &str, arguments: &Value) -> ChoreResult<(String, f64)> {
        let started = Instant::now();
        let call = json!({"name": name, "arguments": arguments});
        let result = self.request("tools/call", call)?;
        let took = started.elapsed().as_secs_f64() * 1000.0;
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        if result["isError"] == true {
            return Err(format!("{name}: {text}").into());
        }
        Ok((text, took))
    }

    /// The milliseconds of processor time: a busy machine makes answers late, not expensive.
    fn processor(&self) -> f64 {
        let path = format!("/proc/{}/stat", self.child.id());
        let stat = fs::read_to_string(path).unwrap_or_default();
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        let fields = after.split_whitespace().skip(11).take(2);
        // A hundred of them are a second.
        fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() * 10.0
    }

    /// The resident size in megabytes.
    fn resident(&self) -> f64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes.unwrap_or_default() / 1024.0
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

fn start_figures(portolan: &Path, runs: usize, text: &mut String) -> ChoreResult<()> {
    let folder = tempfile::tempdir()?;
    let (mut times, mut rest, mut list) = (Vec::new(), 0.0, Value::Null);
    for _ in 0..runs {
        let started = Instant::now();
        let mut client = McpClient::start(portolan, folder.path())?;
        list = client.request("tools/list", json!({}))?["tools"].clone();
        times.push(started.elapsed().as_secs_f64() * 1000.0);
        rest = client.resident();
    }
    let tools = list.as_array().map_or(0, Vec::len);
    let _ = writeln!(text, "## Before the first question\n\n| figure | measured | goal |");
    let _ = writeln!(text, "| --- | ---: | ---: |");
    let cost = tokens(&list.to_string());
    let _ = writeln!(text, "| tool list on the wire, {tools} tools | {cost} tokens | ≤ 750 |");
    let _ = writeln!(text, "| start to tool list | {:.0} ms | ≤ 50 |", median(&times));
    let _ = writeln!(text, "| resident at rest | {rest:.1} MB | ≤ 20 |");
    Ok(())
}

fn answers(
    portolan: &Path,
    source: &Path,
    folder: &Path,
    runs: usize,
    text: &mut String,
) -> ChoreResult<()> {
    let name = name_of(source);
    let known = TARGETS.iter().find(|(known, _, _)| *known == name);
    let file = known.map(|(_, file, _)| (*file).to_owned());
    let file = file.or_else(|| some_file(folder)).ok_or("a repository without code")?;
    let mut questions = vec![("look", json!({"targets": [file]})), ("chart", json!({}))];
    if let Some((_, _, wanted)) = known {
        questions
            .push(("read", json!({"targets": [wanted], "needs": "signatures", "budget": 4700})));
    }
    for (question, arguments) in questions {
        eprintln!("{name}: {question}");
        let mut client = McpClient::start(portolan, folder)?;
        let (answer, cold) = client.ask(question, &arguments)?;
        drop(client);
        let warm = first_warm(portolan, folder, question, &arguments, runs)?;
        let mut client = McpClient::start(portolan, folder)?;
        client.ask(question, &arguments)?;
        let mut next = Vec::new();
        let before = client.processor();
        for _ in 0..runs {
            next.push(client.ask(question, &arguments)?.1);
        }
        let used = (client.processor() - before) / f64::from(u32::try_from(runs.max(1))?);
        let mut edited = Vec::new();
        for round in 0..runs {
            let mut open = fs::OpenOptions::new().append(true).open(folder.join(&file))?;
            writeln!(open, "// Edit {round}.")?;
            edited.push(client.ask(question, &arguments)?.1);
        }
        let _ = writeln!(
            text,
            "| {name} | {question} {} | {} | {cold:.0} | {warm:.0} | {:.0} | {used:.0} | {:.0} | {:.0} |",
            arguments["targets"][0].as_str().map_or("", |it| it.rsplit('/').next().unwrap_or(it)),
            tokens(&answer),
            median(&next),
            median(&edited),
            client.resident()
        );
    }
    Ok(())
}

/// The first answer of a process after the command line has filled the cache.
fn first_warm(
    portolan: &Path,
    folder: &Path,
    question: &str,
    arguments: &Value,
    runs: usize,
) -> ChoreResult<f64> {
    let workspace = folder.join(".stan");
    fs::create_dir_all(&workspace)?;
    let targets = arguments["targets"].as_array().into_iter().flatten();
    let line: Vec<&str> = targets.filter_map(Value::as_str).collect();
    let asked = Command::new(portolan).arg(question).args(line).current_dir(folder).output()?;
    if !asked.status.success() {
        return Err(String::from_utf8_lossy(&asked.stderr).into_owned().into());
    }
    let mut times = Vec::new();
    for _ in 0..runs {
        times.push(McpClient::start(portolan, folder)?.ask(question, arguments)?.1);
    }
    fs::remove_dir_all(workspace)?;
    Ok(median(&times))
}

fn name_of(source: &Path) -> String {
    source.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A code file in the middle of a repository.
fn some_file(folder: &Path) -> Option<String> {
    let kinds = ["ls-files", "*.ts", "*.py", "*.go", "*.rs", "*.java"];
    let listed = Command::new("git").args(kinds).current_dir(folder).output().ok()?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut files: Vec<&str> = listed.lines().collect();
    files.sort_unstable();
    files.get(files.len() / 2).map(|file| (*file).to_owned())
}

/// Makes very many calls, several at once: no error, and no growth.
fn long_run(portolan: &Path, folder: &Path, text: &mut String) -> ChoreResult<()> {
    let mut client = McpClient::start(portolan, folder)?;
    let file = some_file(folder).ok_or("a repository without code")?;
    let total = env::var("PORTOLAN_CALLS").ok().and_then(|it| it.parse().ok()).unwrap_or(CALLS);
    let started = Instant::now();
    let (mut open, mut done, mut errors) = (BTreeSet::new(), 0usize, 0usize);
    let mut residents = Vec::new();
    let mut sent = 0;
    while done < total {
        while sent < total && open.len() < AT_ONCE {
            let call = if sent.is_multiple_of(2) {
                json!({"name": "look", "arguments": {"targets": [file]}})
            } else {
                json!({"name": "read", "arguments": {"targets": [file], "budget": 1000}})
            };
            open.insert(client.begin("tools/call", call)?);
            sent += 1;
        }
        let message = client.receive()?;
        if message["id"].as_u64().is_some_and(|id| open.remove(&id)) {
            done += 1;
            let is_wrong = message["result"]["isError"] == true || message.get("error").is_some();
            errors += usize::from(is_wrong);
            if done.is_multiple_of(SETTLED) {
                residents.push(format!("{:.1}", client.resident()));
            }
        }
    }
    let _ = writeln!(
        text,
        "\n## Many questions\n\n{total} questions on the first repository, {AT_ONCE} at once on one connection: {errors} errors, \
         {:.1} ms each; resident MB after each {SETTLED}: {}.",
        started.elapsed().as_secs_f64() * 1000.0 / f64::from(u32::try_from(total)?),
        residents.join(", "),
    );
    Ok(())
}
