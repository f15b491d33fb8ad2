//! Reads the markup of a component: its sections, and the names of the scripts that it uses.

use oxc_allocator::Allocator;
use oxc_ast::ast::Statement;
use portolan_types::declarations::{DeclarationKind, List, NONE, Shape, Span};
use rustc_hash::FxHashMap;

use super::{UNKNOWN, Walker};
use crate::ecma::syntax::component::{ComponentSection, Script};
use crate::ecma::syntax::dialect::{Component, Dialect};
use crate::ecma::syntax::markup::{self, MarkupPart, MarkupText};
use crate::ecma::syntax::{parse, stack};

/// What parsing needs: memory, and the stack size of the thread.
type Room<'r> = (&'r mut Allocator, usize);

impl Walker {
    /// Reads everything but the scripts. Names that the markup binds hide those of the scripts in all of
    /// it: where exactly they are in force is not read.
    pub(super) fn markup(
        &mut self,
        text: &str,
        component: Component,
        scripts: &[Script<'_>],
        sections: &[ComponentSection],
        (allocator, stack): Room<'_>,
    ) {
        self.is_global = false;
        self.docs.clear();
        let template = self.sections(sections);
        let styles = sections.iter().filter(|it| it.name == "style");
        let scripts = scripts.iter().map(|it| it.start..it.start + it.code.len());
        let mut skipped: Vec<_> = scripts.chain(styles.map(|it| it.content.clone())).collect();
        skipped.sort_by_key(|it| it.start);
        let parts = markup::parts(text, component, &skipped);
        let dialect = if component == Component::Astro { Dialect::Tsx } else { Dialect::Ts };
        let mut times: FxHashMap<&str, u32> = FxHashMap::default();
        for part in &parts {
            if let MarkupPart::Locals(names, _) = part {
                for name in markup::bound_names(names.text) {
                    *times.entry(name).or_default() += 1;
                }
            }
        }
        self.within(template, |walker| {
            walker.scoped(false, |walker| {
                for part in &parts {
                    match part {
                        MarkupPart::Tag(tag) => walker.tag(*tag),
                        MarkupPart::Code(code) => {
                            walker.markup_code(*code, dialect, (&mut *allocator, stack));
                        }
                        MarkupPart::Locals(names, list) => {
                            let list = list.map_or(UNKNOWN, |list| {
                                walker.markup_code(list, dialect, (&mut *allocator, stack))
                            });
                            walker.markup_locals(names.text, list, &times);
                        }
                    }
                }
            });
        });
    }

    /// Declares the sections. Returns the template, if there is one.
    fn sections(&mut self, sections: &[ComponentSection]) -> u32 {
        let mut template = NONE;
        for section in sections {
            let name = self.name(section.name);
            let whole = Span::new(section.whole.start as u32, section.whole.end as u32);
            let item = self.tables.declare(DeclarationKind::Namespace, name, whole);
            let body = Span::new(section.content.start as u32, section.whole.end as u32);
            // It has a value of its own, or else it would stand for a module.
            let (members, spreads) = (List::default(), List::default());
            let shape = self.shape(Shape::Object { members, spreads });
            self.edit(item, |it| (it.body, it.shape) = (body, shape));
            if section.name == "template" {
                template = item;
            }
        }
        template
    }

    /// A tag that may name a component: `Child`, `ns.Child`, or `my-child` for `MyChild`.
    fn tag(&mut self, tag: MarkupText<'_>) {
        self.base = 0;
        let first = tag.text.split('.').next().unwrap_or(tag.text);
        if !first.contains('-') {
            self.value_name(first, tag.at as u32);
            return;
        }
        let pascal = pascal_case(first);
        let name = self.name(&pascal);
        if self.scopes.knows(name) {
            self.value_name(&pascal, tag.at as u32);
        }
    }

    /// Reads an expression, or the statements of an event. Returns the shape of the expression.
    fn markup_code(
        &mut self,
        code: MarkupText<'_>,
        dialect: Dialect,
        (arena, stack): Room<'_>,
    ) -> u32 {
        let Some(before) = code.at.checked_sub(1) else { return UNKNOWN };
        self.end = (code.at + code.text.len()) as u32;
        // In parentheses, an object is no block.
        let wrapped = ["(", code.text, "\n)"].concat();
        for (text, start) in [(wrapped.as_str(), before), (code.text, code.at)] {
            arena.reset();
            let (walker, arena) = (&mut *self, &mut *arena);
            let read = stack::with_enough_stack(text, None, stack, move || {
                let parsed = parse::parse(arena, text, &dialect.source_types()[..1]);
                let program = parsed.program.filter(|_| parsed.error.is_none())?;
                walker.base = start as u32;
                let only = program.body.first().filter(|_| program.body.len() == 1);
                Some(walker.hidden(|walker| {
                    if let Some(Statement::ExpressionStatement(it)) = only {
                        return walker.expression(&it.expression, UNKNOWN);
                    }
                    walker.statements(&program.body);
                    UNKNOWN
                }))
            });
            if let Some(Some(shape)) = read {
                return shape;
            }
        }
        UNKNOWN
    }

    /// Binds the names of a pattern. A single name that is bound once is an element of its list.
    fn markup_locals(&mut self, pattern: &str, list: u32, times: &FxHashMap<&str, u32>) {
        let is_object = pattern.contains(['{', '[']);
        for (number, name) in markup::bound_names(pattern).enumerate() {
            let is_element = number == 0 && !is_object && list != UNKNOWN;
            let shape = if is_element && times.get(name) == Some(&1) {
                self.shape(Shape::Element { base: list })
            } else {
                UNKNOWN
            };
            self.local(name, shape);
        }
    }
}

/// `my-child` as `MyChild`.
fn pascal_case(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect::<String>()
    });
    words.collect()
}
