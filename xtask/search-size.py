#!/usr/bin/env python3
"""search-size.py PORTOLAN CLONES [COUNT]: bytes of `portolan search -w` against `rg -nw`, for random identifiers.

CLONES holds six or more repositories; COUNT identifiers (default 200) that stand on 4 to 200 lines are drawn from the first
six of the list below, the same ones each time. An answer counts as a whole: first line, names, ranges and the next call.
Prints the ratio in the median, at the ninth decile and at most, by number of hits, and how many hits in code have a text."""
import collections, pathlib, random, re, statistics, subprocess, sys
REPOSITORIES = ["django+django", "calcom+cal.com", "vuejs+core", "BurntSushi+ripgrep", "spf13+cobra", "pytest-dev+pytest"]
portolan, clones = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
count = int(sys.argv[3]) if len(sys.argv) > 3 else 200
RG = ["rg", "--no-config", "--no-heading", "--hidden", "-g", "!.git"]
random.seed(7)

def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True).stdout

def identifiers(folder):
    """Identifiers of code that stand on 4 to 200 lines."""
    types = ["-tpy", "-tts", "-tjs", "-trust", "-tgo"]
    words = run(RG + types + ["-o", "-I", "-N", r"\b[A-Za-z_][A-Za-z0-9_]{3,}\b"], folder).decode("utf-8", "replace")
    counts = collections.Counter(words.split("\n"))
    return sorted(word for word, number in counts.items() if 4 <= number <= 300 and word)

rows = []
for name in REPOSITORIES:
    folder = clones / name
    words = identifiers(folder)
    random.shuffle(words)
    wanted = count // len(REPOSITORIES) + (REPOSITORIES.index(name) < count % len(REPOSITORIES))
    for word in words:
        if wanted == 0:
            break
        theirs = run(RG + ["-nw", "--", word], folder)
        hits = theirs.count(b"\n")
        if not 4 <= hits <= 200:
            continue
        wanted -= 1
        ours = run([portolan, "search", "-w", "-e", word], folder)
        text = ours.decode("utf-8", "replace").split("\n", 1)[-1]
        with_text = len(re.findall(r"(?m)(?:^|: ) *\d[\d -]* [^\d\s·-]", text))
        rows.append((len(ours) / len(theirs), hits, name, word, with_text, len(ours), len(theirs)))
ratios = sorted(row[0] for row in rows)
print(f"{len(rows)} identifiers: median {statistics.median(ratios):.2f}, ninth decile {ratios[len(ratios) * 9 // 10]:.2f}, "
      f"at most {ratios[-1]:.2f}, above 1: {sum(ratio > 1 for ratio in ratios)}")
for low, high in ((4, 9), (10, 40), (41, 200)):
    some = [row for row in rows if low <= row[1] <= high]
    if some:
        print(f"  {low}-{high} lines ({len(some)}): median {statistics.median(row[0] for row in some):.2f}, "
              f"texts for a hit {sum(row[4] for row in some) / sum(row[1] for row in some):.2f}")
for name in REPOSITORIES:
    some = [row[0] for row in rows if row[2] == name]
    if some:
        print(f"  {name}: median {statistics.median(some):.2f}, at most {max(some):.2f}")
for row in sorted(rows, reverse=True)[:5]:
    print(f"  longest: {row[2]} {row[3]} {row[5]} of {row[6]} bytes, {row[1]} lines")
