//! Whether a header is C or C++.

/// Beginnings of lines that only C++ has.
const CPP_LINES: &[&str] = &[
    "class ",
    "namespace ",
    "namespace{",
    "template<",
    "template <",
    "using ",
    "public:",
    "private:",
    "protected:",
    "constexpr ",
    "inline namespace ",
    "friend ",
    "virtual ",
];

/// The row that reads a text with the name of a header.
pub(crate) fn dialect(text: &str) -> Option<&'static str> {
    let is_cpp = |line: &str| {
        let line = line.trim_start();
        CPP_LINES.iter().any(|start| line.starts_with(start))
    };
    without_comments(text).any(is_cpp).then_some("cpp")
}

/// The lines of a text that are not inside block comments.
fn without_comments(text: &str) -> impl Iterator<Item = &str> {
    let mut is_comment = false;
    text.lines().filter(move |line| {
        let was_comment = is_comment;
        let opened = line.rfind("/*");
        let closed = line.rfind("*/");
        is_comment = match (opened, closed) {
            (Some(opened), Some(closed)) => opened > closed,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => was_comment,
        };
        !was_comment
    })
}

#[cfg(test)]
mod tests {
    use super::dialect;

    #[test]
    fn a_header_of_cpp_is_told_by_its_lines() {
        assert_eq!(dialect("#pragma once\nnamespace a {\nclass B;\n}\n"), Some("cpp"));
        assert_eq!(dialect("struct s;\nextern \"C\" {\nint f(void);\n}\n"), None);
        assert_eq!(dialect("/* a\nclass of its own\n*/\nint f(void);\n"), None);
    }
}
