#!/usr/bin/env python3
"""Compares the edges of PHP, Ruby and C# with what other readers say of names.

    names.py PORTOLAN LANGUAGE REPOSITORY [PHP-PARSER]

PHP is read by nikic/PHP-Parser (a clone of it), Ruby by RubyVM's syntax tree, C# by a scan of words without comments and
strings. An edge is wanted where one file of the repository defines a name; where several do, each of them is accepted and
none is wanted, except the one that Ruby's autoloaders would take by its name.
"""

import collections
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def read(command, files):
    run = subprocess.run(command, input="\n".join(files), capture_output=True, text=True)
    if run.stderr.strip():
        print(run.stderr[:500], file=sys.stderr)
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


class Edges:
    """The edges that are wanted, and those that are accepted."""

    def __init__(self, tracked):
        self.tracked, self.wanted, self.accepted = tracked, set(), set()

    def add(self, file, definers):
        definers = set(definers) - {file}
        self.accepted |= {(file, it) for it in definers}
        if len(definers) == 1:
            self.wanted |= {(file, it) for it in definers}


def php(root, files, edges, parser):
    rows = read(["php", "-d", "memory_limit=2G", f"{HERE}/names.php", parser], files)
    types, functions = collections.defaultdict(set), collections.defaultdict(set)
    for row in rows:
        for name in row["defines"]:
            types[name.lower()].add(row["file"])
        for name in row["functions"]:
            functions[name.lower()].add(row["file"])
    for row in rows:
        file = row["file"]
        for name in row["uses"]:
            definers = types[name.lower()]
            if file not in definers:
                edges.add(file, definers)
        for name in row["calls"]:
            definers = functions[name.lower()] or functions[name.lower().split("\\")[-1]]
            if file not in definers:
                edges.add(file, definers)
        for path in row["includes"]:
            places = [os.path.normpath(path), os.path.normpath(os.path.join(os.path.dirname(file), path))]
            found = [it for it in places if it in edges.tracked][:1]
            edges.add(file, found)
    return {row["file"] for row in rows}


def ruby(root, files, edges, _):
    rows = read(["ruby", "-W0", f"{HERE}/names.rb"], files)
    defined = collections.defaultdict(set)
    for row in rows:
        for name in row["defines"]:
            defined[name].add(row["file"])
    squeezed = {file: file[:-3].replace("_", "").lower() for file in files}

    def definers(name):
        found = defined[name]
        if len(found) > 1:
            key = "/" + name.replace("::", "/").lower()
            named = {it for it in found if ("/" + squeezed.get(it, "")).endswith(key)}
            return named if named else set()
        return found

    loaded = re.compile(r"^(.*/)?(lib|test|spec|ext|concerns|app/[^/]+)$")
    by_end = collections.defaultdict(list)
    for file in files:
        parts = file[:-3].split("/")
        for at in range(len(parts)):
            folder = "/".join(parts[:at])
            if at == 0 or loaded.match(folder):
                by_end["/".join(parts[at:])].append(file)
    for row in rows:
        file = row["file"]
        for how, name in row["requires"]:
            name = name[:-3] if name.endswith(".rb") else name
            if how == "relative":
                path = os.path.normpath(os.path.join(os.path.dirname(file), name)) + ".rb"
                edges.add(file, {path} & edges.tracked)
            elif how == "require":
                edges.add(file, by_end.get(name, []))
            elif file not in defined[name]:
                edges.add(file, definers(name))
        for name, nesting in row["uses"]:
            first = name.split("::")[0]
            around = [it + "::" for it in nesting] + [""]
            prefix = next((it for it in around if it + first in defined), None)
            if prefix is None:
                continue
            full = prefix + name
            while full not in defined:
                full = full.rsplit("::", 1)[0]
            if len(defined[full]) > 1 or file not in defined[full]:
                edges.add(file, definers(full) if file not in definers(full) else set())
    return {row["file"] for row in rows}


NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|\$?@\$?"(?:""|[^"])*"|"""(?s:.*?)"""|\$?"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#[^\n]*', re.S | re.M)
WORD = re.compile(r"[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*|[{};]")
TYPES = {"class", "struct", "interface", "enum", "record"}


def csharp(root, files, edges, _):
    rows, defined, projects = {}, collections.defaultdict(set), set()
    for path in edges.tracked:
        if path.endswith(".csproj"):
            projects.add(os.path.dirname(path))

    def project(file):
        folder = os.path.dirname(file)
        while folder and folder not in projects:
            folder = os.path.dirname(folder)
        return folder

    for file in files:
        text = NOISE.sub(" ", open(os.path.join(root, file), encoding="utf-8-sig", errors="replace").read())
        usings = re.findall(r"^\s*(global\s+)?using\s+(static\s+)?(?:\w+\s*=\s*)?([\w.]+)\s*;", text, re.M)
        body = re.sub(r"^\s*(?:global\s+)?using\s+[^;(]*;", " ", text, flags=re.M)
        stack, pending, namespaces, words, names = [], None, set(), list(WORD.finditer(body)), set()
        file_namespace = ""
        for at, match in enumerate(words):
            word = re.sub(r"\s", "", match.group())
            if word == "{":
                stack.append(pending)
                pending = None
            elif word == "}":
                if stack:
                    stack.pop()
            elif word == ";":
                pending = None
            elif word == "namespace" and at + 2 < len(words):
                name = re.sub(r"\s", "", words[at + 1].group())
                if words[at + 2].group() == ";":
                    file_namespace = name
                pending = ("n", name)
                outer = [it[1] for it in stack if it] or ([file_namespace] if file_namespace and words[at + 2].group() != ";" else [])
                namespaces.add(".".join(outer + [name]))
            elif (word in TYPES and at + 1 < len(words) and words[at + 1].group() not in TYPES
                  and re.match(r"\s*$", body[match.end():words[at + 1].start()])
                  and not re.search(r"[:,]\s*$", body[:match.start()][-40:])):
                name = words[at + 1].group()
                outer = [it[1] for it in stack if it]
                if file_namespace and not any(it and it[0] == "n" for it in stack):
                    outer = [file_namespace] + outer
                defined[".".join(outer + [name])].add(file)
                pending = ("t", name)
            else:
                before = body[:match.start()].rstrip()[-1:]
                if before != ".":
                    names.add(word)
        rows[file] = (usings, namespaces, names)
    prefixes = set()
    for name in list(defined):
        parts = name.split(".")
        prefixes |= {".".join(parts[:at]) for at in range(1, len(parts))}
    attributes = {it.split(".")[-1] for it in defined if it.endswith("Attribute")}
    for file, (usings, namespaces, names) in rows.items():
        own = sorted({".".join(it.split(".")[:at]) for it in namespaces for at in range(1, it.count(".") + 2)}, key=len, reverse=True) + [""]
        shared = {name for other, row in rows.items() if project(other) == project(file) for is_global, _, name in row[0] if is_global}
        opened = [name for _, _, name in usings] + sorted(shared)

        def found(name):
            definers = defined.get(name, set())
            same = {it for it in definers if project(it) == project(file)}
            return same or definers

        def longest(name):
            parts = name.split(".")
            return next((found(".".join(parts[:at])) for at in range(len(parts), 0, -1) if found(".".join(parts[:at]))), set())

        # An attribute may leave out the end of its name.
        for word in names | {it + "Attribute" for it in names if it + "Attribute" in attributes}:
            head = word.split(".")[0]
            around = next((it for it in own if found(f"{it}.{head}" if it else head)), None)
            around = [around] if around is not None else [it for it in opened if found(f"{it}.{head}")]
            spaces = [longest(f"{it}.{word}" if it else word) for it in around]
            if not spaces and "." in word:
                hits = next((longest(f"{it}.{word}" if it else word) for it in own if longest(f"{it}.{word}" if it else word)), None)
                spaces = [hits] if hits else []
            for hits in spaces:
                # Of a partial type the file counts that is named after it, else every part.
                edges.accepted |= {(file, it) for it in hits if it != file}
                named = {it for it in hits if os.path.basename(it) == f"{head}.cs"} if len(hits) > 1 else hits
                for hit in named or hits if len({project(it) for it in hits}) == 1 and file not in hits else []:
                    edges.add(file, {hit})
        for name in (it for _, is_static, it in usings if is_static):
            edges.add(file, found(name))
    return set(rows)


def main(portolan, language, repository, parser=""):
    root = os.path.realpath(repository)
    os.chdir(root)
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True).stdout.splitlines()
    endings = {"php": (".php", ".phtml"), "ruby": (".rb",), "csharp": (".cs", ".csx")}[language]
    files = [it for it in listed if it.endswith(endings) and os.path.isfile(it)]
    edges = Edges(set(listed))
    judged = {"php": php, "ruby": ruby, "csharp": csharp}[language](root, files, edges, parser)
    graph = subprocess.run([portolan, "graph", "--view", "meta", "--no-hashes"], capture_output=True, text=True)
    nodes = json.loads(graph.stdout)["n"]
    # What the other reader could not parse is not judged.
    of_language = judged
    ours = {(file, edge[0]) for file, node in nodes.items() if file in of_language for edge in node.get("e", []) if edge[0] in of_language}
    wanted, accepted = edges.wanted, edges.accepted | edges.wanted
    wanted = {it for it in wanted if it[0] in nodes and it[1] in of_language}
    missed, wrong = sorted(wanted - ours), sorted(ours - accepted)
    show = int(os.environ.get("SHOW", "10"))
    for edge in missed[:show]:
        print("missed", *edge)
    for edge in wrong[:show]:
        print("wrong", *edge)
    right = len(ours & accepted)
    print(f"{len(judged)} files read; recall {len(wanted & ours)}/{len(wanted)} = {100 * len(wanted & ours) / max(len(wanted), 1):.2f} %; "
          f"precision {right}/{len(ours)} = {100 * right / max(len(ours), 1):.2f} %")


if __name__ == "__main__":
    main(*sys.argv[1:])
