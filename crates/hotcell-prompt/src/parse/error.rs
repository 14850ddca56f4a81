//! Answers that hold no code.

use crate::CodeTags;

/// Why an answer holds no code. The message is meant for the model: it says what to do and shows it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The answer is empty.
    #[error("the answer is empty\n\n{}", lesson(.tags))]
    Empty {
        /// The marks the answer should have used.
        tags: CodeTags,
    },
    /// There is text but no block.
    #[error(
        "no code block found in the answer; if this was meant as the result, hand it in with final_answer(value) inside a \
         code block\n\n{}",
        lesson(.tags)
    )]
    NoCode {
        /// The marks the answer should have used.
        tags: CodeTags,
    },
    /// There are blocks, but with nothing in them.
    #[error("the code block in the answer is empty\n\n{}", lesson(.tags))]
    EmptyBlock {
        /// The marks the answer should have used.
        tags: CodeTags,
    },
    /// There are only blocks in languages that cannot be run.
    #[error(
        "the answer has no JavaScript, only a block marked {}; only JavaScript can be run here\n\n{}",
        .languages.join(", "),
        lesson(.tags)
    )]
    OtherLanguages {
        /// The languages, in order, each once.
        languages: Vec<String>,
        /// The marks the answer should have used.
        tags: CodeTags,
    },
    /// The answer ended inside `<think>`.
    #[error("the answer ended inside <think> before any code was written; think less and write the code\n\n{}", lesson(.tags))]
    UnfinishedThinking {
        /// The marks the answer should have used.
        tags: CodeTags,
    },
    /// The answer is longer than the options allow.
    #[error(
        "the answer has {bytes} bytes, more than the {limit} allowed; write less code per step"
    )]
    TooLong {
        /// Its length.
        bytes: usize,
        /// What the options allow.
        limit: usize,
    },
}

/// The format, with an example in the marks the host chose.
fn lesson(tags: &CodeTags) -> String {
    let example = tags.wrap("const total = 19 + 23;\nfinal_answer(total);");
    format!(
        "write your reasoning after \"Thought:\", then exactly one block of JavaScript between {} and {}, like this:\n\n\
         Thought: Two numbers are given, so I add them and hand in the sum.\nCode:\n{example}",
        tags.opening, tags.closing
    )
}
