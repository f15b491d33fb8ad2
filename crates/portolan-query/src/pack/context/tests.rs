//! Packs of a small repository at various budgets.

use portolan_wire::context::AskedV2;

use super::{
    ContextParts, PackFormat, SliceCandidate, SliceDecl, SliceRole, SourceFile, Tools,
    assemble_context,
};
use portolan_diagnostics::focus::{FocusRule, merge};
use portolan_diagnostics::locations::{FileIndex, PathContext, locate};
use portolan_diagnostics::readers::read;

fn source(text: &str) -> SourceFile {
    SourceFile { text: text.to_owned(), sha256: "0".repeat(64), bytes_len: text.len() as u64 }
}

fn piece(role: SliceRole, file: &str, ranges: &[(u32, u32)]) -> SliceCandidate {
    let decl = SliceDecl { kind: "function".into(), name: "f".into(), owner: None, lines: (1, 40) };
    SliceCandidate {
        role,
        why: vec!["needed".into()],
        file: file.into(),
        decl: Some(decl),
        ranges: ranges.to_vec(),
    }
}

fn parts() -> ContextParts {
    let output = "a.ts(20,3): error TS2304: Cannot find name 'x'.\nb.ts(1,1): error TS2304: Cannot find name 'y'.\n";
    let files = ["a.ts", "b.ts", "c.ts"].map(str::to_owned);
    let context = PathContext { files: FileIndex::new(files), ..PathContext::default() };
    let text: String =
        (1..=60).map(|n| format!("const line{n} = compute({n}, \"`text`\");\n")).collect();
    ContextParts {
        merged: merge(locate(read(output.as_bytes(), None).findings, &context).diagnostics),
        focus: Some(0),
        rule: FocusRule::Ranked,
        windows: vec![
            piece(SliceRole::Focus, "a.ts", &[(1, 40)]),
            piece(SliceRole::Focus, "a.ts", &[(1, 1), (15, 25)]),
            piece(SliceRole::Focus, "a.ts", &[(20, 20)]),
        ],
        pieces: vec![
            piece(SliceRole::Related, "b.ts", &[(1, 3)]),
            piece(SliceRole::Hop1, "b.ts", &[(2, 30)]),
            piece(SliceRole::Hop2, "c.ts", &[(1, 30)]),
        ],
        sources: ["a.ts", "b.ts", "c.ts"]
            .map(|file| (file.to_owned(), source(&text)))
            .into_iter()
            .collect(),
        ..ContextParts::default()
    }
}

fn tools() -> Tools<'static> {
    Tools { count: &|text| text.len() as u64 / 4, digest: &|text| format!("{:064x}", text.len()) }
}

#[test]
fn no_budget_is_exceeded_and_a_larger_one_shows_more() {
    let parts = parts();
    for form in [PackFormat::Json, PackFormat::Markdown] {
        let mut before: Vec<(u64, u32)> = Vec::new();
        for budget in [1_000, 1_500, 2_000, 3_000, 5_000, 8_000, 20_000] {
            let context = assemble_context(&parts, budget, form, &tools());
            assert!(context.tokens <= budget, "{form:?} {budget}: {}", context.tokens);
            let paths = &context.pack.digests.inputs;
            let shown: Vec<(u64, u32)> = context
                .pack
                .code
                .slices
                .iter()
                .flat_map(|slice| {
                    let file = paths[slice.file as usize].path.bytes().next().map_or(0, u64::from);
                    slice
                        .lines
                        .iter()
                        .flat_map(move |[a, b]| (*a..=*b).map(move |line| (file, line)))
                })
                .collect();
            assert!(
                shown.contains(&(u64::from(b'a'), 20)),
                "the line of the error is always there"
            );
            assert!(before.iter().all(|line| shown.contains(line)), "{form:?} {budget}");
            before = shown;
        }
    }
}

#[test]
fn a_line_is_shown_once_and_gaps_are_marked() {
    let context = assemble_context(&parts(), 20_000, PackFormat::Markdown, &tools());
    assert_eq!(context.text.matches("\n2\tconst line2 =").count(), 3, "{}", context.text);
    let small = assemble_context(&parts(), 1_200, PackFormat::Markdown, &tools());
    assert!(small.text.contains("…\t("), "{}", small.text);
    // Backticks in the code cannot close the fence.
    assert!(small.text.contains("```ts\n"), "{}", small.text);
}

#[test]
fn the_json_is_canonical_and_has_the_focus() {
    let json = assemble_context(&parts(), 8_000, PackFormat::Json, &tools());
    let value: serde_json::Value = serde_json::from_str(&json.text).unwrap();
    assert_eq!(portolan_wire::canonical::to_string(&value), json.text);
    assert_eq!(value["schema_version"], "portolan.agent.context@0.2.0");
    assert_eq!(value["focus"]["loc"]["line"], 20);
}

#[test]
fn a_short_single_line_between_shown_lines_is_shown() {
    let check = |between: &str, expected: &[[u64; 2]]| {
        let text = format!("a\nb\n{between}\nd\ne\nf\ng\n");
        let ranges = [(1, 2), (4, 4), (7, 7)];
        let parts = ContextParts {
            pieces: vec![piece(SliceRole::Related, "b.ts", &ranges)],
            sources: [("b.ts".to_owned(), source(&text))].into_iter().collect(),
            ..ContextParts::default()
        };
        let made = assemble_context(&parts, 5_000, PackFormat::Json, &tools());
        let lines: Vec<[u64; 2]> =
            made.pack.code.slices[0].lines.iter().map(|it| it.map(u64::from)).collect();
        assert_eq!(lines, expected, "{between}");
    };
    check("c", &[[1, 4], [7, 7]]);
    check(&"c".repeat(81), &[[1, 2], [4, 4], [7, 7]]);
}

#[test]
fn the_files_of_a_task_keep_their_order_and_every_line_its_number() {
    let text: String = (1..=12).map(|n| format!("line {n}\n")).collect();
    let piece = |why: &str, file: &str, name: &str, lines: (u32, u32)| SliceCandidate {
        role: SliceRole::Edit,
        why: vec![why.to_owned()],
        file: file.to_owned(),
        decl: Some(SliceDecl {
            kind: "function".to_owned(),
            name: name.to_owned(),
            owner: None,
            lines,
        }),
        ranges: vec![lines],
    };
    let parts = ContextParts {
        version: "0".to_owned(),
        asked: Some(AskedV2 { task: Some("wait".to_owned()), ..AskedV2::default() }),
        pieces: vec![
            piece("60 %: link", "b.ts", "f", (4, 5)),
            piece("40 %: timeout", "a.ts", "g", (9, 10)),
            piece("30 %: wait", "b.ts", "h", (1, 2)),
        ],
        evidence: Some("Evidence.".to_owned()),
        sources: ["a.ts", "b.ts"].map(|file| (file.to_owned(), source(&text))).into(),
        ..ContextParts::default()
    };
    let tools = Tools { count: &|text| text.len() as u64, digest: &|_| String::new() };
    let text = assemble_context(&parts, 16_000, PackFormat::Markdown, &tools).text;
    let (_, text) = text.split_once("Evidence.\n\n").unwrap();
    let (text, _) = text.split_once("\n## Made of").unwrap();
    assert_eq!(
        text,
        "### b.ts `f` (60 %: link)\n```ts\n1\tline 1\n2\tline 2\n3\tline 3\n4\tline 4\n5\tline 5\n```\n\n\
         ### a.ts `g` (40 %: timeout)\n```ts\n9\tline 9\n10\tline 10\n```\n"
    );
}
