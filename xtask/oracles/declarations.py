#!/usr/bin/env python3
"""Compares names and ranges of declarations with other tools.

    declarations.py EXAMPLE LANGUAGE REPOSITORY [FOLDER]

EXAMPLE is the built example `declarations` of portolan-languages. LANGUAGE is ruby (judged by RubyVM's syntax tree), php (by
PHP's tokenizer), c, cpp, csharp, go, java, lua, scala or shell (by universal-ctags). A declaration is found if its name is on
the same line; its range is right if it ends on the same line.
"""

import collections
import json
import os
import re
import subprocess
import sys

RUBY = r"""
def walk(node, file, out)
  return unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)
  case node.type
  when :DEFN then out << [file, node.children[0].to_s, node.first_lineno, node.last_lineno]
  when :DEFS then out << [file, node.children[1].to_s, node.first_lineno, node.last_lineno]
  when :CLASS, :MODULE
    name = node.children[0].children.last.to_s
    out << [file, name, node.first_lineno, node.last_lineno]
  end
  node.children.each { |child| walk(child, file, out) }
end
STDIN.each_line(chomp: true) do |file|
  out = []
  begin
    walk(RubyVM::AbstractSyntaxTree.parse(File.read(file)), file, out)
  rescue SyntaxError, ArgumentError
    next
  end
  puts "#{file}\t\t\t"
  out.each { |row| puts row.join("\t") }
end
"""

PHP = r"""<?php
while (($file = fgets(STDIN)) !== false) {
    $file = rtrim($file, "\n");
    try { $tokens = PhpToken::tokenize(file_get_contents($file), TOKEN_PARSE); } catch (Throwable $e) { continue; }
    echo "$file\t\t\t\n";
    $tokens = array_values(array_filter($tokens, fn ($t) => !$t->isIgnorable()));
    $open = []; $depth = 0; $count = count($tokens);
    for ($i = 0; $i < $count; $i++) {
        $t = $tokens[$i];
        if ($t->is(['{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES])) { $depth++; }
        if ($t->is('}')) {
            $depth--;
            if ($open && end($open)[2] === $depth) { [$n, $l] = array_pop($open); echo "$file\t$n\t$l\t{$t->line}\n"; }
        }
        $isNew = $i > 0 && $tokens[$i - 1]->is([T_NEW, T_DOUBLE_COLON, T_OBJECT_OPERATOR, T_USE]);
        if ($t->is([T_FUNCTION, T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM]) && !$isNew) {
            $j = $i + 1;
            if ($tokens[$j]->text === '&') { $j++; }
            $name = $tokens[$j];
            if ($name->text === '(' || $name->text === '{' || $name->is([T_EXTENDS, T_IMPLEMENTS])) { continue; }
            if (!preg_match('/^[A-Za-z_\x80-\xff][\w\x80-\xff]*$/', $name->text)) { continue; }
            $round = 0;
            for ($k = $j + 1; $k < $count; $k++) {
                $round += $tokens[$k]->text === '(' ? 1 : ($tokens[$k]->text === ')' ? -1 : 0);
                if ($round === 0 && $tokens[$k]->text === '{') { $open[] = [$name->text, $name->line, $depth]; break; }
                if ($round === 0 && $tokens[$k]->text === ';') { echo "$file\t{$name->text}\t{$name->line}\t{$tokens[$k]->line}\n"; break; }
            }
        }
    }
}
"""

CTAGS = {
    "c": ("C", "fsugt"), "cpp": ("C++", "fcsug"), "csharp": ("C#", "mcisg"), "go": ("Go", "f"),
    "java": ("Java", "mcig"), "lua": ("Lua", "f"), "scala": ("Scala", "mcto"), "shell": ("Sh", "f"),
}
ENDINGS = {
    "ruby": (".rb",), "php": (".php",), "c": (".c", ".h"), "cpp": (".cc", ".cpp", ".hpp", ".h"), "csharp": (".cs",),
    "go": (".go",), "java": (".java",), "lua": (".lua",), "scala": (".scala",), "shell": (".sh",),
}


def by_program(words, source, files):
    run = subprocess.run(words, input="\n".join(files) + "\n", capture_output=True, text=True, errors="replace")
    if run.returncode:
        sys.exit(run.stderr[:400])
    return [line.split("\t") for line in run.stdout.splitlines() if line.count("\t") == 3]


def truth_of(language, files):
    """Rows of file, name, line of the name, last line; a row without a name says that the file was read."""
    if language == "ruby":
        return by_program(["ruby", "-W0", "-e", RUBY], RUBY, files)
    if language == "php":
        with open("/tmp/portolan-oracle.php", "w") as script:
            script.write(PHP)
        return by_program(["php", "-d", "error_reporting=0", "/tmp/portolan-oracle.php"], PHP, files)
    name, kinds = CTAGS[language]
    words = ["ctags", "--output-format=json", "--fields=+ne", f"--languages={name}", f"--kinds-{name}={kinds}",
             f"--langmap={name}:" + "".join(ENDINGS[language]), "-L", "-", "-f", "-"]
    run = subprocess.run(words, input="\n".join(files), capture_output=True, text=True, errors="replace")
    rows = [[file, "", "", ""] for file in files]
    for line in run.stdout.splitlines():
        tag = json.loads(line)
        if not tag["name"].startswith("__anon"):
            rows.append([tag["path"], tag["name"], tag["line"], tag.get("end", 0)])
    return rows


def plain(name):
    """A name without its owner and without spaces: tools write operators and interfaces in several ways."""
    name = name.removeprefix("~").replace(" ", "")
    return name if name.startswith("operator") else name.rsplit(".", 1)[-1]


def main(example, language, repository, folder=""):
    listed = subprocess.run(["git", "-C", repository, "ls-files", folder or "."], capture_output=True, text=True).stdout
    files = [os.path.join(repository, path) for path in listed.splitlines() if path.endswith(ENDINGS[language])]
    files = [path for path in files if os.path.isfile(path) and not os.path.islink(path)]
    truth = truth_of(language, files)
    run = subprocess.run([example], input="\n".join(files), capture_output=True, text=True, errors="replace")
    ours = collections.defaultdict(set)
    for line in run.stdout.splitlines():
        path, _, name, first, at, last = line.split("\t")
        operator = re.search(r"(?:^|\.)(operator\b.*)", name)
        own = operator.group(1) if operator else name.rsplit(".", 1)[-1]
        ours[path, plain(own)].add((int(first), int(at), int(last)))
    names = ranges = ended = 0
    missed, wrong = [], []
    rows = [row for row in truth if row[1]]
    for path, name, line, end in rows:
        line, end = int(line), int(end)
        name = plain(name)
        found = [it for it in ours[path, name] if it[1] == line or it[0] <= line <= it[1]]
        names += bool(found)
        if not found:
            missed.append(f"missed {path}:{line} {name}")
        elif end:
            ended += 1
            is_right = any(last == end for _, _, last in found)
            ranges += is_right
            if not is_right:
                wrong.append(f"range {path}:{line}-{end} {name} {found}")
    shown = int(os.environ.get("SHOWN", "8"))
    print("\n".join(missed[:: max(1, len(missed) // shown)][:shown] + wrong[:: max(1, len(wrong) // shown)][:shown]))
    print(f"{language} {os.path.basename(repository)}: {len(files)} files; names {names}/{len(rows)} = "
          f"{100 * names / max(len(rows), 1):.2f} %; ranges {ranges}/{ended} = {100 * ranges / max(ended, 1):.2f} %")


if __name__ == "__main__":
    main(*sys.argv[1:])
