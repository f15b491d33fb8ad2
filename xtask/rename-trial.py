#!/usr/bin/env python3
"""rename-trial.py BINARY CLONE TARGET [--new NAME] [--possible] [--check COMMAND] [--truth FILE.json.gz]: renames a declaration by what `look --format json` says.

The clone is copied. At each line that `look` tells (certain ones; with --possible those, too), at the declaration, its overrides and the lines
that import it, the word is replaced. Nobody looks at the code. Then either COMMAND is run in the copy (a compiler: it must agree), or the lines
are compared with those of TRUTH, which has the target (a language server's "find all references": a rename changes exactly these).
Prints the words changed, the other words of the name that stay, and what the judge says; the exit code is the judge's.
"""
import argparse, gzip, json, pathlib, re, shutil, subprocess, sys, tempfile


def look(binary, root, target):
    call = [binary, '-C', str(root), 'look', target, '--side', 'users', '--format', 'json']
    return json.loads(subprocess.run(call, capture_output=True, text=True, check=True).stdout)['result']['looks'][0]


def declared_at(binary, root, target, path, name):
    """The line of the declaration: the first line of what `read` shows that has the word."""
    text = subprocess.run([binary, '-C', str(root), 'read', target], capture_output=True, text=True).stdout
    for line in text.split('\n'):
        numbered = re.match(r'\s*(\d+)\t(.*)', line)
        if numbered and re.search(rf'\b{re.escape(name)}\b', numbered[2]) and not numbered[2].lstrip().startswith(('//', '#', '*', '/*')):
            return {(path, int(numbered[1]))}
    return set()


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('binary', 'clone', 'target'):
        args.add_argument(name)
    args.add_argument('--new')
    args.add_argument('--possible', action='store_true')
    args.add_argument('--check', help='a command that compiles')
    args.add_argument('--truth', help='uses by a language server')
    args = args.parse_args()
    path, name = args.target.split('#', 1)
    old = name.split('.')[-1]
    new = args.new or old + 'Renamed'
    seen = look(args.binary, args.clone, args.target)
    uses = [it for it in seen['users'] if args.possible or 'likely' not in it['marks']]
    lines = {(it['file'], it['line']) for it in uses}
    account = seen['account']
    print(f"{args.target}: {account['certain']} certain, {account['possible']} possible, {account['others']} other words")
    if args.truth:
        return compare(args.truth, args.target, lines)
    related = {(it['file'], it['line']) for it in seen.get('overrides') or []}
    root = pathlib.Path(tempfile.mkdtemp(prefix='rename-')) / 'clone'
    shutil.copytree(args.clone, root, symlinks=True, ignore=shutil.ignore_patterns('target', 'node_modules'))
    own = declared_at(args.binary, root, args.target, path, old)
    changed = 0
    for file in sorted({file for file, _ in lines | related | own}):
        text = (root / file).read_text().split('\n')
        for at in sorted(line for other, line in lines | related | own if other == file):
            text[at - 1], count = re.subn(rf'\b{re.escape(old)}\b', new, text[at - 1])
            changed += count
        (root / file).write_text('\n'.join(text))
    print(f'{changed} words changed at {len(lines | related | own)} lines, in {root}')
    done = subprocess.run(args.check, shell=True, cwd=root) if args.check else None
    return done.returncode if done else 0


def compare(truth, target, lines):
    truth = json.load(gzip.open(truth))
    asked = next(it for it in truth['declarations'] if it['target'] == target)
    at = lambda ref: (truth['files'][ref[0]], ref[1])
    uses = {at(ref) for ref in asked['refs'] if ref[2] == 'use'}
    idle = {at(ref) for ref in asked['refs']} - uses
    missed, wrong = sorted(uses - lines), sorted(lines - uses - idle)
    print(f'{len(uses & lines)} of {len(uses)} lines that the server would change; {len(wrong)} that it would not')
    for word, places in (('missed', missed), ('wrong', wrong)):
        for place in places[:20]:
            print(f'  {word} {place[0]}:{place[1]}')
    return int(bool(missed or wrong))


if __name__ == '__main__':
    sys.exit(main())
