//! Renders an x07 pack as Markdown for people and chats, the most important part first.

use std::fmt::Write;

use portolan_types::{fence_for, is_invisible};
use portolan_wire::pack::Pack;
use serde_json::Value;

/// Renders a pack as Markdown.
pub fn to_markdown(pack: &Pack) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, pack);
    out
}

fn write(out: &mut String, pack: &Pack) -> std::fmt::Result {
    let diagnostics = list(&pack.diagnostics);
    let focus = diagnostics.iter().find(|diagnostic| is_focus(pack, diagnostic));
    writeln!(out, "# {} in `{}`\n", code(&pack.focus.diag_code), code(&pack.ast.source_path))?;
    if let Some(focus) = focus {
        writeln!(out, "{}\n", quote(&focus["message"]))?;
    }
    writeln!(out, "- at `{}`{}", code(&pack.focus.loc_ptr), moved(pack))?;
    writeln!(
        out,
        "- project `{}`, world `{}`",
        code(&pack.project.entry),
        code(&pack.project.world)
    )?;
    if let Some(focus) = focus {
        extras(out, focus)?;
    }
    writeln!(out, "\n## Code\n")?;
    fenced(out, &String::from_utf8_lossy(&pack.ast.slice_ast))?;
    left_out(out, pack)?;
    others(out, &diagnostics, focus)?;
    digests(out, pack)
}

fn list(payload: &[u8]) -> Vec<Value> {
    let payload: Value = serde_json::from_slice(payload).unwrap_or_default();
    payload["diagnostics"].as_array().cloned().unwrap_or_default()
}

fn is_focus(pack: &Pack, diagnostic: &Value) -> bool {
    diagnostic["code"] == *pack.focus.diag_code && diagnostic["loc"]["ptr"] == *pack.focus.loc_ptr
}

fn moved(pack: &Pack) -> String {
    let remap = pack.ast.slice_meta.ptr_remap.first();
    remap.map_or_else(String::new, |remap| format!(", in the code below at `{}`", code(&remap.to)))
}

/// The notes and the structured data of the focused diagnostic.
fn extras(out: &mut String, focus: &Value) -> std::fmt::Result {
    for note in focus["notes"].as_array().into_iter().flatten() {
        writeln!(out, "- note: {}", line(note.as_str().unwrap_or_default()))?;
    }
    if let Some(data) = focus.get("data") {
        writeln!(out, "\n## Data\n")?;
        fenced(out, &portolan_wire::canonical::to_string(data))?;
    }
    Ok(())
}

fn left_out(out: &mut String, pack: &Pack) -> std::fmt::Result {
    let meta = &pack.ast.slice_meta;
    let mut lines = Vec::new();
    for (what, names) in [
        ("decls", &meta.missing.locals),
        ("types", &meta.missing.types),
        ("imports", &meta.missing.imports),
    ] {
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| format!("`{}`", code(name))).collect();
            lines.push(format!("- {what}: {}", names.join(", ")));
        }
    }
    if let Some(cut) = &meta.truncation {
        lines.push(format!(
            "- cut by `{}`: {} of {} decls, {} of {} bytes are here; `0` stands for elided code",
            cut.reason, cut.decls_after, cut.decls_before, cut.bytes_after, cut.bytes_before
        ));
    }
    if lines.is_empty() {
        lines.push("- nothing that the focus refers to".to_owned());
    }
    writeln!(out, "\n## Left out\n\n{}", lines.join("\n"))
}

fn others(out: &mut String, diagnostics: &[Value], focus: Option<&Value>) -> std::fmt::Result {
    let others: Vec<&Value> = diagnostics.iter().filter(|other| Some(*other) != focus).collect();
    if others.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Other diagnostics\n")?;
    for other in others {
        let text = |field: &str| line(other[field].as_str().unwrap_or_default());
        let place = other["loc"]["ptr"]
            .as_str()
            .map_or_else(String::new, |ptr| format!(" at `{}`", code(ptr)));
        writeln!(out, "- {} {}{place}: {}", text("severity"), text("code"), text("message"))?;
    }
    Ok(())
}

fn digests(out: &mut String, pack: &Pack) -> std::fmt::Result {
    writeln!(out, "\n## Made of\n")?;
    for file in &pack.digests.inputs {
        writeln!(
            out,
            "- `{}`, {} bytes, sha256 `{}`",
            code(&file.path),
            file.bytes_len,
            file.sha256
        )?;
    }
    writeln!(out, "\nby {} {}", pack.toolchain.name, pack.toolchain.version)
}

/// Writes a fence that is longer than any run of backticks in the text.
fn fenced(out: &mut String, text: &str) -> std::fmt::Result {
    let fence = fence_for(text);
    writeln!(out, "{fence}json\n{text}\n{fence}")
}

/// Escapes text for a code span: on one line, and without backticks that would end it.
fn code(text: &str) -> String {
    line(text).replace('`', "'")
}

/// Puts text on one line.
fn line(text: &str) -> String {
    text.chars().map(|c| if is_invisible(c) { ' ' } else { c }).collect()
}

fn quote(message: &Value) -> String {
    let lines =
        message.as_str().unwrap_or_default().lines().map(|text| format!("> {}", line(text)));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{code, fenced};

    #[test]
    fn untrusted_text_cannot_leave_its_span_or_fence() {
        assert_eq!(code("a`b\n# c"), "a'b # c");
        let mut out = String::new();
        fenced(&mut out, "{\"a\":\"````\"}").unwrap();
        assert_eq!(out, "`````json\n{\"a\":\"````\"}\n`````\n");
    }
}
