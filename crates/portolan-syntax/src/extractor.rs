//! The way of a file through this crate: decode, parse, walk, describe.

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_span::GetSpan;

use crate::comments::{self, Comment};
use crate::dialect::Dialect;
use crate::facts::{ExtractSettings, Facts, Problem, ProblemKind};
use crate::parse::{self, SyntaxError};
use crate::recorder::Recorder;
use crate::{description, esm, expressions, text};

/// Whether the file `path` is one that [`Extractor::extract`] can read.
pub fn is_code(path: &str) -> bool {
    Dialect::of(path).is_some()
}

/// Reads files one after the other; keeps its scratch memory between them.
#[derive(Default)]
pub struct Extractor {
    allocator: Allocator,
}

impl Extractor {
    /// An extractor without memory of its own yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What is known of the file `path` with these bytes. A file that is no code has no facts.
    pub fn extract(&mut self, path: &str, bytes: &[u8], settings: &ExtractSettings) -> Facts {
        let Some(dialect) = Dialect::of(path) else { return Facts::default() };
        let text = text::decode(bytes);
        let mut recorder = Recorder::default();
        self.allocator.reset();
        extract_script(&self.allocator, &text, dialect, settings, &mut recorder);
        recorder.finish()
    }
}

fn extract_script(
    allocator: &Allocator,
    text: &str,
    dialect: Dialect,
    settings: &ExtractSettings,
    recorder: &mut Recorder,
) {
    let parsed = parse::parse(allocator, text, dialect.source_types());
    if let Some(error) = parsed.error {
        recorder.problems.push(broken(text, error));
    }
    if let Some(program) = &parsed.program {
        esm::record(program, recorder);
        expressions::record(program, recorder);
        let comments = comments_of(program);
        comments::record_references(&comments, code_start(program), recorder);
        if dialect == Dialect::Js {
            comments::record_jsdoc(&comments, recorder);
        }
        recorder.description = description::of(&comments, settings);
    }
}

fn broken(text: &str, error: SyntaxError) -> Problem {
    let position = error.offset.map(|offset| text::position(text, offset));
    Problem { kind: ProblemKind::Broken, message: error.message, position }
}

fn comments_of<'a>(program: &Program<'a>) -> Vec<Comment<'a>> {
    let comment = |span: oxc_span::Span| Comment {
        start: span.start,
        text: span.source_text(program.source_text),
    };
    program.comments.iter().map(|found| comment(found.span)).collect()
}

/// Where the first statement starts.
fn code_start(program: &Program<'_>) -> u32 {
    let directive = program.directives.first().map(|directive| directive.span.start);
    let statement = program.body.first().map(|statement| statement.span().start);
    directive.into_iter().chain(statement).min().unwrap_or(u32::MAX)
}
