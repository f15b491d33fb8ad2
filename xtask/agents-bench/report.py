#!/usr/bin/env python3
"""report.py OUT…: a Markdown table of runs, a row each, and the ratios of the pairs.

"Until the first test" are the calls before the first one that runs the tests; for a question, all calls. Reading is what a
call of portolan or of a program such as grep, sed or cat showed in the whole run, tests left out; its share is by bytes.
"""
import json
import pathlib
import re
import statistics
import sys

import bench

READERS = {"grep", "egrep", "rg", "sed", "cat", "head", "tail", "awk", "find", "ls", "git", "nl", "less", "tree", "wc", "fd", "ag"}
WORD = re.compile(r"(?:^|[|;&(]|\b(?:then|do|xargs)\b)\s*(?:[A-Z_]+=\S*\s+)*(?:nice\s+|time\s+)?([\w./-]+)")


def programs(command):
    """The names of the programs that a command line starts."""
    return {match.rsplit("/", 1)[-1] for match in WORD.findall(command)}


def reader(command):
    """By what a command reads: `portolan`, `plain`, or nothing."""
    named = programs(command)
    if "portolan" in named:
        return "portolan"
    return "plain" if named & READERS else None


def row(run):
    record = json.loads((run / "run.json").read_text())
    task = bench.tasks()[record["task"]]
    log = run / "log.tsv"
    if not log.exists():
        sys.exit(f"{run}: there is no log.tsv, so nothing is known of this run; leave it out")
    calls = [line.split("\t") for line in log.read_text().splitlines()]
    tested = [number for number, call in enumerate(calls) if any(word in call[2] for word in task.get("test_words", []))]
    first = len(calls) if task["kind"] == "question" else next(iter(tested), len(calls))
    before = calls[:first]
    others = [call for number, call in enumerate(calls) if number not in tested]
    read = {kind: sum(int(call[1]) for call in others if reader(call[2]) == kind) for kind in ("portolan", "plain")}
    verdict = run / "judge.json"
    verdict = json.loads(verdict.read_text()) if verdict.exists() else {}
    return {
        "task": record["task"],
        "arm": record["arm"],
        "name": run.name,
        "kind": task["kind"],
        "bytes": sum(int(call[1]) for call in before),
        "calls": first,
        "all_bytes": sum(int(call[1]) for call in calls),
        "all_calls": len(calls),
        "share": read["portolan"] / sum(read.values()) if sum(read.values()) else None,
        "verdict": verdict,
    }


def solved(verdict):
    if "recall" in verdict:
        return f"recall {verdict['recall']:.2f}, precision {verdict['precision']:.2f}"
    return {True: "yes", False: "**no**", None: "not judged"}[verdict.get("solved")]


def ratios(rows, key):
    """With by without, for each task that has runs of both arms; several runs of an arm count by their median."""
    found = {}
    for task in dict.fromkeys(row["task"] for row in rows):
        arms = {arm: [row[key] for row in rows if row["task"] == task and row["arm"] == arm] for arm in ("with", "without")}
        if arms["with"] and arms["without"] and statistics.median(arms["without"]):
            found[task] = statistics.median(arms["with"]) / statistics.median(arms["without"])
    return found


def main():
    rows = [row(pathlib.Path(word).resolve()) for word in sys.argv[1:]]
    print("| run | arm | bytes until the first test | calls until then | bytes in all | calls in all | read by portolan | solved |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |")
    for item in rows:
        share = "" if item["share"] is None or item["arm"] == "without" else f"{item['share']:.0%}"
        print(
            f"| {item['name']} | {item['arm']} | {item['bytes']:,} | {item['calls']} | {item['all_bytes']:,} "
            f"| {item['all_calls']} | {share} | {solved(item['verdict'])} |"
        )
    for kind in ("fix", "question"):
        chosen = [item for item in rows if item["kind"] == kind]
        for key in ("bytes", "calls"):
            found = ratios(chosen, key)
            if found:
                worst = max(found, key=found.get)
                print(
                    f"\n{kind}, {key}, with / without: median {statistics.median(found.values()):.2f} of {len(found)} pairs, "
                    f"largest {found[worst]:.2f} ({worst})"
                )


if __name__ == "__main__":
    main()
