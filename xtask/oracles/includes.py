#!/usr/bin/env python3
"""Compares the include edges of Portolan with those of gcc.

    includes.py PORTOLAN REPOSITORY COMMANDS

COMMANDS is a compile_commands.json, or the output of `make -n -w`. Each command is run with `-E -dI`, which prints every
`#include` that was met and the files that were entered. Includes in branches that are switched off are not judged.
"""

import json
import os
import re
import shlex
import subprocess
import sys


def commands(path):
    """The commands as (folder, words)."""
    if path.endswith(".json"):
        for entry in json.load(open(path)):
            words = entry.get("arguments") or shlex.split(entry["command"])
            yield entry["directory"], words
        return
    folders = [os.path.dirname(os.path.abspath(path))]
    for line in open(path, errors="replace"):
        entered = re.match(r"make(?:\[\d+\])?: Entering directory '(.*)'", line)
        if entered:
            folders.append(entered.group(1))
        elif re.match(r"make(?:\[\d+\])?: Leaving directory", line):
            folders.pop()
        elif " -c " in line and not line.startswith("#"):
            for part in re.split(r";|&&", line):
                if " -c " in part:
                    try:
                        yield folders[-1], shlex.split(part)
                    except ValueError:
                        pass


def folders_of(words, folder):
    """The folders that are searched for `""` besides the file's own, and for `<>`."""
    quoted, all_of_them = [], []
    at = 0
    while at < len(words):
        for flag, into in (("-iquote", quoted), ("-I", all_of_them), ("-isystem", all_of_them)):
            if words[at].startswith(flag):
                value = words[at][len(flag):]
                if not value and at + 1 < len(words):
                    at += 1
                    value = words[at]
                into.append(os.path.join(folder, value))
                break
        at += 1
    return quoted + all_of_them, all_of_them


def preprocessed(folder, words):
    """Pairs of (file, spelling, file that was read)."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MT", "-MQ"):
            skip = True
        elif word not in ("-c", "-MD", "-MMD", "-MP", "-Werror", "-g", "-ggdb"):
            kept.append(word)
    run = subprocess.run(kept + ["-E", "-dI"], cwd=folder, capture_output=True, text=True, errors="replace")
    quoted, bracketed = folders_of(words, folder)
    current, pending = None, None
    for line in run.stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"((?: \d)*)', line)
        if marker:
            path = os.path.realpath(os.path.join(folder, marker.group(1)))
            if pending and "1" in marker.group(2).split():
                yield pending[0], pending[1], path
                pending = None
            current = path
            continue
        if pending:
            yield from looked_up(pending, quoted, bracketed)
            pending = None
        include = re.match(r'#include(?:_next)? (["<])([^">]*)[">]', line)
        if include and current:
            pending = (current, include.group(2), include.group(1))
    if pending:
        yield from looked_up(pending, quoted, bracketed)


def looked_up(pending, quoted, bracketed):
    """Where an include leads that was not entered again."""
    file, name, mark = pending
    places = [os.path.dirname(file)] + quoted if mark == '"' else bracketed
    for place in places:
        path = os.path.join(place, name)
        if os.path.isfile(path):
            yield file, name, os.path.realpath(path)
            return


def main(portolan, repository, path):
    root = os.path.realpath(repository)
    tracked = set(subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True).stdout.splitlines())
    truth, met, units = set(), {}, 0
    for folder, words in commands(path):
        units += 1
        for file, name, target in preprocessed(folder, words):
            file, target = os.path.relpath(file, root), os.path.relpath(target, root)
            if file in tracked:
                met.setdefault((file, os.path.basename(name)), set()).add(target)
                if target in tracked and target != file:
                    truth.add((file, target))
    graph = subprocess.run([portolan, "-C", root, "graph", "--view", "meta", "--no-hashes"], capture_output=True, text=True)
    nodes = json.loads(graph.stdout)["n"]
    ours = {(file, edge[0]) for file, node in nodes.items() for edge in node.get("e", [])}
    judged = {edge for edge in ours if (edge[0], os.path.basename(edge[1])) in met and edge[1] in tracked}
    right = {edge for edge in judged if edge[1] in met[edge[0], os.path.basename(edge[1])]}
    missed, wrong = sorted(truth - ours), sorted(judged - right)
    for edge in missed[:20]:
        print("missed", *edge)
    for edge in wrong[:20]:
        print("wrong", *edge)
    print(f"{units} commands; recall {len(truth & ours)}/{len(truth)} = {100 * len(truth & ours) / max(len(truth), 1):.2f} %; "
          f"precision {len(right)}/{len(judged)} = {100 * len(right) / max(len(judged), 1):.2f} %; "
          f"all edges {len(ours)}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
