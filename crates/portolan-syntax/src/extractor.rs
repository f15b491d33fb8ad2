//! The way of a file through this crate: decode, parse, walk, describe.

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_span::GetSpan;
use portolan_types::EdgeKind;

use crate::comments::{self, Comment};
use crate::component;
use crate::dialect::{Component, Dialect, FileKind};
use crate::facts::{ExtractSettings, Facts, ImportForm, Problem, ProblemKind};
use crate::outline::{Gaps, Outline};
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
    /// For outlines.
    reduced: String,
    stack: usize,
    is_whole: bool,
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
        Self { allocator: Allocator::default(), reduced: String::new(), stack, is_whole: false }
    }

    /// Parses every text from end to end, also what holds no fact: slower, but finds every error.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.is_whole = true;
        self
    }

    /// What is known of the file `path` with these bytes. A file that is no code has no facts.
    pub fn extract(&mut self, path: &str, bytes: &[u8], settings: &ExtractSettings) -> Facts {
        let Some(kind) = FileKind::of(path) else { return Facts::default() };
        let text = text::decode(bytes);
        let mut reader = Reader { extractor: self, text: &text, recorder: Recorder::default() };
        match kind {
            FileKind::Script(dialect) => reader.read_file(dialect, settings),
            FileKind::Component(component) => reader.read_component(component),
        }
        reader.recorder.finish()
    }

    /// The scratch memory of the parser, empty.
    fn fresh_allocator(&mut self) -> &mut Allocator {
        if self.allocator.used_bytes() > KEPT_MEMORY {
            self.allocator = Allocator::default();
        }
        self.allocator.reset();
        &mut self.allocator
    }
}

/// Takes the comments of a script and the place where its code starts.
type ReadComments<'c> = dyn Fn(&[Comment<'_>], u32, &mut Recorder) + Sync + 'c;

/// Reads one file.
struct Reader<'r> {
    extractor: &'r mut Extractor,
    /// The text of the whole file.
    text: &'r str,
    recorder: Recorder,
}

impl<'r> Reader<'r> {
    fn read_file(&mut self, dialect: Dialect, settings: &ExtractSettings) {
        self.read_script(0, self.text, dialect, &|comments, code_start, recorder| {
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
            self.read_script(script.start, script.code, script.dialect, &|_, _, _| {});
        }
    }

    /// Reads a script that starts at `start`.
    fn read_script(
        &mut self,
        start: usize,
        code: &'r str,
        dialect: Dialect,
        read_comments: &ReadComments<'_>,
    ) {
        let outline = if self.extractor.is_whole { None } else { Outline::read(code, dialect) };
        if let Some(outline) = &outline
            && self.read_outline(code, outline, dialect, read_comments)
        {
            return;
        }
        let (extent, stack) = (outline.map(|outline| outline.extent()), self.extractor.stack);
        let allocator = self.extractor.fresh_allocator();
        let reading = Reading { start, code, text: self.text, recorder: &mut self.recorder };
        let is_read = stack::with_room_for(code, extent, stack, move || {
            reading.parse(allocator, dialect, read_comments);
        });
        if is_read.is_none() {
            self.recorder.problems.push(Problem {
                kind: ProblemKind::TooDeep,
                message: "nested too deeply to be parsed; searched for imports only".into(),
                position: None,
            });
            scan::record(&lexer::lex(code).tokens, &mut self.recorder);
        }
    }

    /// Reads what matters of a script; false, and nothing recorded, where that can't be told.
    fn read_outline(
        &mut self,
        code: &str,
        outline: &Outline<'_>,
        dialect: Dialect,
        read_comments: &ReadComments<'_>,
    ) -> bool {
        let mut scratch = std::mem::take(&mut self.extractor.reduced);
        let is_read = outline.write(&mut scratch) && {
            let (extent, stack) = (Some(outline.reduced_extent()), self.extractor.stack);
            let allocator = self.extractor.fresh_allocator();
            let (recorder, reduced) = (&mut self.recorder, scratch.as_str());
            let is_read = stack::with_room_for(reduced, extent, stack, move || {
                let parsed = parse::parse(allocator, reduced, dialect.source_types());
                let sound = parsed.program.filter(|program| {
                    parsed.error.is_none() && esm::is_told_by_outline(program, code)
                });
                sound.map(|program| {
                    let gaps = outline.gaps();
                    let code_start = gaps.original(code_start(&program) as usize);
                    let code_start = u32::try_from(code_start).unwrap_or(u32::MAX);
                    recorder.set_gaps(gaps);
                    esm::record(&program, recorder);
                    expressions::record(&program, recorder);
                    recorder.set_gaps(Gaps::default());
                    read_comments(&outline.comments, code_start, recorder);
                })
            });
            is_read.flatten().is_some()
        };
        self.extractor.reduced = scratch;
        is_read
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
    fn parse(self, allocator: &Allocator, dialect: Dialect, read_comments: &ReadComments<'_>) {
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
