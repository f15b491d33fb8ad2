#!/usr/bin/env python3
"""prepare.py [--short-report] [--own-guides] TASK ARM SOURCE OUT COMMANDS: makes the folder of one run.

TASK is an id of tasks.json. ARM is `with` or `without`. SOURCE is a git directory of the repository with its history.
COMMANDS is a JSON file with the commands of this machine (see README.md).

OUT gets `repo/` (the tree that the agent works on; no commit after the start is in its history), `sh` (the wrapper that
writes down what each command shows), `prompt.txt` (what to tell the agent) and `run.json` (for judge.py and report.py).

    --short-report   asks both arms for the same short report, and not for a review of Portolan
    --own-guides     keeps the project's own guides for agents (AGENTS.md and the like). Without it a commit on top of the
                     start takes them out, in both arms, so that only Portolan's is measured.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import bench

RULES = """Rules:
- Run every shell command through {out}/sh 'COMMAND'. It runs in {out}/repo. Read files only through it. Edit with any tool.
- Do not look at history beyond HEAD, at another copy of the project, at the web, or at other files in {out}.
- Read as little as you need: every byte of output costs.
- {work}
- {arm}

{report}
"""
REPORT = "Report at the end: what you changed or found; the commands that mattered; where you read more than you needed."
SHORT_REPORT = (
    "Report at the end, in at most 15 lines: what you changed or found; the commands that mattered; where you read more "
    "than you needed."
)
GUIDES = re.compile(r"(^|/)((AGENTS|CLAUDE|GEMINI)(\.local)?\.md|\.cursorrules|copilot-instructions\.md)$|^\.(claude|cursor|agents|gemini)/")
WORK = {
    "fix": "Make a correct and minimal fix, with a test. Do not commit.",
    "question": "Change nothing in the repository. Write the answer to {out}/answer.txt, in the form that the task asks for.",
}
ARM = {
    "with": "Read AGENTS.md first.",
    "without": "Do not use a program named portolan.",
}
MORE = {
    "with": " Of portolan, honestly: which calls helped, which were useless or misleading, what you wished for and did "
    "not get, what was noise, and whether grep would have been quicker.",
    "without": "",
}


def write_tree(source, base, repo):
    """Puts the tree of a commit into a fresh repository that has the history up to it and no other reference."""
    repo.mkdir(parents=True)
    bench.git(repo, "init", "-q", "-b", "main")
    objects = pathlib.Path(bench.git(source, "rev-parse", "--git-path", "objects").decode().strip())
    (repo / ".git/objects/info/alternates").write_text(f"{(pathlib.Path(source) / objects).resolve()}\n")
    bench.git(repo, "update-ref", "refs/heads/main", base)
    bench.git(repo, "read-tree", base)
    # A partial copy of a repository may lack large files.
    names = bench.git(repo, "ls-files", "-s", "-z").split(b"\0")[:-1]
    ids = b"\n".join(name.split()[1] for name in names)
    kinds = bench.git(repo, "cat-file", "--batch-check=%(objecttype)", input=ids).split(b"\n")
    gone = [name.split(b"\t", 1)[1] for name, kind in zip(names, kinds) if kind != b"blob"]
    if gone:
        bench.git(repo, "update-index", "--force-remove", "-z", "--stdin", input=b"\0".join(gone) + b"\0")
    bench.git(repo, "checkout-index", "-a", "-q")
    bench.git(repo, "update-index", "-q", "--refresh")
    return len(names) - len(gone)


def write_planted(task, source, base, repo):
    """Puts the tree of a commit with a bug into a fresh repository of a single commit: its history shows no fix."""
    repo.mkdir(parents=True)
    archive = bench.git(source, "archive", base)
    subprocess.run(["tar", "-x"], cwd=repo, input=archive, check=True)
    bench.git(repo, "init", "-q", "-b", "main")
    bench.git(repo, "apply", str(bench.HERE / "plants" / f"{task['id']}.patch"))
    bench.git(repo, "add", "-A", "-f")
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    bench.git(repo, *who, "commit", "-q", "-m", "Start")
    return len(bench.git(repo, "ls-files").splitlines())


def drop_guides(repo):
    """Takes the project's own guides for agents out of the tree, with a commit as old as the start."""
    guides = [name for name in bench.git(repo, "ls-files", "-z").decode().split("\0") if GUIDES.search(name)]
    if guides:
        when = bench.git(repo, "log", "-1", "--format=%cI").decode().strip()
        who = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
        bench.git(repo, "rm", "-q", "-f", "--", *guides)
        dates = {**os.environ, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        bench.git(repo, *who, "commit", "-q", "-m", "Remove guides for agents", env=dates)
    return guides


def prompt(task, arm, out, run, short):
    """What the agent is told."""
    lines = [f"You work on a repository in {out}/repo.", "", task["task"], ""]
    if run:
        lines += [f"The tests run with: {run}", ""]
    report = SHORT_REPORT if short else REPORT + MORE[arm]
    rules = RULES.format(out=out, work=WORK[task["kind"]].format(out=out), arm=ARM[arm], report=report)
    return "\n".join(lines) + "\n" + rules


def main():
    options = {word for word in sys.argv[1:] if word.startswith("--")}
    name, arm, source, out, commands = (word for word in sys.argv[1:] if not word.startswith("--"))
    if options - {"--short-report", "--own-guides"}:
        sys.exit(f"unknown option: {' '.join(sorted(options))}")
    task, out, source = bench.tasks()[name], pathlib.Path(out).resolve(), pathlib.Path(source).resolve()
    own = bench.commands(commands).get(name, {})
    base = bench.base_of(task, source)
    planted = (bench.HERE / "plants" / f"{name}.patch").exists()
    count = write_planted(task, source, base, out / "repo") if planted else write_tree(source, base, out / "repo")
    guides = [] if "--own-guides" in options else drop_guides(out / "repo")
    (out / "out").mkdir()
    (out / "sh").write_text((bench.HERE / "sh.in").read_text())
    (out / "sh").chmod(0o755)
    variables = {"NO_COLOR": "1", **own.get("env", {})}
    (out / "env").write_text("".join(f'export {key}="{value}"\n' for key, value in variables.items()))
    (out / "prompt.txt").write_text(prompt(task, arm, out, own.get("run"), "--short-report" in options))
    record = {"task": name, "arm": arm, "source": str(source), "commands": str(pathlib.Path(commands).resolve())}
    (out / "run.json").write_text(json.dumps(record, indent=1) + "\n")
    print(f"{shlex.quote(str(out))}: {name} at {base[:12]}, {count} files{f', without {guides}' if guides else ''}")


if __name__ == "__main__":
    main()
