//! What the tree accepts, rejects and writes.

use super::{Kind, Tree, parse};

fn canonical(input: &str) -> String {
    let (mut tree, root) = parse(input.as_bytes()).unwrap();
    let sorted = tree.copy_sorted(root);
    let bytes = tree.to_canonical(sorted);
    assert_eq!(bytes.len(), tree.width(sorted), "{input}");
    String::from_utf8(bytes).unwrap()
}

fn check_error(input: &[u8], expected: &str) {
    assert_eq!(parse(input).unwrap_err().to_string(), expected);
}

#[test]
fn canonical_form_agrees_with_serde_values() {
    for input in [
        "[333333333.33333329,1E30,4.50,2e-3,-0,-0.0,1e21,123456789012345680000,9007199254740993,-5,1e-400]",
        r#"{"\u20ac":1,"\r":[{}],"\ufb33":[],"1":{"b":[1,{"z":null,"a":true}],"a":false},"\ud83d\ude00":5}"#,
        r#" "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/\u007f" "#,
        "[[[[]]],{},[{\"a\":{}}]]",
    ] {
        let value = serde_json::from_str(input).unwrap();
        assert_eq!(canonical(input), crate::canonical::to_string(&value), "{input}");
    }
}

#[test]
fn invalid_json_is_rejected_with_its_position() {
    check_error(b"", "the text is empty at line 1 column 1");
    check_error(b"\xef\xbb\xbf1", "expected a value, found `\u{feff}` at line 1 column 1");
    check_error(b"[1,\n \xff]", "the text is not UTF-8 at line 2 column 2");
    check_error(b"1 2", "expected the end of the text at line 1 column 3");
    check_error(b"[1,]", "expected a value, found `]` at line 1 column 4");
    check_error(b"{\"a\":1,}", "expected a name in double quotes, found `}` at line 1 column 8");
    check_error(
        "\"é\n\"".as_bytes(),
        "a control character in a string; write it as an escape at line 1 column 3",
    );
    check_error(
        br#""\ud800""#,
        "a surrogate without its other half in a string at line 1 column 8",
    );
    check_error(
        br#""\ud800\u0041""#,
        "a surrogate without its other half in a string at line 1 column 14",
    );
    check_error(
        br#""\udc00""#,
        "a surrogate without its other half in a string at line 1 column 8",
    );
    check_error(br#""\u12g4""#, "`\\u` needs four hexadecimal digits at line 1 column 3");
    check_error(b"01", "expected the end of the text at line 1 column 2");
    check_error(b"[1e400]", "number out of range at line 1 column 2");
    check_error(b"[-]", "expected a digit, found `]` at line 1 column 3");
    check_error(b"NaN", "expected a value, found `N` at line 1 column 1");
    check_error(b"{\"a\"", "expected `:`, but the text ends at line 1 column 5");
    check_error(b"[1}", "expected `,` or `]`, found `}` at line 1 column 3");
}

#[test]
fn a_duplicate_key_is_rejected_however_it_is_written() {
    check_error(
        br#"{"x":{"a":1,"b":2,"\u0061":3}}"#,
        "the key \"a\" is there twice in the object at line 1 column 6",
    );
    let many: Vec<String> = (0..40).map(|key| format!("\"k{}\":0", key % 39)).collect();
    let many = format!("{{{}}}", many.join(","));
    check_error(many.as_bytes(), "the key \"k0\" is there twice in the object at line 1 column 1");
}

#[test]
fn nesting_is_bounded() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse(nested(127).as_bytes()).is_ok());
    check_error(nested(128).as_bytes(), "more than 127 levels of nesting at line 1 column 128");
    check_error(
        "[".repeat(1_000_000).as_bytes(),
        "more than 127 levels of nesting at line 1 column 128",
    );
}

#[test]
fn a_pointer_leads_back_to_its_value() {
    let input = br#"{"a/b":[0,{"~":[[],[1,"x"]]}],"c":2}"#;
    let (tree, root) = parse(input).unwrap();
    for node in tree.walk(root).filter(|&node| tree.kind(node) != Kind::Key) {
        let pointer = tree.pointer(root, node);
        let found = pointer.split('/').skip(1).try_fold(root, |at, token| {
            tree.step(at, &token.replace("~1", "/").replace("~0", "~"))
        });
        assert_eq!(found, Some(node), "{pointer}");
    }
    let array = tree.step(root, "a/b").unwrap();
    for token in ["00", "01", "+0", "-", "", "2", "18446744073709551616"] {
        assert_eq!(tree.step(array, token), None, "{token}");
    }
}

#[test]
fn a_built_tree_is_written_as_built() {
    let mut tree = Tree::empty();
    let object = tree.open_object();
    tree.push_key("list");
    let list = tree.open_array();
    tree.push_zero();
    tree.push_string("a\"b");
    tree.close(list);
    tree.push_key("nothing");
    let nothing = tree.open_object();
    tree.close(nothing);
    let root = tree.close(object);
    assert_eq!(tree.to_canonical(root), br#"{"list":[0,"a\"b"],"nothing":{}}"#);
    assert_eq!(tree.width(root), tree.to_canonical(root).len());
}
