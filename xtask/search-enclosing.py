#!/usr/bin/env python3
"""search-enclosing.py PORTOLAN COUNT REPOSITORY…: whether hits stand below the right declaration, judged by Python's own parser.

Every line with a letter in random Python files of the repositories is asked for, until COUNT hits of each were compared: the
innermost function or class around the line, by full name and by its lines, against `ast`. Values are declarations here and not
there; their holder counts. Prints the share that is right, and the first ones that are not."""
import ast, json, pathlib, random, subprocess, sys

portolan, count, repositories = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
CODE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
HOLDERS = {"function", "method", "class", "constructor", "getter", "setter"}


def spans(text):
    found = []

    def walk(node, before):
        for child in ast.iter_child_nodes(node):
            name = before
            if isinstance(child, CODE):
                name = [*before, child.name]
                first = min([child.lineno] + [it.lineno for it in child.decorator_list])
                found.append((first, child.end_lineno, ".".join(name)))
            walk(child, name)

    walk(ast.parse(text), [])
    return found


def innermost(found, line):
    around = [span for span in found if span[0] <= line <= span[1]]
    return min(around, key=lambda span: span[1] - span[0], default=None)


right = wrong = 0
for repository in repositories:
    random.seed(1)
    files = sorted(str(path.relative_to(repository)) for path in pathlib.Path(repository).rglob("*.py"))
    random.shuffle(files)
    compared = 0
    for name in files:
        if compared >= count:
            break
        try:
            text = (pathlib.Path(repository) / name).read_text()
            found = spans(text)
        except (SyntaxError, ValueError, OSError):
            continue
        done = subprocess.run([portolan, "search", "--format", "json", "-e", "[a-z]", name], cwd=repository, capture_output=True)
        if done.returncode:
            continue
        for file in json.loads(done.stdout)["result"].get("files", []):
            for group in file["groups"]:
                for hit in group["hits"]:
                    if compared >= count:
                        break
                    compared += 1
                    line, expected = hit["line"], innermost(found, hit["line"])
                    ours, lines = group.get("name") or "", group.get("lines")
                    if group.get("kind") in HOLDERS:
                        is_right = expected is not None and ours == expected[2] and lines == [expected[0], expected[1]]
                    else:
                        holder = ours.rpartition(".")[0]
                        is_right = holder == (expected[2] if expected else "")
                    right, wrong = right + is_right, wrong + (not is_right)
                    if not is_right and wrong <= 10:
                        print(f"{repository}/{name}:{line}: {group.get('kind')} {ours} {lines}, by ast {expected}")
print(f"{right} of {right + wrong} right, {100 * right / max(1, right + wrong):.2f} %")
