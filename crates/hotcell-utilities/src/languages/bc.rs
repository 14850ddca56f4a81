//! `bc`.

mod lexer;
mod machine;
mod parser;
pub(super) mod printer;
mod source;
mod syntax;

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use self::{
    lexer::{Fault, Lexer},
    machine::{Machine, Trap},
    parser::Parser,
    printer::Printer,
    source::Source,
    syntax::Item,
};
use crate::{Opt, Usage, Utility};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "bc",
    letters: b"hv",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Calculate with decimal numbers of any size.\n\n\
              The FILEs are read and run one after the other, and then standard input.",
    options: &[
        Opt::flag(
            'l',
            "mathlib",
            "define s, c, a, l, e and j, and set scale to 20",
        ),
        Opt::flag('q', "quiet", "accepted; there is no banner"),
        Opt::flag(
            'i',
            "interactive",
            "accepted; there is nothing to switch on",
        ),
        Opt::flag('s', "standard", "accepted; extensions stay on"),
        Opt::flag('w', "warn", "accepted; extensions are not warned of"),
    ],
    notes: "BC_LINE_LENGTH says how wide lines are; 0 is any width. BC_ENV_ARGS holds more arguments.",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let mut arguments: Vec<BString> = Vec::new();
    if let Some(more) = process.env("BC_ENV_ARGS") {
        arguments.extend(more.fields().map(BString::from));
    }
    arguments.extend(process.args().iter().skip(1).cloned());
    let parsed = USAGE.parse_args(process, &arguments);
    let source = Source::new(process, parsed.operands.clone());
    let mut parser = Parser::new(process, Lexer::new(source));
    let mut machine = Machine::new(process, Printer::new(process, "BC_LINE_LENGTH"))?;
    if parsed.has("mathlib") {
        machine.use_library(&mut parser);
    }
    loop {
        // Who asks line by line waits for the answer.
        machine.printer.flush()?;
        let item = match parser.item() {
            Ok(item) => item,
            Err(Fault::Io(error)) => return Err(error),
            Err(Fault::Syntax(message)) => {
                machine.printer.flush()?;
                let line = parser.line();
                let text = format!("{} {line}: {message}\n", parser.lexer.source.name);
                process.stderr().write_all(text.as_bytes())?;
                parser.recover();
                continue;
            }
        };
        let ended = match item {
            None | Some(Item::Quit) => break,
            Some(Item::Define(id, function)) => {
                machine.define(id, function);
                Ok(())
            }
            Some(Item::Statements(statements)) => machine.run(&statements, &mut parser),
        };
        match ended {
            Ok(()) => {}
            Err(Trap::Halt) => break,
            Err(Trap::Io(error)) => {
                machine.printer.flush()?;
                return Err(error);
            }
            Err(Trap::Runtime(message)) => machine.explain(&message, &parser)?,
        }
    }
    machine.printer.flush()?;
    Ok(0)
}
