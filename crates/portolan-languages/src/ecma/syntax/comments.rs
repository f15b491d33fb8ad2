//! Reads imports from comments: reference directives and `JSDoc` types.
//!
//! Descriptions also come from comments; see [`crate::ecma::syntax::description`].

use memchr::memmem;
use portolan_types::EdgeKind;

use crate::ecma::syntax::import_form::EcmaImportForm;
use crate::ecma::syntax::recorder::{LocalSpan, Recorder};
use crate::ecma::syntax::scan;
use crate::syntax::text;
use crate::syntax::words::closing_brace;

/// A comment: its offset, and its text including the slashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comment<'t> {
    pub(crate) start: u32,
    pub(crate) text: &'t str,
}

impl<'t> Comment<'t> {
    /// The span of the comment.
    fn span(self) -> LocalSpan {
        LocalSpan { start: self.start, end: self.start + self.text.len() as u32 }
    }

    /// The inside of a doc comment, `/** … */`.
    pub(crate) fn doc(self) -> Option<&'t str> {
        if self.text == "/**/" {
            return Some("");
        }
        let inside = self.text.strip_prefix("/**")?;
        Some(inside.strip_suffix("*/").unwrap_or(inside))
    }
}

/// The lines of a doc comment, without their margins.
pub(crate) fn doc_lines(doc: &str) -> impl Iterator<Item = &str> {
    doc.split(['\n', '\r']).map(|line| {
        let line = line.trim();
        line.strip_prefix('*').map_or(line, str::trim)
    })
}

/// Records `/// <reference path="…" />` and `types="…"` before the first code.
pub(crate) fn record_references(
    comments: &[Comment<'_>],
    code_start: u32,
    recorder: &mut Recorder,
) {
    for comment in comments.iter().take_while(|comment| comment.start < code_start) {
        let Some(directive) = comment.text.strip_prefix("///") else { continue };
        let Some(attributes) = directive.trim_start().strip_prefix("<reference") else { continue };
        let forms =
            [("path", EcmaImportForm::ReferencePath), ("types", EcmaImportForm::ReferenceTypes)];
        for (name, form) in forms {
            if let Some(specifier) = attribute(attributes, name) {
                recorder.import(comment.span(), specifier, EdgeKind::Type, form);
            }
        }
    }
}

/// The value of `name="value"` in a tag.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, after) = tag.split_once(name)?;
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value[1..].split_once(quote).map(|(value, _)| value)
}

/// Records the imported types in doc comments: `{import('x').T}` and `@import { T } from 'x'`.
pub(crate) fn record_jsdoc(comments: &[Comment<'_>], recorder: &mut Recorder) {
    for comment in comments {
        if let Some(doc) = comment.doc()
            && memmem::find(doc.as_bytes(), b"import").is_some()
        {
            record_type_expressions(comment.span(), doc, recorder);
            record_import_tags(comment.span(), doc, recorder);
        }
    }
}

/// `@tag {… import('x').T …}`
fn record_type_expressions(part: LocalSpan, doc: &str, recorder: &mut Recorder) {
    let mut rest = doc;
    while let Some((_, after)) = rest.split_once('@') {
        let name_length = after.find(|char: char| !char.is_alphanumeric()).unwrap_or(after.len());
        rest = &after[name_length..];
        if let Some(braced) = rest.trim_start().strip_prefix('{') {
            let inside = &braced[..closing_brace(braced)];
            record_import_types(part, inside, recorder);
            rest = &braced[inside.len()..];
        }
    }
}

fn record_import_types(part: LocalSpan, types: &str, recorder: &mut Recorder) {
    let mut rest = types;
    while let Some((before, after)) = rest.split_once("import") {
        rest = after;
        if before.ends_with(|char: char| char.is_alphanumeric() || matches!(char, '_' | '$' | '.'))
        {
            continue;
        }
        let Some((specifier, member)) = import_call(after) else { continue };
        let specifier = text::unescape(specifier);
        let id = recorder.import(part, &specifier, EdgeKind::Type, EcmaImportForm::Import);
        if let Some(name) = member_name(member) {
            recorder.request_in_type(part.start, id, name);
        }
    }
}

/// The specifier in `('x')` and what follows.
fn import_call(text: &str) -> Option<(&str, &str)> {
    let argument = text.trim_start().strip_prefix('(')?.trim_start();
    let quote = argument.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let (specifier, after) = argument[1..].split_once(quote)?;
    let after = after.trim_start().strip_prefix(')')?;
    (!specifier.contains(['\n', '\r'])).then_some((specifier, after))
}

fn member_name(text: &str) -> Option<&str> {
    let member = text.trim_start().strip_prefix('.')?.trim_start();
    let end = member
        .find(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '$')))
        .unwrap_or(member.len());
    member.get(..end).filter(|name| !name.is_empty())
}

/// `@import { T } from 'x'`, which may span several lines.
fn record_import_tags(part: LocalSpan, doc: &str, recorder: &mut Recorder) {
    let mut lines = doc_lines(doc).peekable();
    while let Some(line) = lines.next() {
        let Some(clause) =
            line.strip_prefix("@import").filter(|clause| clause.starts_with([' ', '\t', '{', '*']))
        else {
            continue;
        };
        let mut statement = String::from("import type ");
        statement.push_str(clause);
        while let Some(more) = lines.next_if(|line| !line.starts_with('@')) {
            statement.push('\n');
            statement.push_str(more);
        }
        scan::record_import_statement(part, &statement, recorder);
    }
}
