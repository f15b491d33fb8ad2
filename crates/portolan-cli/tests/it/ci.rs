//! Tests the scripts of the GitHub action and the commit hook, as the runner and git run them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use portolan_testkit::reliability::is_installed;
use serde_json::Value;

use crate::docs::docs;
use crate::support::{Repo, Run};

fn root() -> PathBuf {
    docs().join("..").canonicalize().unwrap()
}

fn yaml(name: &str) -> Value {
    serde_saphyr::from_str(&fs::read_to_string(root().join(name)).unwrap()).unwrap()
}

const FIXTURE: &str = "//- src/a.ts\nexport const a = 1;\n//- src/b.ts\nimport { a } from './a';\nexport const b = a;\n";
const FAILURE: &str = "src/b.ts(2,18): error TS2304: Cannot find name 'c'.";

/// The environment of a step, as a runner sets it up.
struct Runner {
    repo: Repo,
    temp: PathBuf,
}

impl Runner {
    fn new() -> Self {
        let repo = Repo::new(FIXTURE);
        let temp = repo.parent().join("temp");
        let bin = repo.parent().join("bin");
        for folder in [&temp, &bin] {
            fs::create_dir(folder).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_portolan"), bin.join("portolan")).unwrap();
        Self { repo, temp }
    }

    /// Puts a script on the PATH.
    fn put(&self, name: &str, script: &str) {
        let file = self.repo.parent().join("bin").join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs a script of the action (its path is in `action.yml`) with these variables.
    fn step(&self, script: &str, variables: &[(&str, &str)]) -> Run {
        let path =
            format!("{}:/usr/local/bin:/usr/bin:/bin", self.repo.parent().join("bin").display());
        let mut command = Command::new("bash");
        let action = root();
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c"]);
        command.arg(format!("\"$GITHUB_ACTION_PATH/action/{script}\"")).env_clear();
        command.env("PATH", path).env("GITHUB_ACTION_PATH", action).env("RUNNER_TEMP", &self.temp);
        for (name, file) in [
            ("GITHUB_OUTPUT", "output"),
            ("GITHUB_STEP_SUMMARY", "summary"),
            ("GITHUB_PATH", "path"),
        ] {
            command.env(name, self.temp.join(file));
        }
        command.envs(variables.iter().copied()).current_dir(self.repo.path());
        Run::of(command.output().unwrap())
    }

    fn left(&self, file: &str) -> String {
        fs::read_to_string(self.temp.join(file)).unwrap_or_default()
    }

    /// The outputs of the step so far.
    fn outputs(&self) -> BTreeMap<String, String> {
        let text = self.left("output");
        let pairs = text.lines().map(|line| line.split_once('=').unwrap());
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }
}

#[test]
fn a_command_that_fails_leaves_a_pack_and_its_exit_code() {
    let runner = Runner::new();
    let command = format!("echo \"{FAILURE}\"; exit 3");
    let run = runner.step("pack", &[("PORTOLAN_COMMAND", &command)]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stdout.contains(FAILURE), "what it prints is seen: {}", run.stdout);
    let outputs = runner.outputs();
    assert_eq!(outputs["exit-code"], "3");
    let pack = fs::read_to_string(&outputs["pack"]).unwrap();
    assert!(pack.starts_with("# TS2304 at `src/b.ts`"), "{pack}");
    assert_eq!(runner.left("summary"), pack);
}

#[test]
fn a_command_that_succeeds_leaves_nothing() {
    let runner = Runner::new();
    let run = runner.step("pack", &[("PORTOLAN_COMMAND", "true")]);
    assert_eq!((run.code, runner.left("summary").as_str()), (0, ""));
    assert!(!runner.outputs().contains_key("pack"));
}

/// Output without a location, a pipe that fails in the middle, a folder with a space, no summary.
#[test]
fn unusual_cases_are_reported_and_keep_their_exit_codes() {
    let runner = Runner::new();
    let run = runner.step("pack", &[("PORTOLAN_COMMAND", "echo hello; false | cat")]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("::notice title=Portolan::the command failed"), "{}", run.stdout);
    assert!(!runner.outputs().contains_key("pack"));

    let variables = [("PORTOLAN_COMMAND", "touch ran; false"), ("PORTOLAN_BUDGET", "abc")];
    let run = runner.step("pack", &variables);
    assert_eq!(run.code, 2);
    assert!(
        run.stdout.contains("::the command was not run: portolan says above"),
        "{}",
        run.stdout
    );
    assert!(run.stderr.contains("invalid value 'abc' for '--budget"), "{}", run.stderr);
    assert!(runner.repo.read("ran").is_none());

    let run = runner.step("pack", &[("PORTOLAN_COMMAND", "true"), ("PORTOLAN_FOLDER", "no where")]);
    assert_eq!(run.code, 2);
    assert!(run.stdout.contains("there is no folder 'no where'"), "{}", run.stdout);
    for variables in [vec![], vec![("PORTOLAN_COMMAND", "true"), ("PORTOLAN_LOG", "x")]] {
        assert_eq!(runner.step("pack", &variables).code, 2);
    }
}

#[test]
fn a_log_of_an_earlier_step_becomes_a_pack_and_fails_nothing() {
    let runner = Runner::new();
    runner.repo.write("logs/ci.log", format!("{FAILURE}\n").as_bytes());
    let variables = [
        ("PORTOLAN_LOG", "logs/ci.log"),
        ("PORTOLAN_FOLDER", "src"),
        ("PORTOLAN_SUMMARY", "false"),
    ];
    let run = runner.step("pack", &variables);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let pack = fs::read_to_string(&runner.outputs()["pack"]).unwrap();
    assert!(pack.contains("TS2304"), "{pack}");
    assert_eq!(runner.left("summary"), "");
}

/// A fake `gh api` for pull request 12 of `o/r`, whose comments are in a file.
const GH: &str = r#"
[ "$1" = api ] || exit 64
shift
method=GET filter=. body= path=
while [ $# -gt 0 ]; do
  case "$1" in
    --method) method=$2; shift ;;
    --jq) filter=$2; shift ;;
    --field) body=${2#body=@}; [ "$body" != "$2" ] || exit 64; shift ;;
    --paginate | --silent) ;;
    -*) echo "unknown flag: $1" >&2; exit 64 ;;
    *) [ -z "$path" ] || exit 64; path=$1 ;;
  esac
  shift
done
echo "$method $path" >>"$RUNNER_TEMP/asked"
case "$method $path" in
  "GET repos/o/r/issues/12/comments?per_page=100") jq --raw-output "$filter" "$RUNNER_TEMP/comments.json" ;;
  "POST repos/o/r/issues/12/comments" | "PATCH repos/o/r/issues/comments/7") cp "$body" "$RUNNER_TEMP/posted" ;;
  *) exit 22 ;;
esac"#;

const LIST: &str = "GET repos/o/r/issues/12/comments?per_page=100\n";
const POST: &str = "POST repos/o/r/issues/12/comments\n";

/// The requests to GitHub and the posted comment, if a pull request has these comments.
#[track_caller]
fn check_posted(pack: &str, comments: &str, asked: &str) -> String {
    let runner = Runner::new();
    runner.put("gh", GH);
    let [event, file] = ["event.json", "pack.md"].map(|name| runner.temp.join(name));
    fs::write(&file, pack).unwrap();
    fs::write(runner.temp.join("comments.json"), comments).unwrap();
    fs::write(&event, "{\"pull_request\": {\"number\": 12}}").unwrap();
    let variables = [
        ("GITHUB_EVENT_PATH", event.to_str().unwrap()),
        ("GITHUB_REPOSITORY", "o/r"),
        ("GITHUB_WORKFLOW", "On push --> \"x\""),
        ("GITHUB_JOB", "test"),
        ("PORTOLAN_PACK", file.to_str().unwrap()),
    ];
    let run = runner.step("comment", &variables);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(runner.left("asked"), asked);

    fs::write(&event, "{}").unwrap();
    let run = runner.step("comment", &variables);
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("not of a pull request"), "{}", run.stdout);
    runner.left("posted")
}

#[test]
fn a_pack_is_posted_to_the_pull_request_and_cut_to_the_size_of_a_comment() {
    if !is_installed("jq") {
        return;
    }
    let pack = "# it\n```ts\n".to_owned() + &"é\n".repeat(40_000);
    let posted = check_posted(&pack, "[]", &format!("{LIST}{POST}"));
    assert!(posted.starts_with("<!-- portolan: On_push_--___x_/test -->\n# it\n"), "{posted}");
    assert!(posted.len() < 65_536 && posted.ends_with("among the artifacts of the job.\n"));
}

#[test]
fn only_the_comment_of_the_same_job_is_brought_up_to_date() {
    if !is_installed("jq") {
        return;
    }
    let others = r#"{"id": 5, "body": "by another workflow"}, {"id": 6, "body": "<!-- portolan: On_push_--___x_/lint -->\nx"}"#;
    let ours = r#"{"id": 7, "body": "<!-- portolan: On_push_--___x_/test -->\nold"}"#;
    check_posted("# new\n", &format!("[{others}]"), &format!("{LIST}{POST}"));
    let change = "PATCH repos/o/r/issues/comments/7\n";
    let posted =
        check_posted("# new\n", &format!("[{others}, {ours}]"), &format!("{LIST}{change}"));
    assert!(posted.ends_with("-->\n# new\n"), "{posted}");
    // A comment that may not be changed stays, and a new one is created.
    let foreign = ours.replace("\"id\": 7", "\"id\": 8");
    let refused = "PATCH repos/o/r/issues/comments/8\n";
    check_posted("# new\n", &format!("[{foreign}]"), &format!("{LIST}{refused}{POST}"));
}

#[test]
fn the_binary_is_taken_from_the_path_or_from_an_archive_with_its_checksum() {
    let runner = Runner::new();
    assert_eq!(runner.step("install", &[]).code, 0);

    let folder = runner.repo.parent().join("portolan-1-x");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("portolan"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(folder.join("portolan"), fs::Permissions::from_mode(0o755)).unwrap();
    let archive = runner.repo.parent().join("it.tar.gz");
    let mut tar = Command::new("tar");
    tar.arg("-czf").arg(&archive).arg("-C").arg(runner.repo.parent()).arg("portolan-1-x");
    assert!(tar.status().unwrap().success());
    let sum = portolan_vfs::sha256(&fs::read(&archive).unwrap()).to_hex();
    let archive = archive.to_str().unwrap();

    let run = runner.step("install", &[("PORTOLAN_ARCHIVE", archive), ("PORTOLAN_SHA256", &sum)]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(Path::new(runner.left("path").trim()).join("portolan").is_file());
    let refused = |variables: &[(&str, &str)], why: &str| {
        let run = runner.step("install", variables);
        assert!(run.code == 1 && run.stdout.contains(why), "{}{}", run.stdout, run.stderr);
    };
    refused(
        &[("PORTOLAN_ARCHIVE", archive), ("PORTOLAN_SHA256", "00")],
        "the archive has the checksum",
    );
    refused(&[("PORTOLAN_ARCHIVE", "https://example.invalid/x")], "needs the input 'sha256'");
    refused(
        &[("PORTOLAN_ARCHIVE", "http://example.invalid/x")],
        "neither a file nor an https address",
    );
    refused(&[("PORTOLAN_ARCHIVE", "nothing.tar.gz")], "there is no archive");
}

#[test]
fn the_action_uses_every_input_documents_it_and_lets_none_become_a_script() {
    let action = yaml("action.yml");
    let page = fs::read_to_string(docs().join("ci.md")).unwrap();
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let (_, steps) = text.split_once("\nruns:").unwrap();
    for (name, input) in action["inputs"].as_object().unwrap() {
        assert!(steps.contains(&format!("inputs.{name}")), "nothing uses `{name}`");
        assert!(page.contains(&format!("| `{name}` |")), "docs/ci.md has no `{name}`");
        assert!(input["description"].as_str().unwrap().ends_with('.'));
    }
    for step in action["runs"]["steps"].as_array().unwrap() {
        let Some(run) = step["run"].as_str() else { continue };
        assert!(!run.contains("${{"), "{run}");
        let script = run.trim_matches('"').strip_prefix("$GITHUB_ACTION_PATH/").unwrap();
        let mode = fs::metadata(root().join(script)).unwrap().permissions().mode();
        assert!(mode & 0o111 != 0, "{script} cannot be run");
    }
}

/// A repository with the hook, a commit and the binary on the PATH.
struct Hooked {
    runner: Runner,
}

impl Hooked {
    fn new(is_installed: bool) -> Self {
        let hooked = Self { runner: Runner::new() };
        assert_eq!(hooked.git(&["init", "--quiet"]).code, 0);
        if is_installed {
            let hook = hooked.runner.repo.path().join(".git/hooks/pre-commit");
            fs::create_dir_all(hook.parent().unwrap()).unwrap();
            fs::copy(root().join("hooks/pre-commit"), hook).unwrap();
        }
        hooked
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let path = format!(
            "{}:/usr/local/bin:/usr/bin:/bin",
            self.runner.repo.parent().join("bin").display()
        );
        command.env_clear().env("PATH", path).env("HOME", &self.runner.temp);
        command.current_dir(self.runner.repo.path());
        command
    }

    fn git(&self, arguments: &[&str]) -> Run {
        let mut command = self.command(Path::new("git"));
        command.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(arguments);
        Run::of(command.output().unwrap())
    }
}

#[test]
fn a_commit_takes_the_new_chart_with_it() {
    let hooked = Hooked::new(true);
    hooked.git(&["add", "src"]);
    let run = hooked.git(&["commit", "--quiet", "-m", "first"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let chart = hooked.git(&["show", "HEAD:CHART.txt"]).stdout;
    assert!(chart.contains(" b.ts 14 = b > ./a.ts\n"), "{chart}");
    assert!(!chart.contains("CHART.txt") && !chart.starts_with('@'), "{chart}");

    hooked.runner.repo.write("src/c.ts", b"import './b';\n");
    hooked.git(&["add", "src"]);
    assert_eq!(hooked.git(&["commit", "--quiet", "-m", "second"]).code, 0);
    assert!(hooked.git(&["show", "HEAD:CHART.txt"]).stdout.contains("c.ts"));
    assert_eq!(hooked.git(&["status", "--porcelain", "CHART.txt"]).stdout, "");
}

#[test]
fn the_hook_writes_through_no_link() {
    for (place, chart) in [("CHART.txt", "CHART.txt"), ("docs", "docs/CHART.txt")] {
        let hooked = Hooked::new(true);
        let outside = hooked.runner.repo.path().join(".git/outside");
        fs::create_dir_all(&outside).unwrap();
        let target = if place == chart { outside.join("file") } else { outside.clone() };
        fs::write(outside.join("file"), "as it was").unwrap();
        symlink(&target, hooked.runner.repo.path().join(place)).unwrap();
        hooked.git(&["config", "portolan.chart", chart]);
        hooked.git(&["add", "src"]);
        let run = hooked.git(&["commit", "--quiet", "-m", "first"]);
        assert_ne!(run.code, 0);
        assert!(run.stderr.contains("is a link"), "{}", run.stderr);
        assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "as it was");
        assert!(!outside.join("CHART.txt").exists());
    }
}

#[test]
fn under_pre_commit_a_new_chart_fails_once() {
    let hooked = Hooked::new(false);
    let hooks = yaml(".pre-commit-hooks.yaml");
    let entry = root().join(hooks[0]["entry"].as_str().unwrap());
    let hook = || {
        let mut command = hooked.command(&entry);
        command.env("PRE_COMMIT", "1").args(["docs/chart.txt", "--budget", "600"]);
        Run::of(command.output().unwrap())
    };
    let first = hook();
    assert_eq!(
        (first.code, first.stdout.as_str()),
        (1, "docs/chart.txt is new: add it and commit again\n")
    );
    assert_eq!(hook().code, 0, "it is as it should be now");
    assert!(
        String::from_utf8(hooked.runner.repo.read("docs/chart.txt").unwrap())
            .unwrap()
            .contains("a.ts")
    );
}

#[test]
fn without_the_binary_a_hook_says_what_to_do() {
    let hooked = Hooked::new(false);
    fs::remove_file(hooked.runner.repo.parent().join("bin/portolan")).unwrap();
    let run = Run::of(hooked.command(&root().join("hooks/pre-commit")).output().unwrap());
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("install it, or commit with --no-verify"), "{}", run.stderr);
}
