//! Reads TypeScript, JavaScript, and the scripts inside components.

pub(crate) mod comments;
mod commonjs;
pub(crate) mod component;
mod declarations;
mod description;
pub(crate) mod dialect;
mod endings;
mod esm;
mod expressions;
mod import_form;
pub(crate) mod lexer;
mod literal;
mod markup;
mod nesting;
mod outline;
mod parse;
mod recorder;
mod scan;
mod stack;

#[cfg(test)]
mod tests;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_span::GetSpan;
use portolan_types::declarations::{Builtins, Declarations};
use portolan_types::{EdgeKind, LanguageName};

use self::comments::Comment;
use self::dialect::{Component, Dialect, FileKind};
pub use self::import_form::EcmaImportForm;
use self::outline::{Gaps, ScriptOutline};
use self::recorder::{LocalSpan, Recorder};
use crate::syntax::text;
use crate::syntax::words::{self, Word};
use crate::{ExtractSettings, Facts, Language, Problem, ProblemKind, Scratch, SourceText};

/// Scratch memory beyond this size is freed after a file.
const KEPT_MEMORY: usize = 64 << 20;

/// TypeScript and JavaScript.
#[derive(Clone, Copy, Debug)]
pub struct Ecma;

impl Language for Ecma {
    fn name(&self) -> &'static str {
        "ecma"
    }

    fn claim(&self, path: &str) -> Option<u8> {
        FileKind::of(path).map(FileKind::code)
    }

    fn word(&self, path: &str) -> LanguageName {
        const TS: LanguageName = LanguageName::new("ts");
        const JS: LanguageName = LanguageName::new("js");
        match FileKind::of(path) {
            Some(FileKind::Script(Dialect::Js)) => JS,
            Some(FileKind::Script(_)) => TS,
            Some(FileKind::Component(_)) | None => LanguageName::OTHER,
        }
    }

    fn words<'t>(&self, path: &str, text: &'t str, take: &mut dyn FnMut(Word<'t>)) {
        words::of_ecma(path, text, take);
    }

    fn extract(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Facts {
        let Some(kind) = FileKind::of(source.path) else { return Facts::default() };
        let mut memory = scratch.take::<EcmaScratch>();
        let stack = if scratch.stack == 0 { stack::DEFAULT_STACK } else { scratch.stack };
        let mut reader = FileReader {
            memory: &mut memory,
            stack,
            is_whole: scratch.is_whole,
            text: source.text,
            recorder: Recorder::default(),
        };
        match kind {
            FileKind::Script(dialect) => reader.read_file(dialect, source.settings),
            FileKind::Component(component) => reader.read_component(component),
        }
        let facts = reader.recorder.finish();
        scratch.keep(memory);
        facts
    }

    fn imports(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Facts {
        if !matches!(FileKind::of(source.path), Some(FileKind::Script(_))) {
            return self.extract(source, scratch);
        }
        let mut recorder = Recorder::default();
        scan::record(&lexer::lex(source.text).tokens, &mut recorder);
        recorder.finish()
    }

    fn declarations(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Declarations {
        let Some(kind) = FileKind::of(source.path) else { return Declarations::default() };
        let mut memory = scratch.take::<EcmaScratch>();
        let stack = if scratch.stack == 0 { stack::DEFAULT_STACK } else { scratch.stack };
        let found = declarations::read(source.text, kind, memory.fresh_allocator(), stack);
        scratch.keep(memory);
        found
    }

    fn builtins(&self) -> &'static dyn Builtins {
        &declarations::EcmaBuiltins
    }

    fn glob_includes(&self, name: &str) -> bool {
        name != "default"
    }
}

/// Memory that is reused from file to file.
#[derive(Default)]
struct EcmaScratch {
    allocator: Allocator,
    /// The reduced text of an outline.
    reduced: String,
}

impl EcmaScratch {
    /// The parser's allocator, empty.
    fn fresh_allocator(&mut self) -> &mut Allocator {
        if self.allocator.used_bytes() > KEPT_MEMORY {
            self.allocator = Allocator::default();
        }
        self.allocator.reset();
        &mut self.allocator
    }
}

/// Handles the comments of a script. The second argument is where its code starts.
type ReadComments<'c> = dyn Fn(&[Comment<'_>], u32, &mut Recorder) + Sync + 'c;

/// Reads one file.
struct FileReader<'r> {
    memory: &'r mut EcmaScratch,
    /// The stack size of the thread.
    stack: usize,
    /// Whether to parse the whole text.
    is_whole: bool,
    /// The text of the whole file.
    text: &'r str,
    recorder: Recorder,
}

impl<'r> FileReader<'r> {
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
            if let Some(source) = script.source {
                self.recorder.set_base(0);
                // The source is a slice of the text, so the distance of the pointers is its offset.
                let start = (source.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
                let part = LocalSpan { start: start as u32, end: (start + source.len()) as u32 };
                self.recorder.import(part, source, EdgeKind::Runtime, EcmaImportForm::Import);
            }
            self.recorder.set_base(script.start);
            self.read_script(script.start, script.code, script.dialect, &|_, _, _| {});
        }
    }

    /// Reads a script at an offset in the file.
    fn read_script(
        &mut self,
        start: usize,
        code: &'r str,
        dialect: Dialect,
        read_comments: &ReadComments<'_>,
    ) {
        let outline = if self.is_whole { None } else { ScriptOutline::read(code, dialect) };
        if let Some(outline) = &outline
            && self.read_outline(code, outline, dialect, read_comments)
        {
            return;
        }
        let (extent, stack) = (outline.map(|outline| outline.extent()), self.stack);
        let allocator = self.memory.fresh_allocator();
        let reading = ScriptReader { start, code, text: self.text, recorder: &mut self.recorder };
        let is_read = stack::with_enough_stack(code, extent, stack, move || {
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

    /// Parses only the outline of a script. Returns false, and records nothing, if that is not
    /// enough.
    fn read_outline(
        &mut self,
        code: &str,
        outline: &ScriptOutline<'_>,
        dialect: Dialect,
        read_comments: &ReadComments<'_>,
    ) -> bool {
        let mut scratch = std::mem::take(&mut self.memory.reduced);
        let is_read = outline.write(&mut scratch) && {
            let (extent, stack) = (Some(outline.reduced_extent()), self.stack);
            let allocator = self.memory.fresh_allocator();
            let (recorder, reduced) = (&mut self.recorder, scratch.as_str());
            let is_read = stack::with_enough_stack(reduced, extent, stack, move || {
                let parsed = parse::parse(allocator, reduced, dialect.source_types());
                let sound = parsed.program.filter(|program| {
                    parsed.error.is_none() && esm::outline_is_enough(program, code)
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
        self.memory.reduced = scratch;
        is_read
    }
}

/// Parses one whole script of a file.
struct ScriptReader<'r> {
    start: usize,
    code: &'r str,
    /// The text of the whole file.
    text: &'r str,
    recorder: &'r mut Recorder,
}

impl ScriptReader<'_> {
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

/// The offset of the first statement.
fn code_start(program: &Program<'_>) -> u32 {
    let directive = program.directives.first().map(|directive| directive.span.start);
    let statement = program.body.first().map(|statement| statement.span().start);
    directive.into_iter().chain(statement).min().unwrap_or(u32::MAX)
}
