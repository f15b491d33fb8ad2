#!/usr/bin/env python3
"""locate.py TASKS.json MIRRORS WORK [--step N] [--repo PART] [--misses] NAME='COMMAND' [NAME='COMMAND' …]

How well commands find what a real issue changed, all commands on the same trees. TASKS.json is SWE-bench Lite as
swebench-locate.py unpacks it (`swe_lite.json`: instance_id, repo, base_commit, problem_statement, golden_patch). MIRRORS has
git directories owner+name or owner+name/repo; WORK keeps one work tree for each project, in which the base commits are
checked out one after the other. A COMMAND runs there with the text on standard input and prints places as JSON, e.g.

    locate.py swe_lite.json .mirror work 'portolan=portolan search --task - --format json' 'bm25=python3 bm25-locate.py'

A task counts at k when all files (functions) that the patch changed are among the first k files (places). The last lines
are the table of docs/search.md; before them stands one for each project. With --misses the tasks whose file is not among
the first five are listed."""
import ast, collections, json, pathlib, re, shlex, subprocess, sys, time

FILES, FUNCTIONS = (1, 3, 5, 10), (1, 5, 10)


def changed_lines(patch):
    """Old lines that a patch touches in each Python file; of an insertion the line before it."""
    touched, path, line = collections.defaultdict(set), None, 0
    for text in patch.split("\n"):
        if found := re.match(r"--- a/(.*)", text):
            path = found[1]
        elif text.startswith(("+++", "diff ", "index ")):
            continue
        elif found := re.match(r"@@ -(\d+)", text):
            line = int(found[1])
        elif path and text[:1] == "-":
            touched[path].add(line)
            line += 1
        elif path and text[:1] == "+":
            touched[path].add(max(1, line - 1))
        elif path and text[:1] == " ":
            line += 1
    return {path: lines for path, lines in touched.items() if path.endswith(".py")}


def functions(text):
    """The first and last lines of all functions."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    each = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return [(min([node.lineno] + [it.lineno for it in node.decorator_list]), node.end_lineno) for node in each]


def wanted_functions(tree, wanted):
    """The innermost functions around the changed lines."""
    found = set()
    for path, lines in wanted.items():
        spans = functions((tree / path).read_text(errors="replace"))
        for line in lines:
            around = [span for span in spans if span[0] <= line <= span[1]]
            if around:
                found.add((path, min(around, key=lambda span: span[1] - span[0])))
    return found


def is_it(place, path, span):
    """Whether a place is a function: it overlaps it, and is not much larger."""
    first, last = place["lines"][:2]
    overlaps = span[0] <= last and first <= span[1]
    return place["path"] == path and overlaps and last - first <= 3 * (span[1] - span[0]) + 20


def checked_out(mirrors, work, task):
    """The work tree at the task's base commit; None if there is no such commit here."""
    name = task["repo"].replace("/", "+")
    mirror = next((it for it in (mirrors / name / "repo", mirrors / name) if (it / "HEAD").exists()), None)
    if not mirror:
        return None
    tree = work / name
    if not tree.exists():
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", mirror, tree], check=True)
    git = ["git", "-C", tree]
    base = task["base_commit"]
    run = lambda *step: subprocess.run([*git, *step], capture_output=True).returncode == 0
    if not run("checkout", "-qf", base):
        # A mirror may lack its largest files: everything else is checked out.
        if not run("update-ref", "--no-deref", "HEAD", base) or not run("read-tree", base):
            return None
        run("checkout-index", "-faq")
    run("clean", "-qfdx")
    return tree


def answer(command, tree, text):
    """The places that a command prints, and how long it took."""
    start = time.monotonic()
    done = subprocess.run(shlex.split(command), cwd=tree, input=text, capture_output=True, text=True)
    took = time.monotonic() - start
    try:
        told = json.loads(done.stdout)
    except ValueError:
        return [], took
    told = told.get("result", told) if isinstance(told, dict) else told
    return (told if isinstance(told, list) else told["places"]), took


def row(name, score):
    """A row of the table."""
    tasks, with_functions = score["tasks"], score["with functions"]
    share = lambda kind, k, of: f"{100 * score[kind, k] / of:.1f}" if of else "-"
    cells = [share("file", k, tasks) for k in FILES] + [share("function", k, with_functions) for k in FUNCTIONS]
    return f"| {name} | {tasks} | {' | '.join(cells)} | {score['time'] / max(1, tasks):.2f} |"


def main():
    words = sys.argv[1:]
    options = {"--step": "1", "--repo": ""}
    for option in options:
        if option in words:
            at = words.index(option)
            options[option] = words[at + 1]
            del words[at : at + 2]
    tells_misses = "--misses" in words
    words = [word for word in words if word != "--misses"]
    data, mirrors, work, commands = words[0], pathlib.Path(words[1]), pathlib.Path(words[2]), words[3:]
    work.mkdir(parents=True, exist_ok=True)
    tasks = sorted(json.load(open(data)), key=lambda task: task["instance_id"])
    tasks = [task for task in tasks if options["--repo"] in task["repo"]][:: int(options["--step"])]
    scores = collections.defaultdict(collections.Counter)
    for task in tasks:
        tree = checked_out(mirrors, work, task)
        wanted = changed_lines(task.get("golden_patch") or task["patch"]) if tree else {}
        wanted = {path: lines for path, lines in wanted.items() if (tree / path).is_file()}
        if not wanted:
            print(f"left out: {task['instance_id']}", file=sys.stderr)
            continue
        spans = wanted_functions(tree, wanted)
        for word in commands:
            name, command = word.split("=", 1)
            places, took = answer(command, tree, task["problem_statement"])
            files = list(dict.fromkeys(place["path"] for place in places))
            for score in (scores[name, task["repo"]], scores[name, "all"]):
                score["tasks"] += 1
                score["time"] += took
                score["with functions"] += bool(spans)
                for k in FILES:
                    score["file", k] += all(path in files[:k] for path in wanted)
                for k in FUNCTIONS if spans else ():
                    score["function", k] += all(any(is_it(it, *span) for it in places[:k]) for span in spans)
            if tells_misses and not all(path in files[:5] for path in wanted):
                print(name, task["instance_id"], "wanted", *wanted, "got", *files[:5])
    print(f"| % | tasks | {' | '.join(f'file @{k}' for k in FILES)} | {' | '.join(f'function @{k}' for k in FUNCTIONS)} | s |")
    print("| --- |" + " ---: |" * (2 + len(FILES) + len(FUNCTIONS)))
    for name, repo in sorted(scores, key=lambda it: (it[1] == "all", it[1], it[0])):
        print(row(f"{name}, {repo}", scores[name, repo]))


main()
