//! Both readings of the same text.

use portolan_types::KindMask;

use super::{StateEntry, StateV2, StateVersion, list_problems, read};

fn entry(id: &str, depth: u64, kinds: Option<u64>) -> StateEntry {
    StateEntry { id: id.into(), depth, kinds: kinds.map(KindMask::from_bits_truncate) }
}

/// Checks the entries, one per line, and the problems of the strict reading.
fn check(text: &str, entries: &[&str], problems: &[&str]) {
    let read = read(text.as_bytes()).unwrap();
    let lists = [("", &read.state.include), ("-", &read.state.exclude)];
    let shown: Vec<String> = lists
        .iter()
        .flat_map(|(sign, list)| list.iter().map(move |entry| format!("{sign}{entry}")))
        .collect();
    assert_eq!(shown, entries);
    let found: Vec<String> = list_problems(&read.problems).lines().map(str::to_owned).collect();
    assert_eq!(found, problems);
}

fn warnings(text: &str) -> Vec<String> {
    read(text.as_bytes()).unwrap().warnings
}

#[test]
fn every_form_of_an_entry_is_read() {
    check(
        r#"{"v":2,"i":["a",["b",1],["c",2,3],["d",0,0],["e",1,["type","dynamic"]],["f",1,7]],"x":["g"]}"#,
        &[
            r#""a""#,
            r#"["b", 1]"#,
            r#"["c", 2, 3]"#,
            r#"["d", 0, 0]"#,
            r#"["e", 1, 6]"#,
            r#"["f", 1]"#,
            r#"-"g""#,
        ],
        &[],
    );
}

#[test]
fn every_problem_is_listed_at_once_with_its_path_and_position() {
    check(
        "{\"v\": 2,\n \"i\": [[\"a\", -1], null, [\"b\", 1.5, 2.5], [\"\", 0],\n  [\"c\", 1, [\"types\"]], \"\", [\"d\", 1, 7, 1], [\"e\"]],\n \"note\": 1}",
        &[r#""a""#, r#"["b", 1, 2]"#, r#"["c", 1, 0]"#, r#"["d", 1]"#, r#""e""#],
        &[
            "`i[0][1]`: found `-1`; allowed: a whole number from 0 (edges to follow) (line 2, column 14)",
            "`i[1]`: found `null`; allowed: \"id\", [\"id\", depth], [\"id\", depth, kinds] (line 2, column 19)",
            "`i[2][1]`: found `1.5`; allowed: a whole number from 0 (edges to follow) (line 2, column 31)",
            "`i[2][2]`: found `2.5`; allowed: a mask 0..7 (runtime 1, type 2, dynamic 4) or a list of those names (line 2, column 36)",
            "`i[3][0]`: found \"\"; allowed: the id of a node (line 2, column 43)",
            "`i[4][2][0]`: found \"types\"; allowed: `runtime`, `type`, `dynamic` (line 3, column 13)",
            "`i[5]`: found a blank id; allowed: the id of a node (line 3, column 24)",
            "`i[6]`: found a list of 4; allowed: [\"id\", depth] or [\"id\", depth, kinds] (line 3, column 28)",
            "`i[7]`: found a list of 1; allowed: [\"id\", depth] or [\"id\", depth, kinds] (line 3, column 44)",
            "`note`: unknown member; allowed: `v`, `i`, `x`, `z`, `q` (line 4, column 10)",
        ],
    );
}

#[test]
fn trailing_commas_and_comments_are_named_with_line_and_column() {
    let text = "{ \"v\": 2, // the state\n  \"i\": [\"a\",],\n}";
    check(
        text,
        &[r#""a""#],
        &[
            "a comment; JSON has none, so remove it (line 1, column 11)",
            "a trailing comma; JSON has none, so remove it (line 2, column 12)",
            "a trailing comma; JSON has none, so remove it (line 2, column 14)",
        ],
    );
    assert_eq!(
        warnings(text),
        [
            "Comment in the state at line 1, column 11; ignoring.",
            "Trailing comma in the state at line 2, column 12; ignoring.",
            "Trailing comma in the state at line 2, column 14; ignoring.",
        ]
    );
}

#[test]
fn version_one_is_read_and_reported() {
    let text = br#"{"include":["a",["b",1,["runtime"]]],"exclude":[]}"#;
    let read = read(text).unwrap().strict().unwrap();
    assert_eq!(read.version, StateVersion::V1);
    assert_eq!(read.state.include, [entry("a", 0, None), entry("b", 1, Some(1))]);
    assert_eq!(read.notes.len(), 1);
    assert!(read.notes[0].message.contains("written in version 1"), "{:?}", read.notes);
    assert_eq!(super::read(br#"{"v":1,"include":[]}"#).unwrap().version, StateVersion::V1);
}

#[test]
fn the_version_must_be_known() {
    check(r#"{"v":3,"i":["a"]}"#, &[r#""a""#], &[]);
    check(
        r#"{"v":3,"i":[]}"#,
        &[],
        &[
            "`v`: found `3`; allowed: `2`, or `3` with `i`, `z` or `q` (and `1`, the old form) (line 1, column 6)",
        ],
    );
    check(
        r#"{"v":4,"i":["a"]}"#,
        &[r#""a""#],
        &[
            "`v`: found `4`; allowed: `2`, or `3` with `i`, `z` or `q` (and `1`, the old form) (line 1, column 6)",
        ],
    );
    check(r#"{"i":["a"]}"#, &[r#""a""#], &["`v`: missing; write `\"v\": 2` (line 1, column 1)"]);
    check(
        r#"{"v":"2","i":[]}"#,
        &[],
        &[
            "`v`: found \"2\"; allowed: `2`, or `3` with `i`, `z` or `q` (and `1`, the old form) (line 1, column 6)",
        ],
    );
}

#[test]
fn the_long_names_and_a_missing_list_are_tolerated_with_a_note() {
    let notes = |text: &str| -> Vec<String> {
        let read = read(text.as_bytes()).unwrap().strict().unwrap();
        read.notes.iter().map(|note| note.path.clone()).collect()
    };
    check(r#"{"v":2,"i":["a"],"include":["b"]}"#, &[r#""a""#], &[]);
    check(r#"{"v":2,"include":["b"]}"#, &[r#""b""#], &[]);
    assert_eq!(notes(r#"{"v":2,"include":["b"]}"#), ["include"]);
    assert_eq!(notes(r#"{"v":2,"x":[]}"#), ["i"]);
}

#[test]
fn invalid_lists_and_duplicate_members_are_problems() {
    check(
        r#"{"v":2,"i":{}}"#,
        &[],
        &["`i`: found an object; allowed: a list of entries (line 1, column 12)"],
    );
    check(
        r#"{"v":2,"i":["a"],"i":["b"]}"#,
        &[r#""b""#],
        &["`i`: given twice; keep one (line 1, column 12)"],
    );
}

#[test]
fn unknown_bits_are_ignored_with_a_warning_in_both_readings() {
    let text = r#"{"v":2,"i":[["a",1,9],["b",1,8],["c",1,1e300],["d",1,4294967297]]}"#;
    check(text, &[r#"["a", 1, 1]"#, r#"["b", 1, 0]"#, r#"["c", 1, 0]"#, r#"["d", 1, 1]"#], &[]);
    let said = [
        "Invalid edgeKinds bit(s) for entry[0]: 8; ignoring.",
        "Invalid edgeKinds bit(s) for entry[1]: 8; ignoring.",
        "No valid edgeKinds for entry[1]; no edges will be traversed.",
        "Invalid edgeKinds bit(s) for entry[2]: 1e+300; ignoring.",
        "No valid edgeKinds for entry[2]; no edges will be traversed.",
        "Invalid edgeKinds bit(s) for entry[3]: 4294967296; ignoring.",
    ];
    assert_eq!(warnings(text), said);
    let notes: Vec<String> =
        read(text.as_bytes()).unwrap().notes.into_iter().map(|note| note.message).collect();
    assert_eq!(notes, said);
}

#[test]
fn depths_of_any_size_are_accepted() {
    check(
        r#"{"v":2,"i":[["a",1000000000000000000],["b",1e300],["c",1e999]]}"#,
        &[r#"["a", 1000000000000000000]"#, r#"["b", 18446744073709551615]"#, r#""c""#],
        &[
            "`i[2][1]`: found `1e999`; allowed: a whole number from 0 (edges to follow) (line 1, column 56)",
        ],
    );
}

#[test]
fn anything_but_an_object_is_rejected() {
    let fault = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        fault("[]"),
        "found an empty list; a state is an object: { \"v\": 2, \"i\": [] } (line 1, column 1)"
    );
    assert_eq!(
        fault("{\"v\": 2"),
        "not JSON: expected `,` or `}`, but the text ends (line 1, column 8)"
    );
    assert_eq!(
        fault("{\"i\": [\"a\" \"b\"]}"),
        "not JSON: expected `,` or `]`, found `\"` (line 1, column 12)"
    );
}

#[test]
fn the_empty_state_is_the_text_of_the_thread_opener() {
    assert_eq!(StateV2::default().to_text(), "{ \"v\": 2, \"i\": [] }\n");
}

#[test]
fn a_state_is_read_back_as_written() {
    let state = StateV2 {
        include: vec![entry("a \"b\"\u{1}", 0, None), entry("c", 3, Some(5)), entry("d", 2, None)],
        exclude: vec![entry("e", 0, Some(0))],
        ..StateV2::default()
    };
    let text = state.to_text();
    assert_eq!(text.lines().count(), 7, "{text}");
    let read = read(text.as_bytes()).unwrap().strict().unwrap();
    assert_eq!((read.state, read.notes), (state, Vec::new()));
}

#[test]
fn a_hundred_thousand_bad_entries_on_one_line_are_read_in_one_pass() {
    let text = format!("{{\"v\":2,\"i\":[{}]}}", vec!["[null,-1,\"é\"]"; 100_000].join(","));
    let read = read(text.as_bytes()).unwrap();
    assert_eq!(read.problems.len(), 200_000);
    assert_eq!(read.state.include.len(), 0);
}

#[test]
fn version_3_requests_a_chart() {
    let text = r#"{"v":3,"i":["a"],"z":["src/api","*.ts"],"q":"retry \"it\""}"#;
    let read = read(text.as_bytes()).unwrap();
    assert_eq!((read.version, read.problems.len(), read.notes.len()), (StateVersion::V3, 0, 0));
    assert_eq!(read.state.zoom, ["src/api", "*.ts"]);
    assert_eq!(read.state.task.as_deref(), Some("retry \"it\""));
    let again = super::read(read.state.to_text().as_bytes()).unwrap();
    assert_eq!((again.state, again.version), (read.state, StateVersion::V3));
}

#[test]
fn a_chart_request_has_words_and_paths() {
    check(
        r#"{"v":3,"i":[],"z":["",1],"q":{}}"#,
        &[],
        &[
            "`z[0]`: found \"\"; allowed: a list of files, folders or globs, such as [\"src/api\"] (line 1, column 20)",
            "`z[1]`: found `1`; allowed: a list of files, folders or globs, such as [\"src/api\"] (line 1, column 23)",
            "`q`: found an object; allowed: the task in words (line 1, column 30)",
        ],
    );
}
