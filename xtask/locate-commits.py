#!/usr/bin/env python3
"""locate-commits.py TASKS.jsonl MIRRORS WORK PORTOLAN [--most N] [--repo PART]: commit messages as tasks, against plain file BM25.

TASKS.jsonl has repo, base, commit and files of real commits. A task counts at k when one of the changed
files is among the first k files. Both commands see the same tree; BM25 takes code files that are no tests, title words three times. Prints a
row for each repository."""
import collections, json, math, pathlib, re, subprocess, sys

words = sys.argv[1:]
options = {"--most": "25", "--repo": ""}
for option in options:
    if option in words:
        at = words.index(option)
        options[option] = words[at + 1]
        del words[at : at + 2]
tasks, mirrors, work, portolan = words[0], pathlib.Path(words[1]), pathlib.Path(words[2]), words[3]
CODE = (".py", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".vue", ".go", ".rs", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".rb", ".php", ".cs", ".swift")
TEST = re.compile(r"(^|/)(tests?|testing|testdata|__tests__|specs?|e2e|docs?|examples?|benchmarks?|bench|benches|fixtures?)/|(^|/)test_|[._-](test|spec)s?\.|Tests?\.(java|kt)$|conftest")
STOP = set("the a an and or of to in is it for on with as by this that be are from at i we you not if when which was have has but can do does will would should there here so no my using use used get set".split())


def terms(text):
    found = []
    for word in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text):
        parts = [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", word)]
        found += [part for part in parts if len(part) > 1 and part not in STOP]
        if len(parts) > 1:
            found.append(word.lower())
    return found


def bm25(tree, text, cache):
    title = text.strip().split("\n")[0]
    asked = collections.Counter(terms(title) * 3 + terms(text))
    listed = subprocess.run(["git", "-C", tree, "ls-files", "-s"], capture_output=True, text=True).stdout.splitlines()
    files, documents = [], []
    for row in listed:
        meta, path = row.split("\t", 1)
        if not path.endswith(CODE) or TEST.search(path) or meta.startswith(("120000", "160000")):
            continue
        key = (meta.split()[1], path)
        if key not in cache:
            try:
                body = (tree / path).read_text(errors="replace")
            except OSError:
                continue
            cache[key] = collections.Counter(terms(path.rsplit(".", 1)[0].replace("/", " ")) * 3 + terms(body[: 2 << 20]))
        files.append(path)
        documents.append(cache[key])
    lengths = [sum(document.values()) for document in documents]
    mean = sum(lengths) / max(1, len(lengths))
    scores = [0.0] * len(files)
    for word, count in asked.items():
        having = [i for i, document in enumerate(documents) if word in document]
        rarity = math.log(1 + (len(files) - len(having) + 0.5) / (len(having) + 0.5))
        for i in having:
            often = documents[i][word]
            scores[i] += min(count, 4) * rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * lengths[i] / mean))
    return [files[i] for i in sorted(range(len(files)), key=lambda i: (-scores[i], i))[:10]]


print("| repository | tasks | portolan @1 | @3 | BM25 @1 | @3 |\n| --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
by_repository = collections.defaultdict(list)
for line in open(tasks):
    task = json.loads(line)
    by_repository[task["repo"]].append(task)
for repo, all_tasks in sorted(by_repository.items()):
    name = repo.replace("/", "+")
    mirror = next((it for it in (mirrors / name / "repo", mirrors / name) if (it / "HEAD").exists()), None)
    if options["--repo"] not in repo or not mirror:
        continue
    step = max(1, len(all_tasks) // int(options["--most"]))
    tree, cache, score = work / name, {}, collections.Counter()
    if not tree.exists():
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", mirror, tree], check=True)
    for task in all_tasks[::step][: int(options["--most"])]:
        git = ["git", "-C", tree]
        if subprocess.run(git + ["checkout", "-qf", task["base"]], capture_output=True).returncode:
            # A mirror may lack its largest files: everything else is checked out.
            steps = (["update-ref", "--no-deref", "HEAD", task["base"]], ["read-tree", task["base"]], ["checkout-index", "-faq"], ["clean", "-qfdx"])
            if any(subprocess.run(git + step, capture_output=True).returncode for step in steps[:2]):
                continue
            for step in steps[2:]:
                subprocess.run(git + step, capture_output=True)
        text = subprocess.run(git + ["log", "-1", "--format=%B", task["commit"]], capture_output=True, text=True).stdout
        wanted = set(task["files"])
        if not text:
            continue
        done = subprocess.run([portolan, "search", "--task", "-", "--format", "json"], cwd=tree, input=text, capture_output=True, text=True)
        try:
            places = json.loads(done.stdout)["result"]["places"]
        except (ValueError, KeyError):
            places = []
        ours = list(dict.fromkeys(place["path"] for place in places))
        theirs = bm25(tree, text, cache)
        score["tasks"] += 1
        for k in (1, 3):
            score["ours", k] += bool(wanted & set(ours[:k]))
            score["theirs", k] += bool(wanted & set(theirs[:k]))
    share = lambda key: f"{100 * score[key] / max(1, score['tasks']):.0f}"
    print(f"| {repo} | {score['tasks']} | {share(('ours', 1))} | {share(('ours', 3))} | {share(('theirs', 1))} | {share(('theirs', 3))} |", flush=True)
