#!/usr/bin/env python3
"""judge.py OUT…: judges runs, and writes judge.json into each folder.

A fix: the upstream tests are put over a copy of the agent's tree and run. It is solved if they pass.
A question: answer.txt is compared with the known answer. It is right if it has at least nine tenths precision, and complete
if nothing is missing.

    --no-fix         judges the tree as prepared, to prove that the upstream tests fail before the fix
    --upstream-fix   judges the tree with the upstream fix, to prove that they pass with it
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

import bench


def copy_of(run, task):
    """A copy of the agent's tree. Files get new times, so that no build tool takes an old result for theirs."""
    copy = run.parent / "judge" / task["id"]
    if copy.exists():
        shutil.rmtree(copy)
    copy.parent.mkdir(exist_ok=True)
    subprocess.run(["cp", "-dr", "--preserve=mode", str(run / "repo"), str(copy)], check=True)
    return copy


def put(source, commit, path, copy):
    """Writes a file of a commit into the copy, or removes it if the commit has none."""
    file = copy / path
    try:
        data = bench.git(source, "show", f"{commit}:{path}")
    except subprocess.CalledProcessError:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    file.write_bytes(data)


def changed_by(task, source):
    """The files that the fix changes."""
    if "fix" in task:
        return bench.git(source, "diff", "--name-only", task["fix"] + "^", task["fix"]).decode().splitlines()
    patch = (bench.HERE / "plants" / f"{task['id']}.patch").read_text()
    return re.findall(r"^\+\+\+ b/(.*)$", patch, re.M)


def judge_fix(run, record, task, mode):
    source = record["source"]
    fixed = task.get("fix") or bench.base_of(task, source)
    copy = copy_of(run, task)
    if mode:
        bench.git(copy, "checkout", "-q", "-f", "HEAD", "--", ".")
        bench.git(copy, "clean", "-q", "-f", "-d")
    if mode == "--upstream-fix":
        for path in changed_by(task, source):
            put(source, fixed, path, copy)
    for path in task["tests"]:
        put(source, fixed, path, copy)
    own = bench.commands(record["commands"])[task["id"]]
    # What a build leaves behind must not come from the agent's folder.
    script = f'here="{copy}.build"; . "{run}/env"; {own.get("judge", own["run"])}'
    begin = time.monotonic()
    done = subprocess.run(["bash", "-c", script], cwd=copy, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    shutil.rmtree(copy)
    tail = (done.stdout + done.stderr)[-3000:]
    return {"solved": done.returncode == 0, "seconds": round(time.monotonic() - begin, 1), "tail": tail}


def items(text):
    """The answers of a file, one a line. Bullets, numbers, code marks, and what follows a blank are not part of an answer."""
    found = set()
    for line in text.splitlines():
        line = re.sub(r"^\s*([*•-]+|\d+[.)])\s+", "", line).replace("`", "").strip()
        if line and not line.startswith("#"):
            found.add(re.sub(r"^\./", "", line.split()[0].rstrip(",;")))
    return found


def judge_question(run, task):
    truth = bench.truth_of(task)
    file = run / "answer.txt"
    said = items(file.read_text()) if file.exists() else set()
    wanted, either = set(truth["answers"]), set(truth.get("either", []))
    counted = said - either
    hit = len(wanted & said)
    recall = hit / len(wanted)
    precision = hit / len(counted) if counted else 0.0
    return {
        "solved": recall == 1 and precision >= 0.9,
        "recall": round(recall, 3),
        "precision": round(precision, 3),
        "missing": sorted(wanted - said),
        "wrong": sorted(counted - wanted),
    }


def main():
    modes = [word for word in sys.argv[1:] if word.startswith("--")]
    mode = modes[0] if modes else None
    for run in (pathlib.Path(word).resolve() for word in sys.argv[1:] if not word.startswith("--")):
        record = json.loads((run / "run.json").read_text())
        task = bench.tasks()[record["task"]]
        if task["kind"] == "question":
            verdict = judge_question(run, task)
        else:
            verdict = judge_fix(run, record, task, mode)
        if not mode:
            (run / "judge.json").write_text(json.dumps(verdict, indent=1) + "\n")
        print(f"{run.name}{' ' + mode if mode else ''}:", {key: value for key, value in verdict.items() if key != "tail"})
        if mode and "tail" in verdict:
            print(verdict["tail"][-600:])


if __name__ == "__main__":
    main()
