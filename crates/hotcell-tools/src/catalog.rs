//! The tools as data: names, parameters, what they are for. Schemas, positional calls and error messages come from here.

use crate::limits::{FIND_LIMIT, GREP_LIMIT, LS_LIMIT};

/// One of the six tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Read,
    Write,
    Edit,
    Grep,
    Find,
    Ls,
}

/// What there is to know about a tool.
pub(crate) struct Entry {
    pub(crate) tool: Tool,
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) description: &'static str,
    /// In the order of positional calls.
    pub(crate) params: &'static [Param],
}

pub(crate) struct Param {
    /// In camelCase.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    pub(crate) description: &'static str,
    /// Names other tools give to such a parameter.
    pub(crate) also: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A whole number, at least this.
    Count {
        least: u64,
        default: Option<usize>,
    },
    Flag,
    Edits,
}

const fn param(name: &'static str, kind: Kind, description: &'static str) -> Param {
    Param {
        name,
        kind,
        required: false,
        description,
        also: &[],
    }
}

impl Param {
    const fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }

    const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }
}

const PATH_NAMES: &[&str] = &["file", "filePath", "filename", "directory", "dir"];
const PATTERN_NAMES: &[&str] = &["regex", "query", "search", "text", "name"];
const OLD_NAMES: &[&str] = &["old", "oldString", "oldStr", "search", "find"];
const NEW_NAMES: &[&str] = &["new", "newString", "newStr", "replace", "replacement"];

const fn limit(description: &'static str, default: Option<usize>) -> Param {
    param("limit", Kind::Count { least: 1, default }, description).also(&[
        "maxResults",
        "max",
        "count",
        "lines",
    ])
}

/// The parameters of one entry of `edits`.
pub(crate) const EDIT_PARAMS: &[Param] = &[
    param(
        "oldText",
        Kind::Text,
        "Text to replace; it has to be in the file exactly once",
    )
    .required()
    .also(OLD_NAMES),
    param("newText", Kind::Text, "Text to put there")
        .required()
        .also(NEW_NAMES),
];

pub(crate) const CATALOG: [Entry; 6] = [
    Entry {
        tool: Tool::Read,
        name: "read",
        aliases: &["readTool"],
        description: "Read a text file (up to 2000 lines or 50KB at a time, page with offset and limit) or an image",
        params: &[
            param("path", Kind::Text, "File to read")
                .required()
                .also(PATH_NAMES),
            param(
                "offset",
                Kind::Count {
                    least: 0,
                    default: None,
                },
                "First line to show, counted from 1",
            )
            .also(&["start", "line", "from"]),
            limit("Most lines to show", None),
        ],
    },
    Entry {
        tool: Tool::Write,
        name: "write",
        aliases: &["writeTool"],
        description: "Write a whole file; creates it and the directories above it, or replaces what it contains",
        params: &[
            param("path", Kind::Text, "File to write")
                .required()
                .also(PATH_NAMES),
            param("content", Kind::Text, "What the file is to contain")
                .required()
                .also(&["text", "contents", "data", "body"]),
        ],
    },
    Entry {
        tool: Tool::Edit,
        name: "edit",
        aliases: &["editTool"],
        description: "Replace text in a file: oldText with newText, or several such edits at once, all or none",
        params: &[
            param("path", Kind::Text, "File to edit")
                .required()
                .also(PATH_NAMES),
            param(
                "oldText",
                Kind::Text,
                "Text to replace; it has to be in the file exactly once",
            )
            .also(OLD_NAMES),
            param("newText", Kind::Text, "Text to put there").also(NEW_NAMES),
            param(
                "edits",
                Kind::Edits,
                "Several replacements in place of oldText and newText; all are looked up in the file as it is before the call, and must not overlap",
            )
            .also(&["replacements", "changes"]),
        ],
    },
    Entry {
        tool: Tool::Grep,
        name: "grep",
        aliases: &["grepTool"],
        description: "Search file contents for a regular expression; obeys .gitignore; gives path:line: text",
        params: &[
            param("pattern", Kind::Text, "Regular expression, or plain text with literal")
                .required()
                .also(PATTERN_NAMES),
            param("path", Kind::Text, "File or directory to search; default: the workspace")
                .also(PATH_NAMES),
            param("glob", Kind::Text, "Only files that match, such as *.ts or src/**/*.rs; with ! before it, only others")
                .also(&["include", "files", "filter"]),
            param("ignoreCase", Kind::Flag, "Upper and lower case are the same")
                .also(&["caseInsensitive", "i"]),
            param("literal", Kind::Flag, "The pattern is plain text")
                .also(&["fixedStrings", "fixed"]),
            param(
                "context",
                Kind::Count {
                    least: 0,
                    default: Some(0),
                },
                "Lines to show before and after each match",
            )
            .also(&["contextLines", "lines"]),
            limit("Most matches to show", Some(GREP_LIMIT)),
        ],
    },
    Entry {
        tool: Tool::Find,
        name: "find",
        aliases: &["findTool"],
        description: "Find files and directories by glob, such as *.json or src/**/*.ts; obeys .gitignore",
        params: &[
            param("pattern", Kind::Text, "Glob; with a slash compared with the path, otherwise with the name")
                .required()
                .also(&["glob", "name", "query"]),
            param("path", Kind::Text, "Directory to search; default: the workspace")
                .also(PATH_NAMES),
            limit("Most paths to show", Some(FIND_LIMIT)),
        ],
    },
    Entry {
        tool: Tool::Ls,
        name: "ls",
        aliases: &["lsTool"],
        description: "List the names in a directory, dotfiles too; directories end in /",
        params: &[
            param("path", Kind::Text, "Directory to list; default: the workspace")
                .also(PATH_NAMES),
            limit("Most names to show", Some(LS_LIMIT)),
        ],
    },
];

/// The tool of this name or alias.
pub(crate) fn entry(name: &str) -> Option<&'static Entry> {
    CATALOG
        .iter()
        .find(|entry| entry.name == name || entry.aliases.contains(&name))
}
