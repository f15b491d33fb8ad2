//! The weights of the file ranking.

/// The weights. The defaults are what measured best on tasks of several repositories.
#[derive(Clone, Debug)]
pub struct FileWeights {
    /// How much a term weighs in a path, in a declared name, in the text.
    pub fields: [f64; 3],
    /// How much the length of each field counts against it.
    pub b: [f64; 3],
    /// How soon more of the same word stops to matter.
    pub k1: f64,
    /// How much the first line of a task weighs over the rest.
    pub title: f64,
    /// How much the scope of a title (`fix(scope): …`) weighs over the rest of it.
    pub scope: f64,
    /// How much two words in a row weigh that code may have written as one.
    pub pair: f64,
    /// How much a word of a folder weighs where one of the file's own name weighs 1.
    pub folder_words: f64,
    /// How much of its users' score a file gets.
    pub from_users: f64,
    /// How much of the score of what it uses a file gets.
    pub from_used: f64,
    /// How much of the score of its test, or of what it tests, a file gets.
    pub twin: f64,
    /// How much its folder counts.
    pub folder: f64,
    /// How much a file's own importance counts.
    pub importance: f64,
    /// How much a file's length counts: longer files change more often.
    pub length: f64,
    /// The factor of tests, fixtures, generated files, documents.
    pub categories: [f64; 4],
    /// The factor of what is not code.
    pub other: f64,
}

impl Default for FileWeights {
    fn default() -> Self {
        Self {
            fields: [15.0, 1.6, 0.6],
            b: [0.3, 0.4, 0.6],
            k1: 1.2,
            title: 3.0,
            scope: 1.5,
            pair: 0.7,
            folder_words: 0.5,
            from_users: 0.3,
            from_used: 0.3,
            twin: 0.5,
            folder: 0.2,
            importance: 0.01,
            length: 0.04,
            categories: [0.8, 0.4, 0.3, 0.5],
            other: 0.05,
        }
    }
}

impl FileWeights {
    /// The names of all weights.
    pub const NAMES: &[&str] = &[
        "path",
        "names",
        "body",
        "b-path",
        "b-names",
        "b-body",
        "k1",
        "title",
        "scope",
        "pair",
        "folder-words",
        "from-users",
        "from-used",
        "twin",
        "folder",
        "importance",
        "length",
        "tests",
        "fixtures",
        "generated",
        "docs",
        "other",
    ];

    /// A weight by its name, to measure what it brings.
    pub fn weight(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "path" => &mut self.fields[0],
            "names" => &mut self.fields[1],
            "body" => &mut self.fields[2],
            "b-path" => &mut self.b[0],
            "b-names" => &mut self.b[1],
            "b-body" => &mut self.b[2],
            "k1" => &mut self.k1,
            "title" => &mut self.title,
            "scope" => &mut self.scope,
            "pair" => &mut self.pair,
            "folder-words" => &mut self.folder_words,
            "from-users" => &mut self.from_users,
            "from-used" => &mut self.from_used,
            "twin" => &mut self.twin,
            "folder" => &mut self.folder,
            "importance" => &mut self.importance,
            "length" => &mut self.length,
            "tests" => &mut self.categories[0],
            "fixtures" => &mut self.categories[1],
            "generated" => &mut self.categories[2],
            "docs" => &mut self.categories[3],
            "other" => &mut self.other,
            _ => return None,
        })
    }
}
