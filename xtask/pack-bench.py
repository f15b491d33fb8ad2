#!/usr/bin/env python3
"""How well packs answer: what real issues changed, tasks that match nothing, planted bugs.

    pack-bench.py swe BIN DATA MIRRORS WORK [--budget N] [--step N] [--offset N] [--half even|odd]
    pack-bench.py commits BIN TASKS MIRRORS WORK [--budgets 4000,16000] [--step N] [--repo NAME]
    pack-bench.py nothing BIN REPOSITORY…
    pack-bench.py planted BIN CLONE WORK COUNT LANGUAGE [--under FOLDER] [--seed N] -- TEST COMMAND

`swe`: DATA is SWE-bench as JSON (a list with instance_id, repo, base_commit, problem_statement, golden_patch or patch);
MIRRORS has git directories owner+name/repo. Of the pack of each issue: whether all changed files are shown (a line of each),
or at least listed; the share of changed lines shown; the share of shown lines in functions that the fix changed; the bytes of all.
`commits`: TASKS has a commit a line (repo, base, commit, hunks); the share of changed hunks in code, without tests, that are shown.
`planted`: mutates a condition or a returned value of functions in a copy of CLONE, keeps what breaks the tests, and asks whether
the mutated function is among the first two bodies of `portolan pack -- TEST COMMAND`. Once with the diff, and once
with `--base none`, as if the bug had been committed. The cases are kept in WORK.cases.json, with what the tests printed, so a second run
only makes the packs. `--under` keeps to a folder. LANGUAGE is python, go, rust or typescript."""
import ast, collections, json, os, pathlib, random, re, shutil, statistics, subprocess, sys


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors='replace', **more)


def task_pack(binary, budget, folder, text):
    """The pack of a task as it is read: as Markdown. Its shown lines by file, the files of its places, and its bytes."""
    answer = run([binary, 'pack', '--task', '-', *(['--budget', budget] if budget else [])], cwd=folder, input=text).stdout
    lines, listed, path, number, inside = collections.defaultdict(set), set(), None, 0, False
    for line in answer.split('\n'):
        if line.startswith('```'):
            inside = not inside
        elif inside and path:
            if match := re.match(r'(\d+)\t', line):
                number = int(match[1])
            elif line.startswith('…'):
                continue
            else:
                number += 1
            lines[path].add(number)
        elif match := re.match(r'### (.+?)(?: `[^`]*`)? \(', line):
            path = match[1]
        elif line.startswith('## '):
            path = None
        elif match := re.match(r'- (\S+):\d+-\d+ ', line):
            listed.add(match[1])
    return (lines, listed, len(answer.encode())) if answer else None


def changed_lines(patch):
    """Old lines that a patch touches, by file; of an insertion the line before it."""
    found, path, line = collections.defaultdict(set), None, 0
    for text in patch.split('\n'):
        if match := re.match(r'--- a/(.*)', text):
            path = match[1]
        elif text.startswith(('+++', 'diff ', 'index ')):
            continue
        elif match := re.match(r'@@ -(\d+)', text):
            line = int(match[1])
        elif path and text[:1] == '-':
            found[path].add(line)
            line += 1
        elif path and text[:1] == '+':
            found[path].add(max(1, line - 1))
        elif path and text[:1] == ' ':
            line += 1
    return {path: lines for path, lines in found.items() if path.endswith('.py')}


def functions(text):
    found = []

    def walk(node):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([child.lineno] + [it.lineno for it in child.decorator_list])
                found.append((first, child.end_lineno))
            walk(child)

    try:
        walk(ast.parse(text))
    except (SyntaxError, ValueError):
        pass
    return found


def options(arguments):
    return {arguments[at][2:]: arguments[at + 1] for at in range(0, len(arguments), 2)}


def swe(binary, data, mirrors, work, *rest):
    given = options(rest)
    tasks = sorted(json.load(open(data)), key=lambda task: task['instance_id'])
    tasks = tasks[int(given.get('offset', 0))::int(given.get('step', 1))]
    if half := given.get('half'):
        tasks = tasks[half == 'odd'::2]
    sums, sizes, by_repo = collections.Counter(), [], collections.defaultdict(collections.Counter)
    useful = all_shown = 0
    for task in tasks:
        name = task['repo'].replace('/', '+')
        tree = pathlib.Path(work) / name
        if not tree.exists():
            run(['git', 'clone', '-q', '--shared', '--no-checkout', f'{mirrors}/{name}/repo', str(tree)])
        if run(['git', '-C', str(tree), 'checkout', '-qf', task['base_commit']]).returncode:
            continue
        wanted = changed_lines(task.get('golden_patch') or task['patch'])
        wanted = {path: lines for path, lines in wanted.items() if (tree / path).is_file()}
        answer = wanted and task_pack(binary, given.get('budget'), tree, task['problem_statement'])
        if not answer:
            continue
        lines, listed, size = answer
        spans = {path: functions((tree / path).read_text(errors='replace')) for path in wanted}
        gold = {(path, min((it for it in spans[path] if it[0] <= line <= it[1]), key=lambda it: it[1] - it[0]))
                for path, touched in wanted.items() for line in touched if any(it[0] <= line <= it[1] for it in spans[path])}
        count = sum(map(len, wanted.values()))
        got = {
            'tasks': 1,
            'files': all(lines.get(path) for path in wanted),
            'files or listed': all(lines.get(path) or path in listed for path in wanted),
            'lines': sum(line in lines.get(path, ()) for path, touched in wanted.items() for line in touched) / count,
        }
        sums.update(got)
        by_repo[task['repo']].update(got)
        useful += sum(any(path == of and first <= line <= last for of, (first, last) in gold) for path, own in lines.items() for line in own)
        all_shown += sum(map(len, lines.values()))
        sizes.append(size)
    percent = lambda of, key: 100 * of[key] / max(1, of['tasks'])
    for repo, of in sorted(by_repo.items()):
        print(f"{repo:28} {of['tasks']:4} files {percent(of, 'files'):5.1f} lines {percent(of, 'lines'):5.1f}")
    print(f"{sums['tasks']} tasks: all files shown {percent(sums, 'files'):.1f}, shown or listed {percent(sums, 'files or listed'):.1f}, "
          f"lines shown {percent(sums, 'lines'):.1f}, shown lines in changed functions {100 * useful / max(1, all_shown):.1f}, "
          f"bytes in the median {statistics.median(sizes or [0]):.0f}, 90th percentile {sorted(sizes or [0])[int(0.9 * len(sizes))]}")


def commits(binary, tasks, mirrors, work, *rest):
    given, by_repo = options(rest), collections.defaultdict(list)
    for line in open(tasks):
        task = json.loads(line)
        if given.get('repo', '') in task['repo']:
            by_repo[task['repo']].append(task)
    budgets = given.get('budgets', '4000,16000').split(',')
    for repo, found in sorted(by_repo.items()):
        name = repo.replace('/', '+')
        mirror, tree, shares = f'{mirrors}/{name}/repo', pathlib.Path(work) / name, collections.defaultdict(list)
        for task in found[::int(given.get('step', 1))]:
            if not tree.exists():
                run(['git', 'clone', '-q', '--shared', '--no-checkout', mirror, str(tree)])
                # A file that is not in the mirror is left out.
                for command in (['update-ref', '--no-deref', 'HEAD', task['base']], ['read-tree', task['base']], ['checkout-index', '-a', '-f', '-q']):
                    run(['git', '-C', str(tree), *command])
            message = run(['git', '--git-dir', mirror, 'log', '-1', '--format=%B', task['commit']]).stdout
            code = {path: hunks for path, hunks in task['hunks'].items() if 'test' not in path.lower() and (tree / path).is_file()}
            for budget in budgets if message.strip() and code else ():
                lines = (task_pack(binary, budget, tree, message) or [{}])[0]
                all_lines = lambda path, first, count: {first} if count == 0 else set(range(first, first + count))
                shown = [all_lines(path, *hunk) <= lines.get(path, set()) for path, hunks in code.items() for hunk in hunks]
                shares[budget].append(sum(shown) / max(1, len(shown)))
        print(repo, {budget: (round(100 * statistics.mean(own), 1), len(own)) for budget, own in shares.items()}, flush=True)


NOTHING = ['fix typo', 'improve performance', 'fix flaky test', 'update dependencies', 'refactor', 'clean up the code', 'fix bug', 'bump version',
           'make it faster', 'better error handling', 'add more tests', 'fix the build', 'small improvements', 'fix warnings', 'code quality',
           'Kubernetes ingress controller drops websocket upgrades behind istio gateway',
           'Photoshop layer masks vanish when exporting TIFF with CMYK profile',
           'Bluetooth headset stutters on kernel 6.9 with pipewire',
           'Quarterly revenue dashboard shows wrong currency for Swiss invoices',
           'Unity shader graph node preview is pink on Metal']


def nothing(binary, *repositories):
    quiet = 0
    for repository in repositories:
        for task in NOTHING:
            answer = run([binary, 'pack', '--task', task], cwd=repository).stdout
            tokens = len(answer) / 3.6
            good = tokens <= 150 and 'nothing distinctive matches' in answer
            quiet += good
            if not good:
                print(f'{repository}: {task!r}: about {tokens:.0f} tokens')
    print(f'{quiet} of {len(NOTHING) * len(repositories)} say so in 150 tokens')


def mutants(text, language):
    """Lines with a mutated text."""
    for number, line in enumerate(text.split('\n'), 1):
        start = re.match(r'\s*', line)[0]
        body = line[len(start):]
        if language == 'python':
            if match := re.match(r'if (?!__name__)(.+):$', body):
                yield number, f'{start}if not ({match[1]}):'
            elif (match := re.match(r'return (.+)$', body)) and match[1] not in ('None', 'self') and not match[1].endswith(('(', '[', '{', ',')):
                yield number, f'{start}return None'
        elif language == 'rust':
            if (match := re.match(r'((?:\} else )?if) (?!let )([^{]+) \{$', body)) and ' let ' not in body:
                yield number, f'{start}{match[1]} !({match[2]}) {{'
            elif match := re.match(r'(return )?(true|false)(;?)$', body):
                yield number, f"{start}{match[1] or ''}{'false' if match[2] == 'true' else 'true'}{match[3]}"
        elif language == 'typescript':
            if match := re.match(r'if \((.+)\) (\{|return.*;|throw.*;|continue;)$', body):
                yield number, f'{start}if (!({match[1]})) {match[2]}'
            elif match := re.match(r'return (true|false);$', body):
                yield number, f"{start}return {'false' if match[1] == 'true' else 'true'};"
        elif language == 'go':
            if (match := re.match(r'if ([^;{]+) \{$', body)) and ':=' not in body:
                yield number, f'{start}if !({match[1]}) {{'
            elif match := re.match(r'return (true|false)$', body):
                yield number, f"{start}return {'false' if match[1] == 'true' else 'true'}"


def span_of(text, number, language):
    """The function around a line."""
    if language == 'python':
        around = [it for it in functions(text) if it[0] <= number <= it[1]]
        return min(around, key=lambda it: it[1] - it[0]) if around else None
    lines = text.split('\n')
    if language in ('rust', 'typescript'):
        # The head of a function is less indented than the line, and so is the brace that ends it.
        head = {'rust': r'(pub(\(.*\))? )?((const|async|unsafe) )*fn ', 'typescript': r'.*\bfunction\b|.*=> \{$|(\w+ )?[\w#]+\(.*\{$'}[language]
        indent = lambda at: len(lines[at - 1]) - len(lines[at - 1].lstrip())
        depth = indent(number)
        for at in range(number - 1, 0, -1):
            if lines[at - 1].strip() and indent(at) < depth:
                depth = indent(at)
                if re.match(head, lines[at - 1].strip()) and not re.match(r'(if|for|while|switch|\} else)\b', lines[at - 1].strip()):
                    last = next((it for it in range(number, len(lines) + 1) if lines[it - 1].startswith(' ' * depth + '}')), None)
                    return (at, last) if last else None
        return None
    first = next((at for at in range(number, 0, -1) if lines[at - 1].startswith('func ')), None)
    last = next((at for at in range(number, len(lines) + 1) if lines[at - 1] == '}'), None)
    return (first, last) if first and last else None


def cases_of(tree, count, language, given, command, kept):
    """Mutations that break the tests, with what the tests printed: from an earlier run, or made now and kept."""
    if kept.exists():
        return json.loads(kept.read_text())
    ending = {'python': '.py', 'go': '.go', 'rust': '.rs', 'typescript': '.ts'}[language]
    is_test = lambda path: re.search(r'(^|/)(tests?|docs|examples|benches|fuzz)/|test_|_test\.|\.test\.|(^|/)tests?\.rs', path)
    tracked = run(['git', 'ls-files', given.get('under', '.')], cwd=tree).stdout.split('\n')
    files = [path for path in tracked if path.endswith(ending) and not path.endswith('.d.ts') and not is_test(path)]
    candidates = [(path, *mutant) for path in files for mutant in mutants((tree / path).read_text(), language)]
    random.Random(int(given.get('seed', 7))).shuffle(candidates)
    cases = []
    for path, number, mutated in candidates:
        if len(cases) >= int(count):
            break
        text = (tree / path).read_text()
        own_tests = text.find('\nmod tests {') if language == 'rust' else -1
        if not span_of(text, number, language) or 0 <= own_tests < len('\n'.join(text.split('\n')[:number])):
            continue
        lines = text.split('\n')
        lines[number - 1] = mutated
        (tree / path).write_text('\n'.join(lines))
        try:
            done = subprocess.run(command, cwd=tree, timeout=300, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
            if done.returncode:
                cases.append({'path': path, 'line': number, 'mutated': mutated, 'log': done.stdout})
                print(f'{path}:{number} {mutated.strip()[:60]}', flush=True)
        except subprocess.TimeoutExpired:
            continue
        finally:
            (tree / path).write_text(text)
    kept.write_text(json.dumps(cases))
    return cases


def planted(binary, clone, work, count, language, *command):
    given, command = options(command[:command.index('--')]), command[command.index('--') + 1:]
    tree = pathlib.Path(work)
    if not tree.exists():
        shutil.copytree(clone, tree, symlinks=True)
    cases = cases_of(tree, count, language, given, command, pathlib.Path(f'{work}.cases.json'))
    log = pathlib.Path(f'{work}.log').resolve()
    replay = ['--', 'sh', '-c', f'cat {log}; exit 1']
    for base in ([], ['--base', 'none']):
        hits, costs = 0, []
        for case in cases:
            path, number = case['path'], case['line']
            text = (tree / path).read_text()
            lines = text.split('\n')
            lines[number - 1] = case['mutated']
            (tree / path).write_text('\n'.join(lines))
            log.write_text(case['log'])
            try:
                answer = run([binary, 'pack', *base, '--format', 'json', *replay], cwd=tree)
                markdown = run([binary, 'pack', *base, *replay], cwd=tree).stdout
            finally:
                (tree / path).write_text(text)
            try:
                found = json.loads(answer.stdout)
                found['code']
            except (ValueError, KeyError):
                found = {'code': {'slices': []}}
            bodies = []
            for part in found['code']['slices']:
                decl = part.get('decl')
                if decl and part['role'] in ('focus', 'suspect', 'related', 'changed', 'body') and sum(b - a + 1 for a, b in part['lines']) > 1:
                    bodies.append((found['digests']['inputs'][part['file']]['path'], tuple(decl['lines'])))
            bodies = list(dict.fromkeys(bodies))
            at = next((at for at, (of, (first, last)) in enumerate(bodies, 1) if of == path and first <= number <= last), 0)
            hits += at in (1, 2)
            stated = re.match(r'@\w+ pack \w+ (\d+) tokens', markdown)
            costs.append(int(stated[1]) if stated else len(markdown) / 3.6)
            print(f"{'hit ' if at in (1, 2) else 'MISS'} {at} {path}:{number} {case['mutated'].strip()[:60]} | {bodies[:3]} | {costs[-1]:.0f} tokens", flush=True)
        print(f"{' '.join(base) or 'with the diff'}: {hits} of {len(cases)} among the first two bodies; {statistics.median(costs or [0]):.0f} tokens in the median")


if __name__ == '__main__':
    {'swe': swe, 'commits': commits, 'nothing': nothing, 'planted': planted}[sys.argv[1]](*sys.argv[2:])
