#!/usr/bin/env python3
"""users-recall.py BINARY TRUTH CLONES [--repo NAME] [--misses]: how right `portolan look TARGET --side users` is, by class of use.

TRUTH has <repo>.json.gz: declarations with the lines that a language server says use them (made by an oracle of its own; see docs/uses.md).
CLONES has the work trees by the name of the repository, at the commit of the truth. A line counts once. Lines that only import, pass on,
declare or document count neither way. Printed for each repository and each language:

  recall     of lines, certain and possible ones together
  certain    precision of certain lines; then their recall among uses that name the declaration itself
  precision  of certain and possible ones together, the mean over declarations
  none       answers without a use that are wrong, of all that have none
  tokens     median and 90th percentile, as bytes divided by four
"""
import argparse, gzip, json, pathlib, subprocess
from collections import defaultdict


def ask(binary, root, target, *more):
    call = [binary, '-C', str(root), 'look', target, '--side', 'users', *more]
    return subprocess.run(call, capture_output=True, text=True).stdout


def score(binary, root, truth, asked):
    """The figures of one declaration."""
    at = lambda ref: (truth['files'][ref[0]], ref[1])
    own = {at(ref) for ref in asked['refs'] if ref[2] == 'self'} | {(asked['file'], asked['line'])}
    uses = {at(ref) for ref in asked['refs'] if ref[2] == 'use'} - own
    direct = {at(ref) for ref in asked['refs'] if ref[2] == 'use' and ref[4]} - own
    idle = ({at(ref) for ref in asked['refs']} | own) - uses
    text = ask(binary, root, asked['target'])
    found = json.loads(ask(binary, root, asked['target'], '--format', 'json'))['result']['looks'][0]['users'] or []
    endings, outside = tuple('.' + it for it in truth['extensions']), tuple(truth.get('outside') or [])
    counts = lambda place: place not in idle and place[0].endswith(endings) and not place[0].startswith(outside)
    said = {(it['file'], it['line']): 'likely' not in it['marks'] for it in found if it.get('line')}
    is_none = not said
    said = {place: certain for place, certain in said.items() if counts(place)}
    certain = {place for place, it in said.items() if it}
    return dict(
        target=asked['target'], uses=len(uses), hit=len(uses & set(said)), said=len(said), certain=len(certain),
        wrong=len(certain - uses), direct=len(direct), known=len(direct & certain), none=is_none, none_wrong=is_none and bool(uses),
        tokens=len(text.encode()) // 4, missed=sorted(uses - set(said)), doubted=sorted(direct - certain), mistaken=sorted(certain - uses))


def show(name, rows):
    total = lambda key: sum(row[key] for row in rows)
    share = lambda part, whole: f'{100 * part / whole:6.1f}' if whole else '     –'
    precisions = [row['hit'] / row['said'] for row in rows if row['said']]
    tokens = sorted(row['tokens'] for row in rows)
    print(f"{name:12} {len(rows):5} {share(total('hit'), total('uses'))}  {share(total('certain') - total('wrong'), total('certain'))}"
          f" {share(total('known'), total('direct'))}  {share(sum(precisions), len(precisions))}  {total('none_wrong'):3} of {total('none'):3}"
          f"  {tokens[len(tokens) // 2]:5} {tokens[len(tokens) * 9 // 10]:5}")


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('binary', 'truth', 'clones'):
        args.add_argument(name)
    args.add_argument('--repo')
    args.add_argument('--misses', action='store_true')
    args = args.parse_args()
    languages = defaultdict(list)
    print('repository    decl  recall  certain: prec., rec.  precision  none wrong  tokens')
    for file in sorted(pathlib.Path(args.truth).glob('*.json.gz')):
        truth = json.load(gzip.open(file))
        root = pathlib.Path(args.clones) / truth['repo']
        if args.repo not in (None, truth['repo']) or not root.is_dir():
            continue
        rows = [score(args.binary, root, truth, asked) for asked in truth['declarations']]
        languages[truth.get('language', file.stem)] += rows
        show(truth['repo'], rows)
        for row in rows if args.misses else []:
            for kind in ('missed', 'doubted', 'mistaken'):
                for path, line in row[kind]:
                    print(f"  {kind} {row['target']} {path}:{line}")
    for language, rows in languages.items():
        show(f'= {language}', rows)


if __name__ == '__main__':
    main()
