//! The language of a file, told from its name.

/// The languages the graph tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// TypeScript, declarations included.
    Ts,
    /// JavaScript.
    Js,
    /// JSON.
    Json,
    /// Markdown.
    Md,
    /// Everything else, and what is not a file.
    Other,
}

impl Language {
    /// The language of a file with this name, whatever the case of its extension.
    pub fn from_path(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some((_, extension)) = name.rsplit_once('.') else { return Self::Other };
        match extension.to_ascii_lowercase().as_str() {
            "ts" | "tsx" | "mts" | "cts" => Self::Ts,
            "js" | "jsx" | "mjs" | "cjs" => Self::Js,
            "json" => Self::Json,
            "md" => Self::Md,
            _ => Self::Other,
        }
    }

    /// The word for it in the graph.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ts => "ts",
            Self::Js => "js",
            Self::Json => "json",
            Self::Md => "md",
            Self::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn is_told_from_the_last_extension_in_any_case() {
        let cases = [
            ("src/a.ts", "ts"),
            ("a.d.mts", "ts"),
            ("Bar.TSX", "ts"),
            ("a.cjs", "js"),
            ("a.json", "json"),
            ("README.md", "md"),
            ("ts", "other"),
            ("a.ts/b", "other"),
            ("App.vue", "other"),
        ];
        for (path, name) in cases {
            assert_eq!(Language::from_path(path).name(), name, "{path}");
        }
    }
}
