#!/usr/bin/env python3
"""How many of the files that a real commit changed does aider's repository map list?

    aider-recall.py TASKS.jsonl CLONES WORK [--budget 20000 --budget 8000] [--repo owner/name] [--limit N] [--title-only]

The same question that `cargo xtask tasks` asks of a chart, asked of aider (`pip install aider-chat`, Python 3.11): nothing
is in the chat, the commit's message is what the user typed. What the message mentions is found by aider's own `Coder`, and
the map is made by aider's own `RepoMap`; only the places where both would ask the terminal or a model are stood in for.
CLONES/<owner>+<name> (or its `repo` folder) are git clones with history; WORK gets a tree for each base commit, and
aider's cache of tags. `--limit` takes that many tasks of each repository, evenly spread. The budget is the size that aider
aims at (it accepts 15 % more or less); the printed tokens are those of the maps it made.
"""

import argparse
import collections
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import time

# aider's dependency `litellm` brings the tables of the tokenizers, so that nothing is fetched.
brought = pathlib.Path(importlib.util.find_spec("litellm").origin).parent / "litellm_core_utils" / "tokenizers"
os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(brought))

import tiktoken  # noqa: E402
from aider.coders.base_coder import Coder  # noqa: E402
from aider.repomap import RepoMap  # noqa: E402


class Model:
    """The part of aider's model that its map uses: the count of tokens."""

    def __init__(self):
        self.encoding = tiktoken.get_encoding("o200k_base")

    def token_count(self, text):
        return len(self.encoding.encode(text, disallowed_special=()))


class Quiet:
    """aider's terminal, saying nothing; it reads files as aider's does."""

    def read_text(self, name, silent=False):
        try:
            return pathlib.Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeError):
            return None

    def tool_output(self, *_args, **_options):
        pass

    tool_warning = tool_error = tool_output


class Map(RepoMap):
    """The ranking does not depend on the budget, so a task is ranked once for all budgets."""

    asked, answer = None, None

    def get_ranked_tags(self, chat, other, fnames, idents, progress=None):
        question = (frozenset(fnames), frozenset(idents))
        if question != self.asked:
            self.asked = question
            self.answer = super().get_ranked_tags(chat, other, fnames, idents, progress)
        return self.answer


class Chat:
    """A chat without files: what aider's `Coder` asks itself when it looks for names in a message."""

    abs_read_only_fnames = ()

    def __init__(self, files):
        self.files = files

    def get_all_relative_files(self):
        return self.files

    get_addable_relative_files = get_all_relative_files

    def get_inchat_relative_files(self):
        return []

    def mentions(self, message):
        idents = Coder.get_ident_mentions(self, message)
        fnames = Coder.get_file_mentions(self, message)
        return fnames | Coder.get_ident_filename_matches(self, idents), idents


def git(clone, *args):
    return subprocess.run(["git", "-C", str(clone), *args], capture_output=True, check=True).stdout


def tree(clone, base, out):
    """The files of a commit, in a folder of their own; a file whose blob is absent is left out."""
    if out.exists():
        return
    cat = subprocess.Popen(
        ["git", "-C", str(clone), "cat-file", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    for entry in filter(None, git(clone, "ls-tree", "-rz", base).split(b"\0")):
        head, path = entry.split(b"\t", 1)
        mode, kind, sha = head.split()
        if kind != b"blob" or mode == b"120000":
            continue
        cat.stdin.write(sha + b"\n")
        cat.stdin.flush()
        answer = cat.stdout.readline().split()
        if len(answer) < 3:
            continue
        text = cat.stdout.read(int(answer[2]))
        cat.stdout.read(1)
        file = out / os.fsdecode(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
    cat.stdin.close()
    cat.wait()


def files_below(root):
    """What git would track: every file of the tree, without aider's own cache and without git's folder."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f != ".git" and not f.startswith(".aider."))
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


def listed(text, files):
    """A map names a file on a line of its own, with a colon where declarations follow."""
    return {line.removesuffix(":") for line in (text or "").splitlines()} & files


def spread(tasks, limit):
    if not limit or limit >= len(tasks):
        return tasks
    return [tasks[i * len(tasks) // limit] for i in range(limit)]


def measure(repo, tasks, options, model):
    clone = pathlib.Path(options.clones) / repo.replace("/", "+")
    clone = clone / "repo" if (clone / "repo").is_dir() else clone
    root = pathlib.Path(options.work).resolve() / f"{repo.replace('/', '+')}-{tasks[0]['base'][:10]}"
    tree(clone, tasks[0]["base"], root)
    files = files_below(root)
    chat, whole = Chat(files), {str(root / file) for file in files}
    maps = Map(root=str(root), main_model=model, io=Quiet(), refresh="always")
    figures = {budget: [0.0, 0, 0] for budget in options.budget}
    started, taken = time.monotonic(), spread(tasks, options.limit)
    for task in taken:
        form = "%s" if options.title_only else "%B"
        message = git(clone, "log", "-1", f"--format={form}", task["commit"]).decode(errors="replace").strip()
        fnames, idents = chat.mentions(message)
        for budget in options.budget:
            maps.max_map_tokens = budget
            text = maps.get_repo_map(set(), whole, mentioned_fnames=fnames, mentioned_idents=idents)
            shown = listed(text, set(files))
            figure = figures[budget]
            figure[0] += sum(file in shown for file in task["files"]) / len(task["files"])
            figure[1] += model.token_count(text or "")
            figure[2] += len(shown)
    seconds, n = time.monotonic() - started, len(taken)
    for budget, (recall, tokens, shown) in figures.items():
        row = [repo, f"{n} of {len(tasks)}", f"{budget:,}", f"{100 * recall / n:.1f} %", f"{tokens // n:,}", f"{shown // n:,}", f"{seconds / n:.1f}"]
        print("| " + " | ".join(row) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tasks", "clones", "work"):
        parser.add_argument(name)
    parser.add_argument("--budget", type=int, action="append")
    parser.add_argument("--repo", default="")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--title-only", action="store_true")
    options = parser.parse_args()
    options.budget = options.budget or [20_000, 8_000]
    by_base = collections.defaultdict(list)
    with open(options.tasks, encoding="utf-8") as lines:
        for task in map(json.loads, lines):
            if options.repo in task["repo"]:
                by_base[task["repo"], task["base"]].append(task)
    print("| repository | tasks | budget | changed files listed | tokens, mean | files listed, mean | seconds a task |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    model = Model()
    for (repo, _), tasks in by_base.items():
        measure(repo, tasks, options, model)


if __name__ == "__main__":
    sys.exit(main())
