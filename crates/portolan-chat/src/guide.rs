//! The assistant's guide: how a language model reads the map and requests files.
//!
//! Its tables are generated from constants of the code, so they cannot contradict it. The guide is
//! short because every thread pays for it.

use portolan_languages::{Ecosystem, Ecosystems};
use portolan_types::{EdgeKind, KindMask, NodeKind, ResolutionMask};

use portolan_index::token_counts::Tokenizer;

/// The most tokens the guide may cost.
pub const TOKEN_LIMIT: u64 = 2500;

/// The guide for a workspace.
pub fn text(stan_path: &str) -> String {
    TEMPLATE
        .replace("{node kinds}", &node_kinds())
        .replace("{edge kinds}", &edge_kinds())
        .replace("{resolutions}", &resolutions())
        .replace("{all kinds}", &KindMask::ALL.bits().to_string())
        .replace("{runtime}", &KindMask::RUNTIME.bits().to_string())
        .replace("{type}", &KindMask::TYPE.bits().to_string())
        .replace("{dynamic}", &KindMask::DYNAMIC.bits().to_string())
        .replace("{packages}", &packages(stan_path))
        .replace("{package example}", &package_example(stan_path))
        .replace("{stan}", stan_path)
}

/// Whether a text explains the map: it contains each word of the decode tables.
pub fn has_tables(text: &str) -> bool {
    let text = text.to_lowercase();
    let resolutions = ["explicit", "implicit"];
    let words = NodeKind::ALL.map(NodeKind::name).into_iter();
    let mut words = words.chain(EdgeKind::ALL.map(EdgeKind::name)).chain(resolutions);
    text.contains("dependency.meta.json") && words.all(|word| text.contains(word))
}

/// The tokenizer of its limit.
pub const TOKENIZER: Tokenizer = Tokenizer::O200kBase;

/// The exact tokens of a text.
pub fn tokens(text: &str) -> u64 {
    TOKENIZER.count(text.as_bytes()).unwrap_or_default()
}

fn table(head: [&str; 2], rows: impl IntoIterator<Item = (u8, String)>) -> String {
    let rows = rows.into_iter().map(|(code, meaning)| format!("| {code} | {meaning} |\n"));
    format!("| {} | {} |\n| --- | --- |\n{}", head[0], head[1], rows.collect::<String>())
}

/// The modules without files, for the ecosystems that have any.
fn builtins() -> String {
    let examples = Ecosystems::default().iter().filter_map(Ecosystem::builtin_example);
    let each = examples.map(|example| format!("{} itself (`{}`)", example.platform, example.id));
    format!("a module of {}; not a file", each.collect::<Vec<_>>().join(" or "))
}

/// The paths of staged package files.
fn packages(stan_path: &str) -> String {
    let names: Vec<&str> = Ecosystems::default().iter().map(Ecosystem::name).collect();
    let ecosystems = names.join(", ");
    format!("`{stan_path}/context/<ecosystem>/<name>/<version>/…` (ecosystem: {ecosystems})")
}

/// The staged package file in the examples.
fn package_example(stan_path: &str) -> String {
    let example = Ecosystems::default().iter().find_map(Ecosystem::file_example);
    format!("{stan_path}/context/{}", example.unwrap_or("abs/…"))
}

fn node_kinds() -> String {
    let builtins = builtins();
    let meaning = |kind: NodeKind| match kind {
        NodeKind::Source => "a file of the repository",
        NodeKind::External => "a file of an installed package, or from outside the repository",
        NodeKind::Builtin => &builtins,
        NodeKind::Missing => "a specifier that leads nowhere; not a file",
    };
    table(
        ["`k`", "node kind"],
        NodeKind::ALL.map(|kind| (kind.code(), format!("{}: {}", kind.name(), meaning(kind)))),
    )
}

fn edge_kinds() -> String {
    let name = |mask: KindMask| mask.kinds().map(EdgeKind::name).collect::<Vec<_>>().join(" + ");
    let masks = [KindMask::RUNTIME, KindMask::TYPE, KindMask::DYNAMIC, KindMask::ALL];
    table(["bits", "edge kinds"], masks.map(|mask| (mask.bits(), name(mask))))
}

fn resolutions() -> String {
    let rows = [
        (ResolutionMask::EXPLICIT, "explicit: written in the file (the default, left out)"),
        (ResolutionMask::IMPLICIT, "implicit: found by following re-exports through a barrel"),
        (ResolutionMask::BOTH, "both"),
    ];
    table(
        ["bits", "how the edge was found"],
        rows.map(|(mask, meaning)| (mask.bits(), meaning.to_owned())),
    )
}

const TEMPLATE: &str = r#"# How to work with this repository's context

You see a repository through archives. The **Map** tells what exists and what depends on what. The **state** is where you ask for files. The next archive delivers exactly those.

| file | what it is | who writes it |
| --- | --- | --- |
| `{stan}/context/dependency.meta.json` | the Map: every file, its size, its dependencies | tooling |
| `{stan}/context/dependency.chart.txt` | the chart: the Map as text, where the Map is too large for an archive or you asked | tooling |
| `{stan}/context/dependency.state.json` | what you want to read | **you** |
| {packages}, `{stan}/context/abs/<sha256>/<file>` | copies of external files you asked for | tooling |
| `{stan}/imports/**` | reference material, **read-only**: never create, patch or delete anything there | tooling |
| `{stan}/system/**` | this guide and the project's notes | you and the team |

Archives: `archive.tar` is everything you have now. `archive.diff.tar` is what is new or changed since the baseline; a lone `.stan_no_changes` means nothing is, and `dependency.delta.txt` in it tells how the Map you have changed. A thread opens with a META archive, which sets the baseline: this guide, the Map, an empty state, the small files at the top that are no code. After that each `portolan run --context` (`stan run --context`) gives a full and a diff archive of base + your selection. A file that left your selection is not announced: trust the newest full archive.

## Reading the Map (version 2)

`{"v":2,"n":{"<nodeId>":{"k":…,"s":…,"h":…,"d":…,"e":[…]}}}`

- nodeId: path from the repository's root; for externals the path of the staged copy; for builtin and missing modules the specifier.
- `k` kind, `s` size in bytes, `h` short hash (may be absent), `d` one line on what the file is for, `e` outgoing edges: `[target, kinds]` or `[target, kinds, resolution]`.

{node kinds}
{edge kinds}
{resolutions}
Bits are added: kinds 3 is runtime and type. Without the third element an edge is explicit only.

Example: `"src/app.ts":{"k":0,"s":1840,"d":"Wires the server.","e":[["src/db.ts",1],["src/types.ts",2],["src/admin.ts",4],["{package example}",1,3]]}` — `src/app.ts` (1840 bytes, about 460 tokens) needs `src/db.ts` at run time, `src/types.ts` for types only, loads `src/admin.ts` dynamically, and uses zod directly and through re-exports.

## The chart

Its first lines tell how to read it. A folder only counts what it does not show (`+61 tsx 48k`). To see more, zoom: write state version 3 with `z` (folders, ids or globs to show in detail) or `q` (the task in words); the next `--context` archive has a new chart around them. Zoom while you do not know which files you need; select when you do. Example: `{ "v": 3, "i": [], "z": ["src/api"], "q": "retry failed uploads" }`.

## Writing the state (version 2; 3 with `z` or `q`)

```ts
type Entry = string | [nodeId: string, depth: number] | [nodeId: string, depth: number, kinds: number];
type State = { v: 2 | 3; i: Entry[]; x?: Entry[]; z?: string[]; q?: string };
```

- `i` includes, `x` excludes; **excludes win**. Both expand the same way; the selection is S(i) minus S(x).
- A folder (`src/api`) or a glob (`src/**/*.test.ts`) in place of an id stands for every file it matches.
- `depth` is how many outgoing edges to follow; 0, the default, is the file alone.
- `kinds` is which edges to follow; {all kinds}, the default, is all; {runtime} runtime, {type} type, {dynamic} dynamic.
- An id that is not in the Map but is a file of the repository is selected as that file: so you can ask for what `.gitignore` hides. Never selectable: `.git/**`, `{stan}/diff/**`, `{stan}/patch/**`, archives, the host's private `dependency.map.json`, what the project's `excludes` name, secrets, binaries.

Example: `{ "v": 2, "i": [["src/app.ts", 1, 3], "docs/api.md"], "x": ["src/generated.ts"] }` — `src/app.ts` with its direct runtime and type dependencies, one document, without the generated file.

Spend little: tokens are about bytes / 4, and `s` lets you add up before you ask. Aim the next diff at no more than half of the context you have left.

- Few seeds, depth 0 or 1; go deeper deliberately. Kinds {runtime} keeps type-only files away, kinds {type} explores types.
- To cut: dynamic edges first, then depth, then broad barrels (exclude the barrel at depth 1 or more to drop what is behind it; depth 0 for a single file), then tests and docs.
- If `{stan}/imports/**` has what you need, select that copy instead of one under `{stan}/context/**`.

## Patches

A patch is a unified diff in a fenced `diff` block, with paths from the root; `/dev/null` on one side makes or deletes a file. Hunk counts are right to the line, and every context and `-` line is in the archive's file as it stands there. Also read: git's headers, `*** Begin Patch` … `*** End Patch`, `<<<<<<< SEARCH` blocks with the path on the line before. All patches of a reply are for the files as archived; no two touch the same lines. Moves, copies and deletions may be listed in a fenced block under `### File Ops`: `mv FROM TO`, `cp FROM TO`, `rm PATH`. They count as patches too. A whole reply that asks for files:

~~~~markdown
## Input Data Changes

- Patch targets (outside `{stan}/system/**`; present in current archive):
  - `{stan}/context/dependency.state.json` — present: `yes`
- Dependency selection: `["src/db.ts", 1]`

```diff
--- a/{stan}/context/dependency.state.json
+++ b/{stan}/context/dependency.state.json
@@ -1 +1 @@
-{ "v": 2, "i": [] }
+{ "v": 2, "i": [["src/db.ts", 1]] }
```

```diff
--- /dev/null
+++ b/{stan}/system/stan.scratch.md
@@ -0,0 +1 @@
+The error log names src/db.ts; its direct dependencies may be at fault.
```

Please run `portolan run --context` and attach the new archive.
~~~~

## Rules

**Active** means: `dependency.meta.json` or `dependency.chart.txt` is in the current archive or was seen earlier in this thread. It ends only when a *full* archive shows it gone. While active:

1. **Exactly one of two.** A reply with any patch either patches `{stan}/context/dependency.state.json` with a real change, or has under `## Input Data Changes` the exact line
   `dependency.state.json: no change`
   Never both, never neither, never a state patch that changes nothing.
2. **Say why.** When the selection changes, update `{stan}/system/stan.scratch.md` with the reason in the same reply.
3. **Ask through the state.** If the Map or the chart has the code you need, request it by patching the state and asking for a new `--context` archive. Do not ask the user to paste files of the repository. If an error log names paths you have not seen, seed those (depth 0 or 1). Exceptions: the content is already in the attached archive; the user declines another run and insists on pasting; the target cannot be selected (outside the repository and the Map).
4. **Never edit blind.** A file you know only from the Map is not loaded: load it before you edit it (through the state, or the project's `includes`).
5. **Availability checklist.** A reply that patches anything outside `{stan}/system/**` has under `## Input Data Changes`:
   - Patch targets (outside `{stan}/system/**`; present in current archive):
     - `<path>` — present: `yes|no`
   - Dependency selection (seed entries only, not what they expand to): the `i` and `x` entries as written, if the state is patched; otherwise the line `dependency.state.json: no change`.

   Every target counts, the state too. A file you create is `present: no`; you may create it where the Map has no such path.
6. **Hard gate.** If a target that exists is `present: no`, emit no patch for it in this turn. Emit only patches for the state (to stage what is missing), `{stan}/system/stan.scratch.md`, `{stan}/system/stan.todo.md` and a commit message; then request a new `--context` archive.
7. **Read-only.** Nothing under `{stan}/imports/**` or `{stan}/context/**` is yours to edit, but for the state; nor are `stan.config.*`, `.git` and secrets.

The user checks a reply with `portolan check-reply` and applies it with `portolan apply`.
"#;

#[cfg(test)]
mod tests {
    use portolan_types::{EdgeKind, NodeKind};

    use super::{TOKEN_LIMIT, has_tables, text, tokens};

    #[test]
    fn the_decode_tables_are_those_of_the_code() {
        let guide = text(".stan");
        for kind in NodeKind::ALL {
            assert!(guide.contains(&format!("| {} | {}: ", kind.code(), kind.name())), "{kind:?}");
        }
        for kind in EdgeKind::ALL {
            assert!(
                guide.contains(&format!("| {} | {} |", kind.mask().bits(), kind.name())),
                "{kind:?}"
            );
        }
        assert!(guide.contains("| 7 | runtime + type + dynamic |"));
        for row in ["| 1 | explicit", "| 2 | implicit", "| 3 | both |"] {
            assert!(guide.contains(row), "{row}");
        }
    }

    #[test]
    fn a_text_without_the_tables_is_told_from_one_with_them() {
        assert!(has_tables(&text(".stan")));
        assert!(!has_tables("# Our rules\nRead dependency.meta.json. Be kind."));
        assert!(!has_tables(&text(".stan").replace("implicit", "other")));
    }

    #[test]
    fn every_rule_of_the_seed_is_there() {
        let guide = text(".stan");
        for phrase in [
            "dependency.state.json: no change",
            "## Input Data Changes",
            "present: `yes|no`",
            "stan.scratch.md",
            "stan.todo.md",
            "*full* archive shows it gone",
            "excludes win",
            "never create, patch or delete anything there",
            "Do not ask the user to paste",
            "load it before you edit it",
        ] {
            assert!(guide.contains(phrase), "{phrase}");
        }
    }

    #[test]
    fn it_is_short_and_names_the_workspace_it_is_for() {
        let guide = text("tools/stan");
        assert!(tokens(&guide) < TOKEN_LIMIT, "{}", tokens(&guide));
        assert!(guide.contains("`tools/stan/context/dependency.state.json`"));
        for left_over in ["{stan}", "{node kinds}", "{all kinds}", ".stan/"] {
            assert!(!guide.contains(left_over), "{left_over}");
        }
    }
}
