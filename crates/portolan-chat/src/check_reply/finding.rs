//! The rules for replies, each with a stable code.

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal, $title:literal;)+) => {
        /// The rules. A code is never renumbered or reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ReplyRule {
            $($(#[doc = $doc])+ $name,)+
        }

        impl ReplyRule {
            /// All rules, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The code as written.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// A short title.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)+ }
            }

            /// Its meaning, for the reference page.
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc,)+),)+ }
            }
        }
    };
}

rules! {
    /// A patch names no file, or a path that is not inside the repository.
    PatchTarget = "CTX-REPLY-0001", "a patch names a file of the repository";
    /// The reply has patches, but neither a state patch nor the line `dependency.state.json: no change`.
    StateNeither = "CTX-REPLY-0002", "a reply with patches says what becomes of the state";
    /// The reply patches the state and says that it does not change.
    StateBoth = "CTX-REPLY-0003", "a state patch or the no-change line, not both";
    /// The no-change line is there, but not under `## Input Data Changes`, or not to the letter.
    NoChangeLine = "CTX-REPLY-0004", "the no-change line is exact and in its section";
    /// The state patch leaves the state as it was.
    StateNoOp = "CTX-REPLY-0005", "a state patch changes the state";
    /// The state patch does not fit the state of the archive.
    StateDoesNotApply = "CTX-REPLY-0006", "a state patch fits the state of the archive";
    /// The patched state cannot be read.
    StateInvalid = "CTX-REPLY-0007", "the patched state is a sound state";
    /// The patched state names an id that is neither in the Map nor a file of the repository.
    StateUnknownId = "CTX-REPLY-0008", "the ids of the patched state exist";
    /// The state changes and `stan.scratch.md` does not say why.
    ScratchMissing = "CTX-REPLY-0009", "a changed selection has its reason in stan.scratch.md";
    /// A patch target outside `<stanPath>/system/**` is not in the checklist.
    ChecklistMissing = "CTX-REPLY-0010", "the checklist lists every patch target";
    /// The checklist says of a file that it is in the archive, or is not, and that is not true.
    ChecklistFalse = "CTX-REPLY-0011", "the checklist is true";
    /// The state is patched and the checklist does not list its entries.
    ChecklistSelection = "CTX-REPLY-0012", "the checklist lists the entries of a patched state";
    /// A file that is not in the archive is patched, or others are although one is missing.
    HardGate = "CTX-REPLY-0013", "nothing is patched blind";
    /// A patch touches `<stanPath>/imports/**`.
    ImportsReadOnly = "CTX-REPLY-0014", "imports are read-only";
    /// A patch touches what only tooling writes: staged files, the Map, archives, baselines, `.git`.
    ToolingOnly = "CTX-REPLY-0015", "what tooling writes is not patched";
    /// A line of the `File Ops` is none of `mv FROM TO`, `cp FROM TO`, `rm PATH`, `rmdir PATH`, `mkdirp PATH`.
    FileOperation = "CTX-REPLY-0016", "file operations can be read";
    /// Something looks like a patch and cannot be read whole: wrong counts, a block that is not closed, a binary patch, a form that is not read (a heredoc, a command, an edit as data, a file below its path).
    PatchUnread = "CTX-REPLY-0017", "every patch can be read whole";
    /// A patch is for other lines than the file of the archive has, or makes a file that is there.
    PatchUnfit = "CTX-REPLY-0018", "every patch applies to the bytes of the archive";
    /// A hunk says no line, or a wrong one, and its lines are in the file more than once.
    PatchAmbiguous = "CTX-REPLY-0019", "a patch fits one place only";
    /// Two parts of the reply change the same lines, or one takes away what the other needs.
    PatchConflict = "CTX-REPLY-0020", "the patches of a reply do not contradict each other";
    /// A patch makes or changes a symbolic link, a submodule or a file behind a link.
    OrdinaryFile = "CTX-REPLY-0021", "only ordinary files are made and changed";
    /// A patch touches `stan.config.*`: what may leave the machine, secrets above all, is decided by people.
    GuardSettings = "CTX-REPLY-0022", "the configuration is not patched";
    /// A patch reads, makes or changes a file that commonly holds secrets.
    SecretFile = "CTX-REPLY-0023", "files that hold secrets are left alone";
    /// The file of the repository is not the one in the archive: it was changed since, or is gone.
    FileChanged = "CTX-REPLY-0024", "files are as the archive has them";
    /// The reply has no patch.
    NoPatch = "CTX-REPLY-0025", "there is a patch";
}

impl ReplyRule {
    /// Whether the rule is only about the form of a reply. A reply that breaks such a rule can be
    /// applied safely if the user insists.
    pub fn is_about_form(self) -> bool {
        matches!(
            self,
            Self::StateNeither
                | Self::StateBoth
                | Self::NoChangeLine
                | Self::StateNoOp
                | Self::ScratchMissing
                | Self::ChecklistMissing
                | Self::ChecklistFalse
                | Self::ChecklistSelection
        )
    }
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// The rule.
    pub rule: ReplyRule,
    /// The problem.
    pub message: String,
    /// What to write instead.
    pub fix: String,
}
