//! Reads notebooks (`.ipynb`): JSON with cells, whose code stands line by line in strings.
//!
//! The code of all cells is laid out in a text that is as long as the file, with every line where its
//! string has it. So the reader of Python finds offsets of the file, and nothing has to be mapped.

use std::borrow::Cow;
use std::ops::Range;

use portolan_json::{Events, JsonToken, ReaderOptions};
use portolan_types::LanguageName;
use portolan_types::declarations::{Builtins, Declaration, DeclarationKind, Declarations, Flags};
use portolan_types::declarations::{List, NONE, Span};

use super::module::{PythonImport, PythonImportForm};
use super::{Python, declarations};
use crate::syntax::language::extension_of;
use crate::syntax::words::{Word, WordSite};
use crate::{Facts, Import, Language, Scratch, SourceText};

/// Notebooks of Jupyter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Notebook;

impl Language for Notebook {
    fn name(&self) -> &'static str {
        "notebook"
    }

    fn family(&self) -> &'static str {
        Python.name()
    }

    fn claim(&self, path: &str) -> Option<u8> {
        (extension_of(path)? == "ipynb").then_some(0)
    }

    fn word(&self, _path: &str) -> LanguageName {
        LanguageName::new("notebook")
    }

    fn kind_word(&self, kind: DeclarationKind) -> &'static str {
        if kind == CELL { "cell" } else { Python.kind_word(kind) }
    }

    fn words<'t>(&self, _path: &str, text: &'t str, take: &mut dyn FnMut(Word<'t>)) {
        let code = NotebookText::read(text).code;
        super::words::of_python(&code, &mut |word| {
            let end = word.at as usize + word.text.len();
            if let Some(text) = text.get(word.at as usize..end).filter(|it| *it == word.text) {
                take(Word { at: word.at, site: WordSite::Code, text });
            }
        });
    }

    fn extract(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Facts {
        let notebook = NotebookText::read(source.text);
        // What a notebook defines cannot be imported.
        let facts = Python.extract(&SourceText { text: &notebook.code, ..*source }, scratch);
        let mut facts = Facts { definitions: Vec::new(), dunder_all: None, ..facts };
        facts.imports.extend(notebook.runs.iter().map(|run| star_import(run)));
        facts
    }

    fn declarations(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Declarations {
        let notebook = NotebookText::read(source.text);
        let mut found = declarations::read_running(&notebook.code, &notebook.runs, scratch);
        for (cell, number) in notebook.cells.iter().zip(1u32..) {
            let name = cell.title.clone().unwrap_or_else(|| format!("cell {number}"));
            let name_number = found.names.len() as u32;
            found.names.push(name.into());
            found.items.push(cell_item(name_number, cell.span));
        }
        found
    }

    fn builtins(&self) -> &'static dyn Builtins {
        Python.builtins()
    }
}

/// The kind of a cell. Python has no interfaces.
const CELL: DeclarationKind = DeclarationKind::Interface;

fn cell_item(name: u32, span: Span) -> Declaration {
    Declaration {
        name,
        kind: CELL,
        flags: Flags::default(),
        parent: NONE,
        span,
        at: span.start,
        body: Span::default(),
        doc: NONE,
        shape: 0,
        parameters: List::default(),
        bases: List::default(),
        members: List::default(),
        next: NONE,
    }
}

/// A cell.
#[derive(Debug, Default, PartialEq, Eq)]
struct Cell {
    /// From its first line of text to its last; from its brace if it is empty.
    span: Span,
    /// The first heading of a cell with text.
    title: Option<String>,
}

/// A notebook, as far as it can be read.
#[derive(Debug, Default)]
struct NotebookText {
    /// The code, as long as the file.
    code: String,
    /// The files that it runs in its own namespace, as modules: `%run ../tools.py` is `..tools`.
    runs: Vec<String>,
    cells: Vec<Cell>,
}

/// A cell while its members are read.
#[derive(Default)]
struct OpenCell {
    start: usize,
    is_code: bool,
    /// The strings of its source, with their quotes.
    lines: Vec<Range<usize>>,
}

/// Where the reader is.
#[derive(Default)]
struct Position<'t> {
    /// The keys of the open containers, outermost first; empty for items of lists.
    open: Vec<Cow<'t, str>>,
    key: Cow<'t, str>,
}

impl Position<'_> {
    fn is(&self, path: &[&str]) -> bool {
        self.open.len() == path.len() && self.open.iter().zip(path).all(|(one, two)| one == two)
    }

    fn begin(&mut self) {
        let key = std::mem::take(&mut self.key);
        self.open.push(key);
    }
}

impl NotebookText {
    fn read(text: &str) -> Self {
        /// Outputs may nest deeply.
        const DEEPEST: usize = 512;
        let rules = ReaderOptions { deviations: false, mark: true, depth: DEEPEST };
        let mut events = Events::new(text, rules);
        let mut position = Position::default();
        let (mut cells, mut cell, mut language) = (Vec::new(), OpenCell::default(), None);
        while let Ok(Some(event)) = events.next() {
            match event.token {
                JsonToken::Key(key) => position.key = key,
                JsonToken::BeginObject | JsonToken::BeginArray => {
                    if position.is(&["", "cells"]) {
                        cell = OpenCell { start: event.at, ..OpenCell::default() };
                    }
                    position.begin();
                }
                JsonToken::EndObject | JsonToken::EndArray => {
                    position.open.pop();
                    if position.is(&["", "cells"]) {
                        cells.push(std::mem::take(&mut cell));
                    }
                }
                JsonToken::String(value) if position.is(&["", "cells", ""]) => {
                    match &*position.key {
                        "cell_type" => cell.is_code = value == "code",
                        "source" => cell.lines.push(string_at(text, event.at)),
                        _ => {}
                    }
                }
                JsonToken::String(_) if position.is(&["", "cells", "", "source"]) => {
                    cell.lines.push(string_at(text, event.at));
                }
                JsonToken::String(value)
                    if position.key == "name"
                        && position.is(&["", "metadata", "language_info"]) =>
                {
                    language = Some(value);
                }
                _ => {}
            }
        }
        let is_python = language.is_none_or(|name| name.eq_ignore_ascii_case("python"));
        Self::of_cells(text, &cells, is_python)
    }

    fn of_cells(text: &str, cells: &[OpenCell], is_python: bool) -> Self {
        let mut code = vec![b' '; text.len()];
        let (mut found, mut runs) = (Vec::new(), Vec::new());
        for cell in cells {
            let first = cell.lines.first().map_or(cell.start, |line| line.start);
            let last = cell.lines.last().map_or(cell.start + 1, |line| line.end);
            let span = Span::new(first as u32, last as u32);
            let title = if cell.is_code { None } else { title(text, cell) };
            found.push(Cell { span, title });
            if cell.is_code && is_python {
                write_cell(text, cell, &mut code, &mut runs);
            }
        }
        runs.sort_unstable();
        runs.dedup();
        Self { code: String::from_utf8(code).unwrap_or_default(), runs, cells: found }
    }
}

/// The first heading of a cell.
fn title(text: &str, cell: &OpenCell) -> Option<String> {
    let decoded = cell.lines.iter().map(|line| decoded(text, line.clone())).collect::<String>();
    let heading = decoded.lines().find(|line| line.starts_with('#'))?;
    let heading = heading.trim_start_matches('#').trim();
    (!heading.is_empty()).then(|| heading.to_owned())
}

/// The string that starts at a quote, with its quotes.
fn string_at(text: &str, start: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' => return start..at + 1,
            _ => {}
        }
        at += 1;
    }
    start..text.len()
}

/// The content of a string with quotes.
fn content(text: &str, string: Range<usize>) -> &str {
    let inner = text.get(string.start + 1..string.end).unwrap_or_default();
    inner.strip_suffix('"').unwrap_or(inner)
}

fn decoded(text: &str, string: Range<usize>) -> String {
    let mut plain = String::new();
    let mut rest = content(text, string);
    while !rest.is_empty() {
        let escape = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        plain.push_str(rest.get(..escape).unwrap_or_default());
        rest = rest.get(escape..).unwrap_or_default();
        let (run, length) = escapes(rest);
        plain.push_str(&run);
        rest = rest.get(length..).unwrap_or_default();
    }
    plain
}

/// The text of the escapes that a text starts with, and how many bytes they have.
fn escapes(text: &str) -> (String, usize) {
    let bytes = text.as_bytes();
    let mut units: Vec<u16> = Vec::new();
    let mut at = 0;
    while bytes.get(at) == Some(&b'\\') {
        let Some(letter) = bytes.get(at + 1) else {
            at += 1;
            break;
        };
        if !letter.is_ascii() {
            at += 1;
            continue;
        }
        at += 2;
        let unit = match letter {
            b'n' => b'\n'.into(),
            b't' => b'\t'.into(),
            b'u' => {
                let hex = text.get(at..at + 4).unwrap_or_default();
                at += hex.len();
                u16::from_str_radix(hex, 16).unwrap_or(b' '.into())
            }
            b'b' | b'f' | b'r' => b' '.into(),
            other => u16::from(*other),
        };
        units.push(unit);
    }
    (String::from_utf16_lossy(&units), at.min(text.len()))
}

/// Lays out the code of a cell. Each string begins a line at its quote, and what stands for an escape
/// is as long as the escape.
fn write_cell(text: &str, cell: &OpenCell, code: &mut [u8], runs: &mut Vec<String>) {
    if is_other_language(text, cell) {
        return;
    }
    for (string, number) in cell.lines.iter().zip(1..) {
        let is_last = number == cell.lines.len();
        let line = content(text, string.clone());
        let line = if is_last { line } else { line.strip_suffix("\\n").unwrap_or(line) };
        put(code, string.start, b"\n");
        let mut at = string.start + 1;
        let mut rest = line;
        while !rest.is_empty() {
            let plain = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
            put(code, at, rest.get(..plain).unwrap_or_default().as_bytes());
            let (run, length) = escapes(rest.get(plain..).unwrap_or_default());
            let padding = length.saturating_sub(run.len());
            indent(code, at + plain, padding);
            put(code, at + plain + padding, run.as_bytes());
            at += plain + length;
            rest = rest.get(plain + length..).unwrap_or_default();
        }
    }
    let (Some(first), Some(last)) = (cell.lines.first(), cell.lines.last()) else { return };
    if let Some(written) = code.get_mut(first.start..last.end) {
        blank_magics(written, runs);
    }
}

/// Moves the beginning of a line to the right, if there is only white space in it: what follows at
/// `at` shall keep its indentation, though it is padded.
fn indent(code: &mut [u8], at: usize, padding: usize) {
    let blank = code.get(..at).unwrap_or_default().iter().rev();
    let blank = blank.take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let Some(start) = at.checked_sub(blank + 1) else { return };
    if code.get(start) == Some(&b'\n') && at + padding <= code.len() {
        code.copy_within(start..at, start + padding);
        code[start..start + padding].fill(b' ');
    }
}

fn put(code: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = code.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

/// Whether a cell is not in the notebook's language: `%%bash`.
fn is_other_language(text: &str, cell: &OpenCell) -> bool {
    const OWN: [&str; 5] = ["time", "timeit", "capture", "prun", "python"];
    let first = cell.lines.iter().map(|line| decoded(text, line.clone()));
    let mut first = first.filter(|line| !line.trim().is_empty());
    let first = first.next().unwrap_or_default();
    let Some(magic) = first.trim_start().strip_prefix("%%") else { return false };
    let word = magic.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    !OWN.contains(&word)
}

/// Blanks lines that are commands of the notebook: `%matplotlib inline`, `!pip install x`. Keeps what they run.
fn blank_magics(code: &mut [u8], runs: &mut Vec<String>) {
    for line in code.split_mut(|byte| *byte == b'\n') {
        let written = line.trim_ascii_start();
        let is_magic = match (written.first(), written.get(1)) {
            (Some(b'%'), Some(next)) => next.is_ascii_alphabetic() || *next == b'%',
            (Some(b'!'), Some(next)) => *next != b'=',
            _ => false,
        };
        if is_magic {
            let run = written.strip_prefix(b"%run").and_then(|rest| std::str::from_utf8(rest).ok());
            runs.extend(run.and_then(module_run));
            line.fill(b' ');
        }
    }
}

/// The module that the arguments of `%run` name, as an import beside the notebook names it; the ending of a notebook
/// stays. `None` where they do not say which.
fn module_run(arguments: &str) -> Option<String> {
    let mut rest = arguments.strip_prefix(char::is_whitespace)?.trim();
    while rest.starts_with('-') {
        let (option, more) = rest.split_once(char::is_whitespace)?;
        rest = more.trim_start();
        if option == "-m" {
            return rest.split_whitespace().next().map(str::to_owned);
        }
    }
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let path = match quote {
        Some(quote) => rest.get(1..)?.split(quote).next()?,
        None => rest.split_whitespace().next()?,
    };
    // An escape of the file leaves a blank before it.
    let path = path.trim().replace('\\', "/");
    if path.starts_with(['/', '~']) || path.contains(['$', '{', ':', '*']) {
        return None;
    }
    let mut module = ".".to_owned();
    let names = path.split('/').filter(|name| !matches!(*name, "" | "."));
    let (above, names): (Vec<&str>, Vec<&str>) = names.partition(|name| *name == "..");
    module.push_str(&".".repeat(above.len()));
    let names = names.join(".");
    module.push_str(names.strip_suffix(".py").unwrap_or(&names));
    (!names.is_empty()).then_some(module)
}

/// What is run in the notebook's own namespace brings all its names, as a star import does.
fn star_import(module: &str) -> Import {
    super::import(&PythonImport {
        module: module.to_owned(),
        form: PythonImportForm::From,
        item: Some("*"),
        alias: None,
        is_type: false,
        is_global: true,
        start: 0,
        end: 0,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::NotebookText;
    use crate::syntax::declaring::shown::{outline, read, references};
    use crate::{ExtractSettings, Extractor};

    const NOTEBOOK: &str = r###"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": ["Words.\n", "## Load \"data\"\n"]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [{"data": {"text/plain": ["def no(): pass"]}}],
   "source": [
    "%matplotlib inline\n",
    "import numpy as np\n",
    "from .tools import clean\n",
    "\n",
    "def load(path, sep=\"\\t\"):\n",
    "    \"\"\"Reads\n",
    "    a file.\"\"\"\n",
    "    return clean(np.load(path))\n",
    "data = load('a')"
   ]
  },
  {"cell_type": "code", "metadata": {}, "source": "class A:\n    def b(self):\n\t\treturn load(1)\n"},
  {"cell_type": "code", "metadata": {}, "source": ["%%bash\n", "def x"]}
 ],
 "metadata": {"language_info": {"name": "python"}}
}"###;

    #[test]
    fn cells_and_the_declarations_of_code_are_read() {
        let expected = "\
+function load …
+variable data
+class A …
 +method b …
interface Load \"data\"
interface cell 2
interface cell 3
interface cell 4";
        assert_eq!(outline("a.ipynb", NOTEBOOK), expected);
        let found = read("a.ipynb", NOTEBOOK);
        let load = found.items.iter().find(|it| found.name(it.name) == "load").unwrap();
        let shown = &NOTEBOOK[load.span.start as usize..load.span.end as usize];
        assert!(shown.starts_with("def load(path, sep=") && shown.ends_with("np.load(path))"));
        assert!(references("a.ipynb", NOTEBOOK).contains("vclean"));
    }

    #[test]
    fn imports_of_cells_are_facts() {
        let mut extractor = Extractor::default();
        let facts = extractor.extract("a.ipynb", NOTEBOOK.as_bytes(), &ExtractSettings::default());
        let imports: Vec<&str> = facts.imports.iter().map(|it| &*it.specifier).collect();
        assert_eq!(imports, ["numpy", ".tools:clean"]);
        assert!(facts.definitions.is_empty(), "nobody imports a notebook");
    }

    #[test]
    fn what_a_notebook_runs_is_imported_as_a_whole() {
        let run = |arguments: &str| super::module_run(arguments);
        for (arguments, module) in [
            (" tools.py", ".tools"),
            (" ./tools", ".tools"),
            (" -i ../lib/tools.py --fast", "..lib.tools"),
            (" \"01 load.ipynb\"", ".01 load.ipynb"),
            (" -m pkg.tools", "pkg.tools"),
        ] {
            assert_eq!(run(arguments).as_deref(), Some(module), "{arguments}");
        }
        for nothing in ["", " ", "ner x.py", " $name", " /etc/x.py", " ..", " {folder}/x.py", " -i"]
        {
            assert_eq!(run(nothing), None, "{nothing}");
        }
        let cell =
            r#"{"cells": [{"cell_type": "code", "source": ["%run tools.py\n", "clean()"]}]}"#;
        let facts =
            Extractor::default().extract("a.ipynb", cell.as_bytes(), &ExtractSettings::default());
        let imports: Vec<&str> = facts.imports.iter().map(|it| &*it.specifier).collect();
        assert_eq!(imports, [".tools:*"]);
        assert!(references("a.ipynb", cell).contains("clean"), "a name of what was run");
    }

    #[test]
    fn code_of_other_languages_is_not_read() {
        let other = NOTEBOOK.replace("\"python\"", "\"julia\"");
        assert!(!outline("a.ipynb", &other).contains("function"));
        assert!(outline("a.ipynb", &other).contains("cell 2"));
    }

    proptest! {
        #[test]
        fn the_code_is_as_long_as_the_file(source in "[\\\\\"nu0t€ 'd:%!(]*", cut in 0usize..200) {
            let text = format!("{{\"cells\": [{{\"cell_type\": \"code\", \"source\": [\"{source}\"]}}]}}");
            let text = text.get(..cut.min(text.len())).unwrap_or(&text);
            let code = NotebookText::read(text).code;
            prop_assert!(code.len() == text.len() || code.is_empty());
        }
    }
}
