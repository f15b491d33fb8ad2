//! The page of rules is generated from the rules.

use portolan_guard::rules;

#[test]
fn the_page_lists_every_rule() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/secrets.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once("| rule | denies |\n| --- | --- |\n").unwrap();
    let tail = rest.split_once("\n\n").map_or("", |(_, tail)| tail);
    let rows: String =
        rules().iter().map(|rule| format!("| `{}` | {} |\n", rule.name, rule.denies)).collect();
    let expected = format!("{head}| rule | denies |\n| --- | --- |\n{rows}\n{tail}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    } else {
        assert_eq!(page, expected, "run UPDATE_DOCS=1 cargo test -p portolan-guard");
    }
}
