//! Parameters that a function had and has no more, by the text of its head before and after.
//!
//! A parameter is told as it was written, so no language's order of names and types has to be known. Whether one is still there is
//! told by its name: the word before a colon; else the first words of all, where these differ, or the last ones.

use std::collections::BTreeSet;

/// The parameters of a former head that the present one lacks, each as it was written.
pub(super) fn lost_parameters(before: &str, after: &str) -> Vec<String> {
    let (Some(old), Some(new)) = (parameters(before), parameters(after)) else {
        return Vec::new();
    };
    let is_first = is_first_word_the_name(&old);
    let names: BTreeSet<&str> = new.iter().filter_map(|it| name(it, is_first)).collect();
    let is_lost = |it: &&str| name(it, is_first).is_some_and(|name| !names.contains(name));
    old.iter().copied().filter(is_lost).map(plain).collect()
}

/// The parts of the first list in round brackets that is not empty; none if there are no brackets.
fn parameters(head: &str) -> Option<Vec<&str>> {
    let start = head.find('(')?;
    let (mut depth, mut from) = (0, start + 1);
    let mut parts = Vec::new();
    let mut before = ' ';
    for (at, c) in head.char_indices().skip_while(|(at, _)| *at < start) {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            // An arrow is no bracket.
            '>' if matches!(before, '-' | '=') => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        before = c;
        if depth == 0 || depth == 1 && c == ',' {
            parts.push(head.get(from..at)?.trim());
            from = at + c.len_utf8();
        }
        if depth == 0 {
            // A receiver stands before the name: the parameters are in the next list.
            let rest = head.get(from..).unwrap_or_default();
            let is_receiver =
                head.get(..start).is_some_and(|it| it.split_whitespace().count() == 1)
                    && rest.contains('(')
                    && head.get(..start).is_some_and(|it| it.ends_with(' '));
            if is_receiver {
                return parameters(rest);
            }
            break;
        }
    }
    parts.retain(|part| !part.is_empty());
    Some(parts)
}

/// The words of a parameter, without its default.
fn words(parameter: &str) -> impl Iterator<Item = &str> {
    let own = parameter.split('=').next().unwrap_or(parameter);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    own.split(move |c: char| !is_word(c)).filter(|word| !word.is_empty())
}

/// Whether the first words of parameters tell them apart.
fn is_first_word_the_name(parameters: &[&str]) -> bool {
    let first: BTreeSet<&str> = parameters.iter().filter_map(|it| words(it).next()).collect();
    first.len() == parameters.len()
}

fn name(parameter: &str, is_first: bool) -> Option<&str> {
    let own = parameter.split('=').next().unwrap_or(parameter);
    match own.split_once(':') {
        Some((name, _)) => words(name).last(),
        None if is_first => words(own).next(),
        None => words(own).last(),
    }
}

/// A parameter on one line.
fn plain(parameter: &str) -> String {
    parameter.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::lost_parameters;

    #[test]
    fn a_parameter_that_is_gone_is_told_as_it_was_written() {
        let check = |before: &str, after: &str, expected: &[&str]| {
            assert_eq!(lost_parameters(before, after), expected, "{before} -> {after}");
        };
        check(
            "function f(a: number, b?: Map<string, A>)",
            "function f(a: string)",
            &["b?: Map<string, A>"],
        );
        check("def f(self, url, timeout=3):", "def f(self, url):", &["timeout=3"]);
        check("fn f(a: u8, b: fn(u8) -> u8) -> u8", "fn f(b: fn(u8) -> u8) -> u8", &["a: u8"]);
        check(
            "func (c *Command) Run(a int, b int) error",
            "func (c *Command) Run(a int) error",
            &["b int"],
        );
        check("void f(int a, int b)", "void f(int a)", &["int b"]);
        check("const f = (\n  a: A,\n  b: B\n) => a", "const f = () => a", &["a: A", "b: B"]);
        check("def f(a, b):", "def f(b, a, c):", &[]);
        check("class A", "class A(B)", &[]);
    }
}
