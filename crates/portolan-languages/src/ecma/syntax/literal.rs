//! Reads the values of literals and names in the syntax tree.

use std::borrow::Cow;

use oxc_ast::ast::{Argument, Expression, ModuleExportName, StringLiteral, TemplateLiteral};

/// The value of a string expression: a literal, or a template without substitutions.
pub(crate) fn of_expression<'e>(expression: &'e Expression<'_>) -> Option<Cow<'e, str>> {
    match expression {
        Expression::StringLiteral(literal) => Some(of_string(literal)),
        Expression::TemplateLiteral(template) => of_template(template),
        _ => None,
    }
}

/// The literal start of an expression's value: `'./' + name`, `` `./${name}` ``.
pub(crate) fn start_of<'e>(expression: &'e Expression<'_>) -> Cow<'e, str> {
    let mut first = expression;
    while let Expression::BinaryExpression(it) = first {
        first = &it.left;
    }
    match first {
        Expression::TemplateLiteral(template) => {
            let quasi = template.quasis.first();
            let cooked = quasi.and_then(|quasi| {
                let cooked = quasi.value.cooked.as_ref()?;
                Some(without_surrogates(cooked, quasi.lone_surrogates))
            });
            cooked.unwrap_or_default()
        }
        first => of_expression(first).unwrap_or_default(),
    }
}

/// The value of a string argument.
pub(crate) fn of_argument<'e>(argument: &'e Argument<'_>) -> Option<Cow<'e, str>> {
    argument.as_expression().and_then(of_expression)
}

/// The value of a string literal.
pub(crate) fn of_string<'e>(literal: &'e StringLiteral<'_>) -> Cow<'e, str> {
    without_surrogates(&literal.value, literal.lone_surrogates)
}

/// A name in an import or export list.
pub(crate) fn of_name<'e>(name: &'e ModuleExportName<'_>) -> Cow<'e, str> {
    match name {
        ModuleExportName::IdentifierName(name) => Cow::Borrowed(name.name.as_str()),
        ModuleExportName::IdentifierReference(name) => Cow::Borrowed(name.name.as_str()),
        ModuleExportName::StringLiteral(literal) => of_string(literal),
    }
}

fn of_template<'e>(template: &'e TemplateLiteral<'_>) -> Option<Cow<'e, str>> {
    let [quasi] = template.quasis.as_slice() else { return None };
    let cooked = quasi.value.cooked.as_ref()?;
    Some(without_surrogates(cooked, quasi.lone_surrogates))
}

/// Removes the four digits that the parser writes after U+FFFD for a lone surrogate.
fn without_surrogates(value: &str, has_lone_surrogates: bool) -> Cow<'_, str> {
    if !has_lone_surrogates {
        return Cow::Borrowed(value);
    }
    let mut parts = value.split(char::REPLACEMENT_CHARACTER);
    let mut clean = String::from(parts.next().unwrap_or_default());
    for part in parts {
        clean.push(char::REPLACEMENT_CHARACTER);
        clean.push_str(part.get(4..).unwrap_or_default());
    }
    Cow::Owned(clean)
}
