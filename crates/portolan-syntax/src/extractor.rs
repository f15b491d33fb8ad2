//! The way of a file through this crate: decode, parse, walk, describe.

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_span::GetSpan;
use portolan_types::EdgeKind;

use crate::comments::{self, Comment};
use crate::component;
use crate::dialect::{Component, Dialect, FileKind};
use crate::facts::{ExtractSettings, Facts, ImportForm, Problem, ProblemKind};
use crate::recorder::Recorder;
use crate::{description, esm, expressions, lexer, parse, scan, stack, text};

/// Scratch memory beyond this is given back after a file.
const KEPT_MEMORY: usize = 64 << 20;

/// Whether the file `path` is one that [`Extractor::extract`] can read.
pub fn is_code(path: &str) -> bool {
    FileKind::of(path).is_some()
}

/// Names the way a file is read: files that have the same code here and the same bytes have the same
/// facts. `None` for what is no code.
pub fn language_code(path: &str) -> Option<u8> {
    FileKind::of(path).map(FileKind::code)
}

/// Reads files one after the other; keeps its scratch memory between them.
pub struct Extractor {
    allocator: Allocator,
    stack: usize,
}

impl Default for Extractor {
    fn default() -> Self {
        Self::with_stack(stack::USUAL_STACK)
    }
}

impl Extractor {
    /// An extractor without memory of its own yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// An extractor for threads with a stack of this size. Parsing recurses: the more room there is,
    /// the less has to be known of a text before it is parsed.
    pub fn with_stack(stack: usize) -> Self {
        Self { allocator: Allocator::default(), stack }
    }

    /// What is known of the file `path` with these bytes. A file that is no code has no facts.
    pub fn extract(&mut self, path: &str, bytes: &[u8], settings: &ExtractSettings) -> Facts {
        let Some(kind) = FileKind::of(path) else { return Facts::default() };
        let text = text::decode(bytes);
        let mut reader = Reader {
            allocator: &mut self.allocator,
            stack: self.stack,
            text: &text,
            recorder: Recorder::default(),
        };
        match kind {
            FileKind::Script(dialect) => reader.read_file(dialect, settings),
            FileKind::Component(component) => reader.read_component(component),
        }
        reader.recorder.finish()
    }
}

/// Reads one file.
struct Reader<'r> {
    allocator: &'r mut Allocator,
    stack: usize,
    /// The text of the whole file.
    text: &'r str,
    recorder: Recorder,
}

impl<'r> Reader<'r> {
    fn read_file(&mut self, dialect: Dialect, settings: &ExtractSettings) {
        self.read_script(0, self.text, dialect, |comments, code_start, recorder| {
            comments::record_references(comments, code_start, recorder);
            if dialect == Dialect::Js {
                comments::record_jsdoc(comments, recorder);
            }
            recorder.description = description::of(comments, settings);
        });
    }

    fn read_component(&mut self, component: Component) {
        for script in component::scripts(self.text, component) {
            self.recorder.set_base(script.start);
            if let Some(source) = script.source {
                self.recorder.import(0, source, EdgeKind::Runtime, ImportForm::Import);
            }
            self.read_script(script.start, script.code, script.dialect, |_, _, _| {});
        }
    }

    /// Reads a script that starts at `start`; its comments go to `read_comments` together with
    /// the place where its code starts.
    fn read_script(
        &mut self,
        start: usize,
        code: &'r str,
        dialect: Dialect,
        read_comments: impl FnOnce(&[Comment<'_>], u32, &mut Recorder) + Send,
    ) {
        let Self { allocator, recorder, text, stack } = self;
        if allocator.used_bytes() > KEPT_MEMORY {
            **allocator = Allocator::default();
        }
        allocator.reset();
        let allocator: &mut Allocator = allocator;
        let reading = Reading { start, code, text, recorder };
        let is_read = stack::with_room_for(code, *stack, move || {
            reading.parse(allocator, dialect, read_comments);
        });
        if is_read.is_none() {
            recorder.problems.push(Problem {
                kind: ProblemKind::TooDeep,
                message: "nested too deeply to be parsed; searched for imports only".into(),
                position: None,
            });
            scan::record(&lexer::lex(code).tokens, recorder);
        }
    }
}

/// One script of a file.
struct Reading<'r> {
    start: usize,
    code: &'r str,
    /// The text of the whole file.
    text: &'r str,
    recorder: &'r mut Recorder,
}

impl Reading<'_> {
    fn parse(
        self,
        allocator: &Allocator,
        dialect: Dialect,
        read_comments: impl FnOnce(&[Comment<'_>], u32, &mut Recorder),
    ) {
        let recorder = self.recorder;
        let parsed = parse::parse(allocator, self.code, dialect.source_types());
        if let Some(error) = parsed.error {
            let position =
                error.offset.map(|offset| text::position(self.text, self.start + offset));
            recorder.problems.push(Problem {
                kind: ProblemKind::Broken,
                message: error.message,
                position,
            });
        }
        if let Some(program) = &parsed.program {
            esm::record(program, recorder);
            expressions::record(program, recorder);
            read_comments(&comments_of(program), code_start(program), recorder);
        } else {
            let lexed = lexer::lex(self.code);
            scan::record(&lexed.tokens, recorder);
            let code_start = lexed.tokens.first().map_or(u32::MAX, |token| token.start);
            read_comments(&lexed.comments, code_start, recorder);
        }
    }
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
