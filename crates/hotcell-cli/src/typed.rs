//! What is typed at the terminal, for whoever reads next.
//!
//! A line editor takes all that is there and keeps what it has no use for yet, so that of lines which were pasted, or typed while
//! a command ran, only the first would ever be seen. Here the editor has a terminal of its own as standard input, made for this
//! purpose. It gets the keys in portions that end where a line ends; what it leaves is taken back for the next one who reads:
//! a command, or the editor again.
//!
//! A portion is a line of that terminal's canonical mode: one read returns one, however many there are.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, PipeReader, Read, Write},
    os::fd::{AsFd, OwnedFd},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    termios::{
        InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, tcgetattr,
        tcsetattr,
    },
};

use rustyline::{Editor, Helper, history::History};

/// Ends a portion: what no text in UTF-8 has, nor any key sends.
const END: u8 = 0xff;

/// Comes after everything that the editor has not read.
const LAST: u8 = 0xfe;

/// A portion fits into what the editor reads at once, and into a line of a terminal.
const PORTION: usize = 512;

/// Ctrl-Z: stopping a shell without job control would leave the terminal as it is while a line is edited.
const SUSPEND: u8 = 0x1a;

/// Ctrl-D
const END_OF_INPUT: u8 = 0x04;

/// Terminals at which nothing is edited: lines come from the system then, one by one.
const UNEDITED: [&str; 3] = ["dumb", "cons25", "emacs"];

/// How often it is looked whether the editor is ready.
const MOMENT: Duration = Duration::from_millis(1);

/// The terminal that the command was started at.
pub(crate) struct Typed {
    terminal: File,
    /// Where the editor's keys go in.
    keys: File,
    /// How the editor finds its terminal: it asks which keys mean what.
    rest: Termios,
    /// What was typed and not read yet.
    early: Mutex<VecDeque<u8>>,
}

impl Typed {
    /// Gives the editors to come a terminal of their own as standard input, in the place of the one that is there.
    pub(crate) fn take() -> io::Result<Self> {
        if std::env::var("TERM").is_ok_and(|term| UNEDITED.contains(&&*term)) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let terminal = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let pair = nix::pty::openpty(None, None)?;
        let mut rest = tcgetattr(&pair.slave)?;
        rest.input_modes = InputModes::empty();
        rest.local_modes = LocalModes::ICANON;
        tcsetattr(&pair.slave, OptionalActions::Now, &rest)?;
        let keys = pair.master;
        fcntl_setfl(&keys, fcntl_getfl(&keys)? | OFlags::NONBLOCK)?;
        nix::unistd::dup2_stdin(&pair.slave)?;
        Ok(Self {
            terminal,
            keys: keys.into(),
            rest,
            early: Mutex::default(),
        })
    }

    fn early(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.early.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets an editor read a line.
    pub(crate) fn edit<T>(&self, read: impl FnOnce() -> T) -> io::Result<T> {
        let _raw = Raw::set(&self.terminal)?;
        let (over, is_over) = io::pipe().map(|(reader, writer)| (writer, reader))?;
        let line = thread::scope(|scope| {
            let feeder = thread::Builder::new().name("keys".into());
            feeder.spawn_scoped(scope, || self.feed(&is_over))?;
            let line = read();
            drop(over);
            Ok::<_, io::Error>(line)
        })?;
        self.take_back()?;
        Ok(line)
    }

    /// Passes keys on until the line is there. If the terminal cannot be read any more, input ends.
    fn feed(&self, is_over: &PipeReader) {
        while !is_raw(&io::stdin()) {
            if is_readable(is_over, Some(MOMENT)) {
                return;
            }
        }
        if set_portions(&io::stdin()).is_err() || self.pass_on(is_over).is_err() {
            let _ = (&self.keys).write(&[END]);
        }
    }

    fn pass_on(&self, is_over: &PipeReader) -> io::Result<()> {
        loop {
            let portion = portion(&mut self.early());
            let (length, ends) = (portion.len(), portion.last() == Some(&b'\n'));
            if length > 0 {
                let end = if ends { &[][..] } else { &[END][..] };
                let sent = self.send(&[&portion, end].concat(), is_over)?;
                if sent < length {
                    let rest = portion.into_iter().skip(sent).rev();
                    let mut early = self.early();
                    rest.for_each(|byte| early.push_front(byte));
                    return Ok(());
                }
                continue;
            }
            if wait_for(&self.terminal, PollFlags::IN, is_over)? {
                return Ok(());
            }
            self.hear()?;
        }
    }

    /// Writes to the editor's terminal; how much of it went before the line was there.
    fn send(&self, bytes: &[u8], is_over: &PipeReader) -> io::Result<usize> {
        let mut sent = 0;
        while let Some(rest) = bytes.get(sent..).filter(|rest| !rest.is_empty()) {
            match (&self.keys).write(rest) {
                Ok(count) => sent += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if wait_for(&self.keys, PollFlags::OUT, is_over)? {
                        break;
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(sent)
    }

    /// Reads what is there at the terminal.
    fn hear(&self) -> io::Result<()> {
        let mut buffer = [0; PORTION];
        let count = (&self.terminal).read(&mut buffer)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let heard = buffer.iter().take(count).copied();
        let keys = heard.filter(|byte| !matches!(*byte, SUSPEND | END | LAST));
        self.early().extend(keys);
        Ok(())
    }

    /// Takes back what the editor has not read.
    fn take_back(&self) -> io::Result<()> {
        set_portions(&io::stdin())?;
        let mut editors = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let mut left = Vec::new();
        let mut is_marked = false;
        let mut buffer = [0; PORTION * 2];
        while left.last() != Some(&LAST) {
            if !is_marked {
                is_marked = match (&self.keys).write(&[LAST, END]) {
                    Ok(2) => true,
                    Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                    // There is something to read, then.
                    _ => false,
                };
            }
            let count = editors.read(&mut buffer)?;
            left.extend(buffer.iter().take(count));
        }
        tcsetattr(io::stdin(), OptionalActions::Now, &self.rest)?;
        left.retain(|byte| !matches!(*byte, LAST | END));
        self.give_back(&left);
        Ok(())
    }

    /// Takes back what somebody has read and not used.
    pub(crate) fn give_back(&self, bytes: &[u8]) {
        let mut early = self.early();
        for byte in bytes.iter().rev() {
            early.push_front(*byte);
        }
    }

    /// Reads as a command does, from a terminal that sends lines: `None` if nothing comes for so long, and nothing at the end.
    pub(crate) fn read(&self, buffer: &mut [u8], patience: Duration) -> Option<io::Result<usize>> {
        if let Some(line) = line(&mut self.early(), buffer.len()) {
            let taken = line.len();
            buffer.get_mut(..taken)?.copy_from_slice(&line);
            return Some(Ok(taken));
        }
        is_readable(&self.terminal, Some(patience)).then(|| (&self.terminal).read(buffer))
    }

    /// Whether there is something to read.
    pub(crate) fn is_readable(&self) -> bool {
        !self.early().is_empty() || is_readable(&self.terminal, Some(Duration::ZERO))
    }
}

/// Reads a line with an editor. What came before it is not lost if there is a terminal for it.
pub(crate) fn readline<H: Helper, I: History>(
    typed: Option<&Typed>,
    editor: &mut Editor<H, I>,
    prompt: &str,
) -> rustyline::Result<String> {
    match typed {
        Some(typed) => typed.edit(|| editor.readline(prompt))?,
        None => editor.readline(prompt),
    }
}

/// What the editor gets next: up to the end of a line.
fn portion(early: &mut VecDeque<u8>) -> Vec<u8> {
    let end = early.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
    let length = end.map_or(early.len(), |end| end + 1).min(PORTION);
    early.drain(..length).collect()
}

/// What a command gets next: up to the end of a line, or of input.
fn line(early: &mut VecDeque<u8>, most: usize) -> Option<Vec<u8>> {
    if early.is_empty() {
        return None;
    }
    let mut line = Vec::new();
    while line.len() < most
        && let Some(byte) = early.pop_front()
    {
        match byte {
            b'\r' | b'\n' => {
                line.push(b'\n');
                break;
            }
            END_OF_INPUT => break,
            byte => line.push(byte),
        }
    }
    Some(line)
}

/// Waits for a file; true if the line is there first.
fn wait_for(file: &File, flags: PollFlags, is_over: &PipeReader) -> io::Result<bool> {
    let mut asked = [
        PollFd::new(file, flags),
        PollFd::new(is_over, PollFlags::IN),
    ];
    loop {
        match poll(&mut asked, None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(asked.last().is_some_and(|over| !over.revents().is_empty())),
        }
    }
}

fn is_readable(file: &impl AsFd, patience: Option<Duration>) -> bool {
    let mut asked = [PollFd::new(file, PollFlags::IN)];
    let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
    // What cannot be asked is read.
    poll(&mut asked, patience.as_ref()).map_or(true, |count| count > 0)
}

/// Whether the editor has its terminal as it wants it.
fn is_raw(terminal: &impl AsFd) -> bool {
    tcgetattr(terminal).is_ok_and(|modes| !modes.local_modes.contains(LocalModes::ICANON))
}

/// Lets each read of a terminal return one portion, as it is.
fn set_portions(terminal: &impl AsFd) -> io::Result<()> {
    let mut modes = tcgetattr(terminal)?;
    modes.input_modes = InputModes::empty();
    modes.output_modes = OutputModes::empty();
    modes.local_modes = LocalModes::ICANON;
    let special = [
        SpecialCodeIndex::VERASE,
        SpecialCodeIndex::VKILL,
        SpecialCodeIndex::VEOL,
        SpecialCodeIndex::VEOL2,
    ];
    for index in special {
        modes.special_codes[index] = 0;
    }
    modes.special_codes[SpecialCodeIndex::VEOF] = END;
    tcsetattr(terminal, OptionalActions::Now, &modes)?;
    Ok(())
}

/// A terminal that sends every key as it is, until this is dropped.
struct Raw {
    terminal: OwnedFd,
    before: Termios,
}

impl Raw {
    fn set(terminal: &File) -> io::Result<Self> {
        let terminal = terminal.as_fd().try_clone_to_owned()?;
        let before = tcgetattr(&terminal)?;
        let mut raw = before.clone();
        raw.make_raw();
        // What is printed is still for a person.
        raw.output_modes = before.output_modes;
        tcsetattr(&terminal, OptionalActions::Drain, &raw)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.terminal, OptionalActions::Drain, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> VecDeque<u8> {
        text.bytes().collect()
    }

    #[test]
    fn a_portion_ends_where_a_line_ends() {
        let mut early = typed("one\rtwo\nthree");
        assert_eq!(portion(&mut early), b"one\r");
        assert_eq!(portion(&mut early), b"two\n");
        assert_eq!(portion(&mut early), b"three");
        assert_eq!(portion(&mut early), b"");
    }

    #[test]
    fn a_command_reads_lines_up_to_the_end_of_input() {
        let mut early = typed("one\rtwo\x04three");
        assert_eq!(line(&mut early, 100).as_deref(), Some(&b"one\n"[..]));
        assert_eq!(line(&mut early, 2).as_deref(), Some(&b"tw"[..]));
        assert_eq!(line(&mut early, 100).as_deref(), Some(&b"o"[..]));
        assert_eq!(line(&mut early, 100).as_deref(), Some(&b"three"[..]));
        assert_eq!(line(&mut early, 100), None);
        assert_eq!(line(&mut typed("\x04"), 100).as_deref(), Some(&b""[..]));
    }
}
