//! The rules in `docs/secrets.md` are generated from the rules in the code.

use std::fmt::Write as _;

use portolan_guard::rules;

const TABLE: &str = "| rule | denies |\n| --- | --- |\n";

/// The forms of an issuer's token: `` `ghp_…`, `gho_…` `` of `` a GitHub token (`ghp_…`, `gho_…`) ``.
fn forms(denies: &str) -> Option<&str> {
    let (start, _) = denies.match_indices(" (`").next()?;
    denies[start + 2..].strip_suffix(')')
}

#[test]
fn the_page_lists_every_rule() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/secrets.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, _) = page.split_once(TABLE).unwrap();
    let (mut rows, mut issuers) = (String::new(), Vec::new());
    for rule in rules() {
        match forms(rule.denies) {
            Some(forms) => issuers.push(format!("`{}` ({forms})", rule.name)),
            None => {
                let _ = writeln!(rows, "| `{}` | {} |", rule.name, rule.denies);
            }
        }
    }
    let issuers = issuers.join(",\n");
    let expected = format!("{head}{TABLE}{rows}\nTokens and keys of known issuers:\n{issuers}.\n");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    } else {
        assert_eq!(page, expected, "UPDATE_DOCS=1 cargo test -p portolan-guard regenerates it");
    }
}
