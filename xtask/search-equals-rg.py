#!/usr/bin/env python3
"""search-equals-rg.py PORTOLAN COUNT REPOSITORY…: whether `portolan search --plain` has the lines of `rg -n`.

COUNT random patterns are asked of each repository: words of its files as they are, whole words, in any case, as the start of a
longer word, two words as alternatives, and a word at the start of a line. Compared are path and number of every line, in files that both
search: links to files are searched here and not by rg, and so are files that git tracks and ignores; files that the guard keeps back are
searched by rg alone. Exits 1 where one differs."""
import pathlib, random, re, subprocess, sys

portolan, count, repositories = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def run(command, place):
    done = subprocess.run(command, cwd=place, capture_output=True)
    if done.returncode > 1:
        sys.exit(f"{command}: {done.stderr.decode(errors='replace')[:400]}")
    return done.stdout


def places(output):
    """Path and number of each line."""
    found = set()
    for line in output.split(b"\n"):
        parts = line.split(b":", 2)
        if len(parts) == 3 and parts[1].isdigit():
            found.add((parts[0].removeprefix(b"./"), int(parts[1])))
    return found


def pattern(words):
    word = re.escape(random.choice(words))
    kind = random.randrange(6)
    if kind == 0:
        return [word]
    if kind == 1:
        return ["-w", word]
    if kind == 2:
        return ["-i", word]
    if kind == 3:
        return [word + r"\w+"]
    if kind == 4:
        return [f"{word}|{re.escape(random.choice(words))}"]
    return [rf"^\s*{word}\b"]


def is_kept_back(repository, path):
    """Whether nothing of a file is shown."""
    return not run([portolan, "search", "--plain", "-e", ".", path.decode()], repository)


failed = 0
for repository in repositories:
    random.seed(repository.rstrip("/").rsplit("/", 1)[-1])
    files = run(["git", "ls-files", "-z"], repository).split(b"\0")
    tracked = set(run(["git", "ls-files", "-ciz", "--exclude-standard"], repository).split(b"\0"))
    texts = []
    for name in random.sample(files, min(400, len(files))):
        path = pathlib.Path(repository) / name.decode(errors="replace")
        if path.is_file() and not path.is_symlink():
            texts.append(path.read_bytes()[:60_000].decode(errors="ignore"))
    words = sorted({word for text in texts for word in re.findall(r"[A-Za-z_][A-Za-z0-9_]{2,}", text)})
    for _ in range(count):
        asked = pattern(words)
        ours = places(run([portolan, "search", "--plain", *asked[:-1], "-e", asked[-1]], repository))
        theirs = places(run(["rg", "-n", "--no-heading", "--hidden", "-g", "!.git", *asked[:-1], "-e", asked[-1], "."], repository))
        ours = {it for it in ours if it[0] not in tracked and not (pathlib.Path(repository) / it[0].decode()).is_symlink()}
        kept_back = {path for path in {it[0] for it in theirs - ours} if is_kept_back(repository, path)}
        theirs = {it for it in theirs if it[0] not in kept_back}
        if ours != theirs:
            failed += 1
            print(f"{repository} {asked}: {len(ours)} here, {len(theirs)} by rg;", "missing", sorted(theirs - ours)[:3], "more", sorted(ours - theirs)[:3])
    print(f"{repository}: {count} patterns", flush=True)
print(f"{failed} differ")
sys.exit(failed > 0)
