//! Redirections: what they open, and how they are undone.

use std::{io, sync::Arc};

use bstr::BString;
use hotcell_process::{Fd, Given, Process, Stream, error_text};
use hotcell_vfs::OpenOptions;

use crate::{
    ast::{Redirect, RedirectDescriptor, RedirectOperator, RedirectTarget, Word},
    flow::{Flow, Outcome},
    settings::Setting,
    shell::Shell,
};

/// Descriptors that the shell picks by itself begin here, as in bash.
const FIRST_OWN: Fd = 10;

/// What descriptors were before they were redirected.
#[derive(Default)]
pub(crate) struct Undo(Vec<(Fd, Option<Arc<dyn Stream>>)>);

impl Undo {
    fn remember(&mut self, process: &Process, fd: Fd) {
        self.0.push((fd, process.descriptor(fd).ok()));
    }

    /// Puts everything back, the last change first.
    pub(crate) fn undo(self, process: &Process) {
        for (fd, stream) in self.0.into_iter().rev() {
            match stream {
                // It was open under this number before, so the limit allows it.
                Some(stream) => {
                    let _ = process.set_descriptor(fd, stream);
                }
                None => {
                    process.close(fd);
                }
            }
        }
    }
}

/// Why a redirection was not made.
enum Failure {
    /// What to say about it.
    Message(Vec<u8>),
    /// It was said already.
    Flow(Flow),
}

impl From<Flow> for Failure {
    fn from(flow: Flow) -> Self {
        Self::Flow(flow)
    }
}

impl Failure {
    fn new(name: &[u8], reason: &str) -> Self {
        Self::Message([name, b": ", reason.as_bytes()].concat())
    }

    fn io(name: &[u8], error: &io::Error) -> Self {
        Self::new(name, &error_text(error))
    }
}

impl Shell {
    /// Runs something under redirections, and undoes them. If one fails, nothing is run and the status is 1.
    pub(crate) fn with_redirects(
        &mut self,
        process: &Process,
        redirects: &[Redirect],
        run: impl FnOnce(&mut Self) -> Outcome,
    ) -> Outcome {
        let mut undo = Undo::default();
        let outcome = match self.redirect(process, redirects, &mut undo) {
            Ok(true) => run(self),
            Ok(false) => {
                self.set_status(1);
                let has_trap = self.has_error_trap();
                self.check_failure(process, 1, has_trap)
            }
            Err(flow) => Err(flow),
        };
        undo.undo(process);
        outcome
    }

    /// Makes redirections in order; `false` if one failed, which has been reported.
    pub(crate) fn redirect(
        &mut self,
        process: &Process,
        redirects: &[Redirect],
        undo: &mut Undo,
    ) -> Result<bool, Flow> {
        for redirect in redirects {
            match self.redirect_one(process, redirect, undo) {
                Ok(()) => {}
                Err(Failure::Message(message)) => {
                    self.complain(process, message);
                    return Ok(false);
                }
                Err(Failure::Flow(flow)) => return Err(flow),
            }
        }
        Ok(true)
    }

    fn redirect_one(
        &mut self,
        process: &Process,
        redirect: &Redirect,
        undo: &mut Undo,
    ) -> Result<(), Failure> {
        match (redirect.operator, &redirect.target) {
            (_, RedirectTarget::HereDocument(document)) => {
                let body = match document.body() {
                    Some(body) => self.expand_string(process, body)?,
                    None => BString::default(),
                };
                self.set_input(process, redirect, body, undo)
            }
            (RedirectOperator::HereString, RedirectTarget::Word(word)) => {
                let mut body = self.expand_string(process, word)?;
                body.push(b'\n');
                self.set_input(process, redirect, body, undo)
            }
            (
                RedirectOperator::DuplicateInput | RedirectOperator::DuplicateOutput,
                RedirectTarget::Word(word),
            ) => self.duplicate(process, redirect, word, undo),
            (operator, RedirectTarget::Word(word)) => {
                let name = self.target(process, word)?;
                let stream = self.open_target(process, operator, &name)?;
                let both = matches!(
                    operator,
                    RedirectOperator::WriteBoth | RedirectOperator::AppendBoth
                );
                if both {
                    set_both(process, stream, undo)
                } else {
                    self.set(process, redirect, stream, undo)
                }
            }
        }
    }

    fn set_input(
        &mut self,
        process: &Process,
        redirect: &Redirect,
        body: BString,
        undo: &mut Undo,
    ) -> Result<(), Failure> {
        // bash would make a file of it.
        let charge = process
            .charge(body.len())
            .map_err(|error| Failure::io(b"cannot create temp file for here-document", &error))?;
        let stream = Arc::new(Given::charged(body, charge));
        self.set(process, redirect, stream, undo)
    }

    /// The name that a word stands for.
    fn target(&mut self, process: &Process, word: &Word) -> Result<BString, Failure> {
        match self.expand_target(process, word)? {
            Some(name) => Ok(name),
            None => Err(ambiguous(word)),
        }
    }

    fn open_target(
        &self,
        process: &Process,
        operator: RedirectOperator,
        name: &[u8],
    ) -> Result<Arc<dyn Stream>, Failure> {
        let options = match operator {
            RedirectOperator::Append | RedirectOperator::AppendBoth => {
                OpenOptions::append().create()
            }
            RedirectOperator::ReadWrite => OpenOptions::read_write().create(),
            RedirectOperator::Read => OpenOptions::read(),
            _ => OpenOptions::write().create().truncate(),
        };
        let may_overwrite = operator == RedirectOperator::Clobber
            || !self.has(Setting::NoClobber)
            || !options.truncate;
        if !may_overwrite {
            let there = process.vfs().stat(&process.resolve(name));
            if there.is_ok_and(|metadata| metadata.is_file()) {
                return Err(Failure::new(name, "cannot overwrite existing file"));
            }
        }
        let options = options.mode(0o666);
        process
            .open(name, &options)
            .map_err(|error| Failure::io(name, &error))
    }

    /// `<&` and `>&`.
    fn duplicate(
        &mut self,
        process: &Process,
        redirect: &Redirect,
        word: &Word,
        undo: &mut Undo,
    ) -> Result<(), Failure> {
        let target = self.target(process, word)?;
        if target == "-" {
            let fd = self.closed_descriptor(process, redirect)?;
            undo.remember(process, fd);
            process.close(fd);
            return Ok(());
        }
        let (digits, is_move) = match target.strip_suffix(b"-") {
            Some(digits) => (digits, true),
            None => (target.as_slice(), false),
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            let is_file = redirect.operator == RedirectOperator::DuplicateOutput
                && matches!(
                    redirect.descriptor,
                    None | Some(RedirectDescriptor::Number(1))
                );
            if !is_file {
                return Err(Failure::new(&target, AMBIGUOUS));
            }
            let stream = self.open_target(process, RedirectOperator::WriteBoth, &target)?;
            return set_both(process, stream, undo);
        }
        // bash shows what was written.
        let bad = |error: &io::Error| Failure::io(&crate::print::word_text(word), error);
        let source: Fd = std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(Fd::MAX);
        let stream = process.descriptor(source).map_err(|error| bad(&error))?;
        self.set(process, redirect, stream, undo)?;
        let is_same = matches!(
            redirect.descriptor,
            Some(RedirectDescriptor::Number(number)) if Fd::try_from(number) == Ok(source)
        );
        if is_move && !is_same {
            undo.remember(process, source);
            process.close(source);
        }
        Ok(())
    }

    /// The descriptor that `n>&-` or `{name}>&-` closes.
    fn closed_descriptor(&mut self, process: &Process, redirect: &Redirect) -> Result<Fd, Failure> {
        let Some(RedirectDescriptor::Variable { name, subscript }) = &redirect.descriptor else {
            return numbered(redirect);
        };
        let value = self.variable_or_element(process, name, subscript.as_ref())?;
        let value = value.unwrap_or_default();
        let text = std::str::from_utf8(&value).unwrap_or_default();
        text.parse()
            .map_err(|_| Failure::new(name, "Bad file descriptor"))
    }

    /// Lets the descriptor of a redirection refer to a stream.
    fn set(
        &mut self,
        process: &Process,
        redirect: &Redirect,
        stream: Arc<dyn Stream>,
        undo: &mut Undo,
    ) -> Result<(), Failure> {
        let Some(RedirectDescriptor::Variable { name, subscript }) = &redirect.descriptor else {
            let fd = numbered(redirect)?;
            return set_descriptor(process, fd, stream, undo);
        };
        let fd = process.descriptors().free_from(FIRST_OWN);
        let number = BString::from(fd.to_string());
        let assigned = match subscript {
            Some(subscript) => self.set_element(process, name, subscript, number),
            None => self.set_variable(process, name, number),
        };
        match assigned {
            Err(Flow::Discard(_)) => Err(Failure::new(name, "cannot assign fd to variable")),
            Err(flow) => Err(flow.into()),
            // Not undone: who asked for a number of its own closes it, too.
            Ok(()) if !self.has(Setting::VarRedirClose) => process
                .set_descriptor(fd, stream)
                .map_err(|error| Failure::io(fd.to_string().as_bytes(), &error)),
            Ok(()) => set_descriptor(process, fd, stream, undo),
        }
    }
}

fn set_both(process: &Process, stream: Arc<dyn Stream>, undo: &mut Undo) -> Result<(), Failure> {
    set_descriptor(process, 1, Arc::clone(&stream), undo)?;
    set_descriptor(process, 2, stream, undo)
}

/// What is said of a word that is no name, or more than one.
const AMBIGUOUS: &str = "ambiguous redirect";

fn ambiguous(word: &Word) -> Failure {
    Failure::new(&crate::print::word_text(word), AMBIGUOUS)
}

/// The number in front of the operator, or the operator's own.
fn numbered(redirect: &Redirect) -> Result<Fd, Failure> {
    match redirect.descriptor {
        Some(RedirectDescriptor::Number(number)) => Fd::try_from(number)
            .map_err(|_| Failure::new(number.to_string().as_bytes(), "Bad file descriptor")),
        _ => Ok(match redirect.operator {
            RedirectOperator::Read
            | RedirectOperator::ReadWrite
            | RedirectOperator::DuplicateInput
            | RedirectOperator::HereDocument
            | RedirectOperator::HereString => 0,
            _ => 1,
        }),
    }
}

fn set_descriptor(
    process: &Process,
    fd: Fd,
    stream: Arc<dyn Stream>,
    undo: &mut Undo,
) -> Result<(), Failure> {
    undo.remember(process, fd);
    process
        .set_descriptor(fd, stream)
        .map_err(|error| Failure::io(fd.to_string().as_bytes(), &error))
}
