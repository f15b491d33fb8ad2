//! Parses a text as tolerantly as possible.

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::SourceType;

/// A syntax tree and the first error.
pub(crate) struct Parsed<'a> {
    /// The tree; `None` if the parser gave up.
    pub(crate) program: Option<Program<'a>>,
    /// The first error, if any.
    pub(crate) error: Option<SyntaxError>,
}

/// The first syntax error in a text.
pub(crate) struct SyntaxError {
    pub(crate) message: String,
    pub(crate) offset: Option<usize>,
}

/// Parses `text` in the first way that gives no errors.
///
/// If there is none, a tree with errors is better than nothing. The reported error is that of the
/// first way, which is the most likely one.
pub(crate) fn parse<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    ways: &[SourceType],
) -> Parsed<'a> {
    let mut recovered: Option<Program<'a>> = None;
    let mut error: Option<SyntaxError> = None;
    for way in ways {
        let parsed = parse_as(allocator, text, *way);
        let Some(problem) = first_error(&parsed) else {
            return Parsed { program: Some(parsed.program), error: None };
        };
        error.get_or_insert(problem);
        if !parsed.panicked {
            recovered.get_or_insert(parsed.program);
        }
    }
    Parsed { program: recovered, error }
}

fn parse_as<'a>(allocator: &'a Allocator, text: &'a str, way: SourceType) -> ParserReturn<'a> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        enable_ident_hashes: false,
        ..ParseOptions::default()
    };
    Parser::new(allocator, text, way).with_options(options).parse()
}

fn first_error(parsed: &ParserReturn<'_>) -> Option<SyntaxError> {
    let mut errors = parsed.diagnostics.errors();
    let first = errors.next()?;
    let others = errors.count();
    let message = match others {
        0 => first.message.to_string(),
        _ => format!("{} (and {others} more)", first.message),
    };
    let offset = first.labels.first().map(|label| label.offset() as usize);
    Some(SyntaxError { message, offset })
}
