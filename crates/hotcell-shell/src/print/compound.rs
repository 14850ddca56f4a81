//! Compound commands and functions.

use super::printer::Printer;
use crate::ast::{
    Arithmetic, ArithmeticFor, Case, CaseTerminator, CompoundCommand, CompoundKind, For,
    FunctionDefinition, If, List, Loop, Part, Word,
};
use crate::parse::is_reserved;

impl Printer {
    pub(super) fn compound(&mut self, compound: &CompoundCommand) {
        self.begin();
        match &compound.kind {
            CompoundKind::Group(list) => self.group(list),
            CompoundKind::Subshell(list) => {
                self.str("( ");
                self.skip_indent();
                self.list(list);
                self.flush_documents();
                self.str(" )");
            }
            CompoundKind::If(if_) => self.if_(if_),
            CompoundKind::While(loop_) => self.loop_("while ", loop_),
            CompoundKind::Until(loop_) => self.loop_("until ", loop_),
            CompoundKind::For(for_) => self.for_("for ", for_),
            CompoundKind::Select(for_) => self.for_("select ", for_),
            CompoundKind::ArithmeticFor(for_) => self.arithmetic_for(for_),
            CompoundKind::Case(case) => self.case(case),
            CompoundKind::Condition(condition) => {
                self.str("[[ ");
                self.condition(condition);
                self.str(" ]]");
            }
            CompoundKind::Arithmetic(expression) => {
                self.str("((");
                self.arithmetic(expression);
                self.str("))");
            }
        }
        if !compound.redirects.is_empty() {
            self.byte(b' ');
            self.redirects(&compound.redirects);
        }
    }

    fn group(&mut self, list: &List) {
        self.str("{ ");
        if self.functions == 0 {
            self.skip_indent();
            self.list(list);
            self.flush_documents();
            self.semicolon();
            self.str(" }");
            return;
        }
        self.byte(b'\n');
        self.deeper();
        self.list(list);
        self.flush_documents();
        self.less_deep();
        self.newline("}");
    }

    /// bash knows no `elif`: it is an `if` inside the `else`.
    fn if_(&mut self, if_: &If) {
        let mut nested = 0_usize;
        for (index, branch) in if_.branches.iter().enumerate() {
            if index > 0 {
                self.semicolon();
                self.newline("else\n");
                self.deeper();
                nested += 1;
                self.begin();
            }
            self.str("if ");
            self.skip_indent();
            self.list(&branch.condition);
            self.semicolon();
            self.str(" then\n");
            self.block(&branch.body);
        }
        if let Some(otherwise) = &if_.otherwise {
            self.semicolon();
            self.newline("else\n");
            self.block(otherwise);
        }
        self.semicolon();
        self.newline("fi");
        for _ in 0..nested {
            self.flush_documents();
            self.less_deep();
            self.semicolon();
            self.newline("fi");
        }
    }

    /// Commands, indented.
    fn block(&mut self, list: &List) {
        self.deeper();
        self.list(list);
        self.flush_documents();
        self.less_deep();
    }

    fn loop_(&mut self, keyword: &str, loop_: &Loop) {
        self.str(keyword);
        self.skip_indent();
        self.list(&loop_.condition);
        self.flush_documents();
        self.semicolon();
        self.str(" do\n");
        self.block(&loop_.body);
        self.semicolon();
        self.newline("done");
    }

    fn for_(&mut self, keyword: &str, for_: &For) {
        self.str(keyword);
        self.word(&for_.variable);
        self.str(" in ");
        match &for_.words {
            Some(words) => self.words(words, " "),
            None => self.str("\"$@\""),
        }
        self.byte(b';');
        self.do_block(&for_.body);
    }

    fn do_block(&mut self, body: &List) {
        self.newline("do\n");
        self.block(body);
        self.semicolon();
        self.newline("done");
    }

    fn arithmetic_for(&mut self, for_: &ArithmeticFor) {
        self.str("for ((");
        self.expression_of_for(&for_.initial);
        self.str("; ");
        self.expression_of_for(&for_.condition);
        self.str("; ");
        self.expression_of_for(&for_.step);
        self.str("))");
        self.do_block(&for_.body);
    }

    fn expression_of_for(&mut self, expression: &Arithmetic) {
        if expression.word.parts().is_empty() {
            self.byte(b'1');
        } else {
            self.arithmetic(expression);
        }
    }

    fn case(&mut self, case: &Case) {
        self.str("case ");
        self.word(&case.word);
        self.str(" in ");
        self.deeper();
        for clause in &case.clauses {
            self.newline("");
            // bash does not care that this is the end of the command.
            if clause.patterns.first().is_some_and(is_esac) {
                self.byte(b'(');
            }
            self.words(&clause.patterns, " | ");
            self.str(")\n");
            self.block(&clause.body);
            self.newline(match clause.terminator {
                CaseTerminator::Break => ";;",
                CaseTerminator::FallThrough => ";&",
                CaseTerminator::Continue => ";;&",
            });
        }
        self.less_deep();
        self.newline("esac");
    }

    fn words(&mut self, words: &[Word], separator: &str) {
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                self.str(separator);
            }
            self.word(word);
        }
    }

    /// A function that another one, or a substitution, defines.
    pub(super) fn function_definition(&mut self, function: &FunctionDefinition) {
        self.begin();
        // Brackets with blanks or operators in them are part of a name only where a command begins.
        if !function.name.parts().iter().any(has_metacharacters) {
            self.str("function ");
        }
        self.word(&function.name);
        self.str(" () \n");
        self.indent();
        self.function_body(&function.body);
        self.was_document = false;
    }

    pub(super) fn declared_function(&mut self, name: &[u8], body: &CompoundCommand) {
        self.str(if is_reserved(name) { "function " } else { "" });
        self.text(name);
        self.str(" () \n");
        self.function_body(body);
    }

    /// Whatever the body is, it is printed in braces; the redirections of a group stand behind them.
    fn function_body(&mut self, body: &CompoundCommand) {
        self.str("{ \n");
        self.functions += 1;
        self.deeper();
        let group = match &body.kind {
            CompoundKind::Group(list) => Some(list),
            _ => None,
        };
        match group {
            Some(list) => self.list(list),
            None => self.compound(body),
        }
        self.flush_documents();
        self.less_deep();
        self.functions -= 1;
        self.newline("}");
        if group.is_some() && !body.redirects.is_empty() {
            self.byte(b' ');
            self.redirects(&body.redirects);
        }
    }
}

fn has_metacharacters(part: &Part) -> bool {
    matches!(part, Part::Literal(text) if text.iter().any(|byte| b" \t\n|&;()<>".contains(byte)))
}

fn is_esac(word: &Word) -> bool {
    word.literal().is_some_and(|text| **text == *b"esac")
}
