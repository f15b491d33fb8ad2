//! Tests `portolan mcp` with lines of JSON, as clients of both protocol generations send them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{NO_MACHINE, Repo, files_below, run_in};

const SHOP: &str = "\
//- .git/HEAD
ref: refs/heads/main
//- src/cart.ts
import { priceOf } from './lib';
export const total = (names: string[]) => names.map((name) => priceOf(name));
//- src/lib/index.ts
export * from './price';
//- src/lib/price.ts
export function priceOf(name: string): number {
  return name.length;
}
";

#[test]
fn a_root_that_is_an_atlas_answers_for_all_of_its_repositories() {
    let repo = Repo::new(SHOP);
    assert_eq!(repo.run(&["export", "--out", "../atlas", "--id", "shop"]).code, 0);
    let atlas = repo.parent().join("atlas");
    let mut client = Client::old(&repo, &["--allow-root", atlas.to_str().unwrap()]);
    let root = json!(atlas.to_str().unwrap());
    let chart = client.ask("chart", &json!({"root": root}));
    assert!(chart.contains(" atlas: 1 repository, 0 packages, 3 files"), "{chart}");
    let found = client.ask("look", &json!({"root": root, "targets": ["priceOf", "npm:zod"]}));
    assert!(
        found.contains(" shop src/lib/price.ts:1 function priceOf\nlook npm:zod: used by 0"),
        "{found}"
    );
    let (refused, _) = client.call("read", &json!({"root": root, "targets": ["priceOf"]}));
    assert!(refused.contains("need a checkout as root"), "{refused}");
}

#[test]
fn an_answer_of_an_atlas_is_checked_against_the_sets_it_was_made_from() {
    let repo = Repo::new(SHOP);
    let export = || assert_eq!(repo.run(&["export", "--out", "../atlas", "--id", "shop"]).code, 0);
    export();
    let atlas = repo.parent().join("atlas");
    let root = json!(atlas.to_str().unwrap());
    let mut client = Client::old(&repo, &["--allow-root", atlas.to_str().unwrap()]);
    let found = client.ask("look", &json!({"root": root, "targets": ["priceOf"]}));
    let digest = found.split(' ').next().unwrap().to_owned();
    assert_eq!((digest.len(), &digest[..1]), (17, "@"), "{found}");
    let check = |client: &mut Client| client.ask("check", &json!({"digests": [digest]}));
    let still = check(&mut client);
    assert!(still.starts_with("check 1 answer: 1 true") && !still.contains("edited"), "{still}");
    repo.write("src/other.ts", b"export const other = 1;\n");
    export();
    let edited = check(&mut client);
    assert!(edited.contains("true: shop src/lib/price.ts:1"), "{edited}");
    assert!(edited.contains("edited without changing it: shop"), "{edited}");
    repo.write("src/second.ts", b"export function priceOf() {}\n");
    export();
    let changed = check(&mut client);
    assert!(
        changed.contains("0 true, 1 not") && changed.contains("; shop: ask again"),
        "{changed}"
    );
}

#[test]
fn an_error_does_not_repeat_a_token() {
    let repo = Repo::new(SHOP);
    let mut client = Client::old(&repo, &[]);
    let token = format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6g7H8");
    for (tool, arguments) in [
        ("look", json!({"targets": [token]})),
        ("read", json!({"targets": [format!("src/{token}.ts")]})),
        ("pack", json!({"at": [format!("src/cart.ts#{token}")]})),
        ("pack", json!({"task": format!("change the total {token}")})),
        ("chart", json!({"changed": token})),
        ("look", json!({"root": format!("/x/{token}"), "targets": ["total"]})),
        ("look", json!({ &token: 1 })),
    ] {
        let (text, _) = client.call(tool, &arguments);
        assert!(!text.contains(&token), "{tool} {arguments}: {text}");
    }
    let answer = client.request("resources/read", json!({"uri": format!("portolan://{token}")}));
    assert!(!answer.to_string().contains(&token), "{answer}");
    let answer = client.request("tools/call", json!({"name": token, "arguments": {}}));
    assert!(!answer.to_string().contains(&token), "{answer}");
}

/// A client on the other end of the pipes.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
    /// The metadata of each request in the new generation; `None` in the old one.
    meta: Option<Value>,
}

impl Client {
    fn start(folder: &Path, cache: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portolan"));
        command.arg("mcp").args(arguments).current_dir(folder).env_clear();
        command.env(NO_MACHINE.0, NO_MACHINE.1).env("XDG_CACHE_HOME", cache);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output, next: 0, meta: None }
    }

    /// A client of the old generation, which starts with a handshake.
    pub(crate) fn old(repo: &Repo, arguments: &[&str]) -> Self {
        let mut client = Self::start(&repo.path(), &repo.parent().join("cache"), arguments);
        let info = json!({"name": "test", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
        let answer = client.request("initialize", hello);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        client.tell("notifications/initialized", &json!({}));
        client
    }

    /// A client of the new generation, which discovers the server and identifies itself in every
    /// request.
    fn new(repo: &Repo) -> Self {
        let mut client = Self::start(&repo.path(), &repo.parent().join("cache"), &[]);
        client.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }));
        let answer = client.request("server/discover", json!({}));
        let versions = answer["result"]["supportedVersions"].as_array().unwrap();
        assert!(versions.contains(&json!("2026-07-28")), "{answer}");
        client
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
        input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request. Its answer can be read later.
    fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let message = serde_json::from_str(&line);
        assert!(message.is_ok(), "`{line}` is not the protocol");
        message.unwrap()
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool. Returns its text, and whether it is an error.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> (String, bool) {
        let answer = self.request("tools/call", json!({"name": name, "arguments": arguments}));
        let result = &answer["result"];
        assert!(result.get("structuredContent").is_none(), "{answer}");
        let text = result["content"][0]["text"].as_str();
        assert!(text.is_some(), "{answer}");
        (text.unwrap().to_owned(), result["isError"] == true)
    }

    #[track_caller]
    fn ask(&mut self, name: &str, arguments: &Value) -> String {
        let (text, is_error) = self.call(name, arguments);
        assert!(!is_error, "{text}");
        text
    }

    /// Closes the input. Returns how long the process stayed, and its exit code.
    fn close(mut self) -> (Duration, i32) {
        drop(self.input.take());
        let closed = Instant::now();
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        (closed.elapsed(), code)
    }
}

fn repo() -> Repo {
    let repo = Repo::new(SHOP);
    std::fs::create_dir(repo.parent().join("cache")).unwrap();
    repo
}

#[test]
fn both_eras_get_the_same_tools_and_the_same_answers() {
    let repo = repo();
    let mut answers = Vec::new();
    for mut client in [Client::old(&repo, &[]), Client::new(&repo)] {
        let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
        let names: Vec<&str> =
            tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["search", "look", "read", "pack"]);
        let look = client.ask("look", &json!({"targets": ["src/lib/price.ts"]}));
        let read = client.ask("read", &json!({"targets": "priceOf"}));
        let chart = client.ask("chart", &json!({}));
        answers.push((tools, look, read, chart));
        let (stayed, code) = client.close();
        assert!(code == 0 && stayed < Duration::from_secs(2), "{stayed:?} {code}");
    }
    assert_eq!(answers[0], answers[1]);
    assert!(answers[0].1.contains(" look src/lib/price.ts 2 users, 0 needs"), "{}", answers[0].1);
}

#[test]
fn an_answer_equals_the_output_of_the_command_line() {
    let repo = repo();
    let mut client = Client::old(&repo, &[]);
    let check = |name: &str, arguments: Value, line: &[&str], client: &mut Client| {
        let run = repo.run(&[&[name], line].concat());
        assert_eq!(run.stdout, client.ask(name, &arguments), "{name}");
    };
    check("look", json!({"targets": ["src/cart.ts"]}), &["src/cart.ts"], &mut client);
    let users = json!({"targets": ["priceOf"], "side": "users"});
    check("look", users, &["priceOf", "--side", "users"], &mut client);
    let read = json!({"targets": ["src/cart.ts:2"], "budget": 900});
    check("read", read, &["src/cart.ts:2", "--budget", "900"], &mut client);
    let chart = json!({"paths": ["src/lib"], "budget": 700});
    check("chart", chart, &["src/lib", "--budget", "700"], &mut client);
    let short = json!({"paths": ["src/lib"], "budget": "1k"});
    check("chart", short, &["src/lib", "--budget", "1_000"], &mut client);
    let search = json!({"patterns": "priceOf", "paths": ["src"], "word": true});
    check("search", search, &["-w", "priceOf", "src"], &mut client);
    let task = json!({"task": "the price of a name", "budget": "2k"});
    check("search", task, &["--task", "the price of a name", "--budget", "2000"], &mut client);
    let pack = json!({"at": "src/lib/price.ts#priceOf", "budget": "4k"});
    check("pack", pack, &["--at", "src/lib/price.ts#priceOf", "--budget", "4k"], &mut client);
    let log = "src/lib/price.ts(2,3): error TS2304: Cannot find name 'x'.\n";
    repo.write("ci.log", log.as_bytes());
    let failure = json!({"failure": log, "budget": 2000});
    check("pack", failure, &["--diag", "ci.log", "--budget", "2k"], &mut client);
}

#[test]
fn every_change_shows_in_the_next_answer() {
    let repo = repo();
    let mut client = Client::old(&repo, &[]);
    let mut users = |expected: &[&str]| {
        let text = client.ask("look", &json!({"targets": ["src/lib/price.ts"], "side": "users"}));
        for name in expected {
            assert!(text.contains(name), "{name} in {text}");
        }
        let noun = if expected.len() == 1 { "user" } else { "users" };
        assert!(text.contains(&format!(" {} {noun}\n", expected.len())), "{text}");
    };
    users(&["cart.ts", "index.ts"]);
    repo.write("src/added.ts", b"import { priceOf } from './lib/price';\n");
    users(&["cart.ts", "index.ts", "added.ts"]);
    repo.write("src/cart.ts", b"export const total = 1;\n");
    users(&["index.ts", "added.ts"]);
    std::fs::rename(repo.path().join("src/added.ts"), repo.path().join("src/renamed.ts")).unwrap();
    users(&["index.ts", "renamed.ts"]);
    std::fs::remove_file(repo.path().join("src/renamed.ts")).unwrap();
    users(&["index.ts"]);
    // The current settings apply.
    repo.write("stan.config.yml", b"stan-core:\n  excludes: ['src/lib/index.ts']\n");
    users(&[]);
}

#[test]
fn a_check_reports_which_answers_are_still_true() {
    let repo = repo();
    let mut client = Client::old(&repo, &[]);
    let look = client.ask("look", &json!({"targets": ["src/lib/price.ts"]}));
    let digest = look.split(' ').next().unwrap().to_owned();
    let text = client.ask("check", &json!({"digests": [digest, "@0000000000000000"]}));
    assert!(text.starts_with("check 2 answers: 1 true, 1 not\n"), "{text}");
    assert!(text.contains("@0000000000000000 unknown: ask again"), "{text}");
    repo.write("src/new.ts", b"import './lib/price';\n");
    let text = client.ask("check", &json!({"digests": digest}));
    assert!(text.contains("changed: look src/lib/price.ts"), "{text}");
    assert!(text.contains("src/new.ts (new): ask again"), "{text}");
    // The command line knows the server's answers, and vice versa.
    let cache = repo.parent().join("cache");
    let environment = [("XDG_CACHE_HOME", cache.to_str().unwrap())];
    let run = run_in(&repo.path(), &["check", &digest], &environment);
    assert_eq!((run.code, run.stdout), (1, text));
    let run = run_in(&repo.path(), &["check", &digest, "--format", "json"], &environment);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["result"]["answers"][0]["files"], json!(["src/new.ts (new)"]));
    let printed = run_in(&repo.path(), &["read", "priceOf"], &environment).stdout;
    let digest = printed.split(' ').next().unwrap();
    assert!(client.ask("check", &json!({"digests": digest})).contains("1 true, 0 not"));
}

#[test]
fn errors_for_the_model_suggest_the_next_call() {
    let repo = repo();
    let mut client = Client::new(&repo);
    let mut wrong = |name: &str, arguments: Value, expected: &str| {
        let (text, is_error) = client.call(name, &arguments);
        assert!(is_error && text.contains(expected), "{text}");
    };
    wrong(
        "read",
        json!({"targets": ["src/lib/price.ts#pricesOf"]}),
        "nearest: src/lib/price.ts#priceOf",
    );
    wrong("look", json!({"target": "a"}), "unknown field `target`");
    wrong("look", json!({"targets": []}), "look takes targets");
    wrong("pack", json!({}), "pack takes failure");
    wrong("chart", json!({"root": ".."}), "--allow-root");
    wrong("chart", json!({"root": "/nowhere/at/all"}), "leave root out");
    let unknown = client.request("tools/call", json!({"name": "grep", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[test]
fn a_pack_is_made_of_raw_output() {
    let repo = repo();
    let mut client = Client::new(&repo);
    let failure = "src/cart.ts(2,63): error TS2345: Argument of type 'number' is not assignable.";
    let text = client.ask("pack", &json!({"failure": failure}));
    assert!(text.contains(" pack failure ") && text.contains("TS2345"), "{text}");
    assert!(text.contains("export function priceOf"), "{text}");
}

#[test]
fn several_roots_are_answered_and_none_that_was_not_allowed() {
    let (repo, other) =
        (repo(), Repo::new("//- .git/HEAD\n//- src/other.ts\nexport const other = 1;\n"));
    let root = other.path().to_str().unwrap().to_owned();
    let mut client = Client::old(&repo, &["--allow-root", &root]);
    let text = client.ask("chart", &json!({"root": root}));
    assert!(text.contains("other.ts") && text.contains(" chart . 1 files"), "{text}");
    let text = client.ask("chart", &json!({}));
    assert!(text.contains("cart.ts"), "{text}");
    let digest = client.ask("look", &json!({"root": root, "targets": ["src/other.ts"]}));
    let digest = digest.split(' ').next().unwrap();
    assert!(
        client.ask("check", &json!({"digests": digest})).contains("1 true"),
        "asked where it was given"
    );
    let mut client = Client::old(&repo, &[]);
    let (text, is_error) = client.call("chart", &json!({"root": root}));
    assert!(is_error && text.contains("is not one that this server answers for"), "{text}");
}

#[test]
fn resources_and_prompts_are_there() {
    let repo = repo();
    for mut client in [Client::old(&repo, &[]), Client::new(&repo)] {
        let list = client.request("resources/list", json!({}));
        assert_eq!(list["result"]["resources"].as_array().unwrap().len(), 2, "{list}");
        let chart = client.request("resources/read", json!({"uri": "portolan://chart"}));
        let text = chart["result"]["contents"][0]["text"].as_str().unwrap();
        assert!(text.contains("cart.ts"), "{text}");
        let guide = client.request("resources/read", json!({"uri": "portolan://guide"}));
        assert!(
            guide["result"]["contents"][0]["text"]
                .as_str()
                .unwrap()
                .contains("dependency.meta.json")
        );
        let unknown = client.request("resources/read", json!({"uri": "portolan://x"}));
        assert!(unknown["error"]["code"].is_number(), "{unknown}");
        let list = client.request("prompts/list", json!({}));
        assert_eq!(list["result"]["prompts"].as_array().unwrap().len(), 2, "{list}");
        let arguments = json!({"name": "thread", "arguments": {"task": "the price of a cart"}});
        let prompt = client.request("prompts/get", arguments);
        let text = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("Task: the price of a cart") && text.contains("price.ts"), "{text}");
    }
}

#[test]
fn nothing_is_written_to_the_repository() {
    let repo = repo();
    let before = files_below(&repo.path(), "");
    let mut client = Client::old(&repo, &[]);
    client.ask("chart", &json!({"task": "prices"}));
    client.ask("read", &json!({"targets": "total"}));
    client.close();
    assert_eq!(files_below(&repo.path(), ""), before);
    let kept: PathBuf = repo.parent().join("cache/portolan/answers");
    assert_eq!(std::fs::read_dir(kept).unwrap().count(), 2);
}

/// A repository that takes long to read, so that every question runs for a while.
fn large() -> Repo {
    let repo = repo();
    let line = "export const value = [1, 2, 3].map((one) => `${one} and some more of it`);\n";
    for n in 0..1_500 {
        let text = line.replace("value", &format!("value{n}")).repeat(60);
        repo.write(&format!("src/many/f{n}.ts"), text.as_bytes());
    }
    repo
}

#[test]
fn the_process_is_gone_soon_after_its_client_whatever_it_does() {
    let repo = large();
    let mut client = Client::old(&repo, &[]);
    client.begin("tools/call", json!({"name": "chart", "arguments": {}}));
    std::thread::sleep(Duration::from_millis(100));
    let (stayed, code) = client.close();
    // The server gives nearly finished answers 50 ms; the test machine may be busy.
    assert!(code == 0 && stayed < Duration::from_millis(400), "{stayed:?} {code}");
    let silent = Client::start(&repo.path(), &repo.parent().join("cache"), &[]);
    assert_eq!(silent.close().1, 0, "a client that says nothing does nothing wrong");
}

#[test]
fn long_work_reports_progress_and_can_be_cancelled() {
    let repo = large();
    let mut client = Client::old(&repo, &[]);
    let call = json!({"name": "chart", "arguments": {}, "_meta": {"progressToken": "p"}});
    let id = client.begin("tools/call", call);
    let first = client.receive();
    if first["id"] == id {
        // On a machine where this takes no time, there is nothing to test.
        return;
    }
    assert_eq!(first["method"], "notifications/progress", "{first}");
    assert!(first["params"]["progress"].as_f64().unwrap() > 0.0, "{first}");
    client.tell("notifications/cancelled", &json!({"requestId": id}));
    // The cancelled question does not delay the next answer, and has none itself.
    let pong = client.begin("tools/list", json!({}));
    loop {
        let message = client.receive();
        assert_ne!(message["id"], id, "{message}");
        if message["id"] == pong {
            break;
        }
    }
}
