#!/usr/bin/env python3
"""users-recall.py BINARY TRUTH CLONES [--repo NAME] [--misses] [--rows FILE]: how right `portolan look TARGET --side users` is, by class of use.

TRUTH has <repo>.json.gz: declarations with the lines that a language server says use them (made by an oracle of its own; see docs/uses.md).
CLONES has the work trees, by the name of the repository or as owner+name, at the commit of the truth: one at another commit is an error. A line
counts once. Lines that only import, pass on, declare or document count neither way. Printed for each repository and each language:

  recall     of lines, certain and possible ones together
  certain    precision of certain lines; then their recall among uses that name the declaration itself
  precision  of certain and possible ones together, the mean over declarations
  none       answers without a use that are wrong, of all that have none
  tokens     median and 90th percentile, as bytes divided by four
  CPU        median of the seconds of processor time of a call (user and system); the first call of a repository fills the cache
"""
import argparse, gzip, json, pathlib, resource, subprocess, sys
from collections import defaultdict


def ask(binary, root, target, *more):
    """What it says, and the processor time that this took."""
    call = [binary, '-C', str(root), 'look', target, '--side', 'users', *more]
    spent = lambda it: it.ru_utime + it.ru_stime
    before = spent(resource.getrusage(resource.RUSAGE_CHILDREN))
    done = subprocess.run(call, capture_output=True, text=True)
    return done.stdout, spent(resource.getrusage(resource.RUSAGE_CHILDREN)) - before


def clone_of(truth, clones):
    """The work tree of a repository, at the commit that the truth is of."""
    for folder in sorted(pathlib.Path(clones).iterdir()):
        if folder.name.split('+')[-1] not in (truth['repo'], NAMES.get(truth['repo'])):
            continue
        head = subprocess.run(['git', '-C', str(folder), 'rev-parse', 'HEAD'], capture_output=True, text=True).stdout.strip()
        if head == truth['commit']:
            return folder
    return None


# Where the truth calls a repository by another name than its owner does.
NAMES = {'calcom': 'cal.com', 'vue': 'core'}


def score(binary, root, truth, asked):
    """The figures of one declaration."""
    at = lambda ref: (truth['files'][ref[0]], ref[1])
    own = {at(ref) for ref in asked['refs'] if ref[2] == 'self'} | {(asked['file'], asked['line'])}
    uses = {at(ref) for ref in asked['refs'] if ref[2] == 'use'} - own
    direct = {at(ref) for ref in asked['refs'] if ref[2] == 'use' and ref[4]} - own
    idle = ({at(ref) for ref in asked['refs']} | own) - uses
    text, seconds = ask(binary, root, asked['target'])
    answer, _ = ask(binary, root, asked['target'], '--format', 'json')
    found = json.loads(answer)['result']['looks'][0]['users'] or []
    endings, outside = tuple('.' + it for it in truth['extensions']), tuple(truth.get('outside') or [])
    counts = lambda place: place not in idle and place[0].endswith(endings) and not place[0].startswith(outside)
    said = {(it['file'], it['line']): 'likely' not in it['marks'] for it in found if it.get('line')}
    is_none = not said
    said = {place: certain for place, certain in said.items() if counts(place)}
    certain = {place for place, it in said.items() if it}
    return dict(
        target=asked['target'], uses=len(uses), hit=len(uses & set(said)), said=len(said), certain=len(certain),
        wrong=len(certain - uses), direct=len(direct), known=len(direct & certain), none=is_none, none_wrong=is_none and bool(uses),
        tokens=len(text.encode()) // 4, seconds=seconds, extra=sorted(set(said) - uses), missed=sorted(uses - set(said)), doubted=sorted(direct - certain), mistaken=sorted(certain - uses))


def show(name, rows):
    total = lambda key: sum(row[key] for row in rows)
    share = lambda part, whole: f'{100 * part / whole:6.1f}' if whole else '     –'
    precisions = [row['hit'] / row['said'] for row in rows if row['said']]
    tokens, seconds = (sorted(row[key] for row in rows) for key in ('tokens', 'seconds'))
    print(f"{name:12} {len(rows):5} {share(total('hit'), total('uses'))}  {share(total('certain') - total('wrong'), total('certain'))}"
          f" {share(total('known'), total('direct'))}  {share(sum(precisions), len(precisions))}  {total('none_wrong'):3} of {total('none'):3}"
          f"  {tokens[len(tokens) // 2]:5} {tokens[len(tokens) * 9 // 10]:5}  {seconds[len(seconds) // 2]:5.2f}", flush=True)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('binary', 'truth', 'clones'):
        args.add_argument(name)
    args.add_argument('--repo')
    args.add_argument('--misses', action='store_true')
    args.add_argument('--rows', help='writes the figures of each declaration, as JSON')
    args = args.parse_args()
    languages, absent = defaultdict(list), []
    print('repository    decl  recall  certain: prec., rec.  precision  none wrong  tokens       CPU')
    for file in sorted(pathlib.Path(args.truth).glob('*.json.gz')):
        truth = json.load(gzip.open(file))
        if args.repo not in (None, truth['repo']):
            continue
        root = clone_of(truth, args.clones)
        if root is None:
            absent.append(f"{truth['repo']} at {truth['commit'][:9]}")
            continue
        rows = [score(args.binary, root, truth, asked) for asked in truth['declarations']]
        languages[truth.get('language', file.stem)] += rows
        show(truth['repo'], rows)
        for row in rows if args.misses else []:
            for kind in ('missed', 'doubted', 'mistaken', 'extra'):
                for path, line in row[kind]:
                    print(f"  {kind} {row['target']} {path}:{line}")
    for language, rows in languages.items():
        show(f'= {language}', rows)
    if args.rows:
        pathlib.Path(args.rows).write_text(json.dumps(languages, indent=1))
    if absent:
        sys.exit(f"no work tree of {', '.join(absent)} in {args.clones}")


if __name__ == '__main__':
    main()
