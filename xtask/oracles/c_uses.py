#!/usr/bin/env python3
"""Compares the uses of C functions with those of clangd.

    c_uses.py PORTOLAN REPOSITORY COMMANDS [COUNT] [FOLDER]

COMMANDS is a folder with a compile_commands.json. COUNT functions (40) that files of FOLDER define, and that are not switched off, are drawn
by the hash of their names. clangd indexes everything that the commands compile and is asked for the references of each. Lines are compared: a use
that clangd knows should be certain or possible; a certain use should be one of clangd's. Files that no command compiles, and
branches of `#if` that are switched off there, are unknown to clangd: certain uses on such lines are not judged. Lines where a
macro expands to the name, which is not written there, are counted apart.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time


class Clangd:
    def __init__(self, root, commands):
        words = ["clangd", f"--compile-commands-dir={commands}", "--background-index", "-j=1", "--log=error", "--limit-references=0"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number, self.indexed, self.inactive, self.opened = 0, False, {}, set()
        tokens = {"requests": {"full": True}, "tokenTypes": [], "tokenModifiers": [], "formats": ["relative"]}
        answer = self.ask("initialize", {"processId": os.getpid(), "rootUri": f"file://{root}",
                                         "capabilities": {"window": {"workDoneProgress": True}, "textDocument": {"semanticTokens": tokens}}})
        self.types = answer["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def read(self):
        length = 0
        while True:
            line = self.process.stdout.readline().strip()
            if not line:
                break
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "window/workDoneProgress/create":
            self.send({"id": message["id"], "result": None})
        if message.get("method") == "$/progress":
            self.indexed = message["params"]["value"].get("kind") == "end"
        return message

    def ask(self, method, params):
        self.number += 1
        number = self.number
        self.send({"id": number, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == number and "method" not in message:
                return message.get("result")

    def open(self, path):
        self.opened.add(path)
        text = open(path, errors="replace").read()
        self.tell("textDocument/didOpen", {"textDocument": {"uri": f"file://{path}", "languageId": "c", "version": 1, "text": text}})

    def wait(self, most):
        """Waits until the index is whole."""
        start = time.time()
        while not self.indexed and time.time() - start < most:
            self.read()


def drawn(root, folder, count):
    """Functions that files define, with their places."""
    listed = subprocess.run(["git", "-C", root, "ls-files", folder or "."], capture_output=True, text=True).stdout.splitlines()
    files = [os.path.join(root, it) for it in listed if it.endswith(".c")]
    words = ["ctags", "--languages=C", "--kinds-C=f", "--fields=+n", "--output-format=json", "-L", "-", "-f", "-"]
    run = subprocess.run(words, input="\n".join(files), capture_output=True, text=True, errors="replace")
    tags = [json.loads(line) for line in run.stdout.splitlines()]
    tags = [tag for tag in tags if tag["name"] != "main"]
    tags.sort(key=lambda tag: hashlib.sha256(f"{tag['name']} {tag['path']}".encode()).hexdigest())
    return [(tag["name"], tag["path"], tag["line"]) for tag in tags[:count]]


def main(portolan, repository, commands, count="40", folder=""):
    root = os.path.realpath(repository)
    compiled = {os.path.realpath(os.path.join(it["directory"], it["file"]))
                for it in json.load(open(os.path.join(commands, "compile_commands.json")))}
    functions = [it for it in drawn(root, folder, 10 * int(count)) if it[1] in compiled]
    clangd = Clangd(root, commands)
    clangd.open(functions[0][1])
    clangd.wait(900)
    wanted = found = certain = right = outside = possible = empty = expanded = 0
    judged = 0
    for name, path, line in functions:
        if judged == int(count):
            break
        if path not in clangd.opened:
            clangd.open(path)
        if is_inactive(clangd, root, (os.path.relpath(path, root), line)):
            continue
        judged += 1
        text = open(path, errors="replace").read().split("\n")[line - 1]
        at = {"line": line - 1, "character": max(text.find(name), 0)}
        place = {"textDocument": {"uri": f"file://{path}"}, "position": at}
        answer = clangd.ask("textDocument/references", {**place, "context": {"includeDeclaration": False}}) or []
        whole = clangd.ask("textDocument/references", {**place, "context": {"includeDeclaration": True}}) or []
        lines = lambda rows: {(os.path.relpath(it["uri"][7:], root), it["range"]["start"]["line"] + 1) for it in rows}
        inside = {it for it in lines(answer) if not it[0].startswith("..")}
        # Where a macro expands to the name, the line does not have it.
        truth = {it for it in inside if is_written(root, name, it)}
        expanded += len(inside) - len(truth)
        known = lines(whole)
        target = f"{os.path.relpath(path, root)}#{name}"
        run = subprocess.run([portolan, "-C", root, "look", target, "--format", "json", "--budget", "900k"], capture_output=True, text=True)
        users = json.loads(run.stdout)["result"]["looks"][0]["users"]
        sure = {(it["file"], it["line"]) for it in users if not {"likely", "possible"} & set(it["marks"])}
        maybe = {(it["file"], it["line"]) for it in users} - sure
        wanted += len(truth)
        found += len(truth & (sure | maybe))
        possible += len(maybe)
        empty += not truth
        for missed in sorted(truth - sure - maybe):
            print("missed", name, *missed)
        for use in sorted(sure - known):
            if os.path.join(root, use[0]) not in compiled and not use[0].endswith(".h") or is_inactive(clangd, root, use):
                outside += 1
                sure.discard(use)
            else:
                print("wrong", name, *use)
        certain += len(sure)
        right += len(sure & known)
    clangd.process.terminate()
    print(f"{judged} functions, {empty} without uses; {wanted} lines; certain or possible {found}/{wanted} = {100 * found / max(wanted, 1):.2f} %; "
          f"certain: precision {right}/{certain} = {100 * right / max(certain, 1):.2f} %, recall {right / max(wanted, 1) * 100:.2f} %; "
          f"{possible} possible; {expanded} lines where a macro stands for the name; {outside} certain lines that clangd does not compile")


def is_written(root, name, use):
    lines = open(os.path.join(root, use[0]), errors="replace").read().split("\n")
    return re.search(rf"\b{re.escape(name)}\b", lines[use[1] - 1]) is not None


def is_inactive(clangd, root, use):
    """Whether a line is switched off where clangd compiles it: it marks such lines as comments."""
    path = os.path.join(root, use[0])
    if path not in clangd.inactive:
        if path not in clangd.opened:
            clangd.open(path)
        answer = clangd.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": f"file://{path}"}}) or {"data": []}
        data, line, off = answer["data"], 0, set()
        for at in range(0, len(data), 5):
            line += data[at]
            if clangd.types[data[at + 3]] == "comment":
                off.add(line + 1)
        clangd.inactive[path] = off
    return use[1] in clangd.inactive[path]


if __name__ == "__main__":
    main(*sys.argv[1:])
