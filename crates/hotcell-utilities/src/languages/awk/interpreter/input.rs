//! The input: the files that were named, one after the other, and `getline`.

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{errno, error_text};
use hotcell_vfs::Errno;

use super::{
    super::{
        array::Sought,
        reader::Reader,
        syntax::{ARGC, ARGV, Source, Target, Variable},
        text::Text,
        value::Value,
    },
    Halt, Interpreter, Result, Stage,
};

/// Where the program is in its input.
pub(super) struct MainInput<'p> {
    reader: Option<Reader<'p>>,
    /// The next argument to look at.
    next: usize,
    /// A file was named.
    has_file: bool,
    is_over: bool,
}

impl Default for MainInput<'_> {
    fn default() -> Self {
        Self {
            reader: None,
            next: 1,
            has_file: false,
            is_over: false,
        }
    }
}

impl MainInput<'_> {
    pub(super) fn has_begun(&self) -> bool {
        self.reader.is_some() || self.is_over || self.has_file
    }
}

impl<'a> Interpreter<'a> {
    pub(super) fn input_name(&self) -> BString {
        match &self.settings.filename {
            Value::Text(text) | Value::Input(text) if !text.as_bytes().is_empty() => {
                text.as_bytes().into()
            }
            _ => "-".into(),
        }
    }

    /// Reads the next record into `$0`; false at the end of all input.
    #[inline]
    pub(super) fn next_record(&mut self) -> Result<bool> {
        let mut text = self.take_scratch();
        // If there is none, the last record stays.
        let is_there = self.read_input(&mut text)?;
        if is_there {
            text = self.record.exchange(text);
        }
        self.give_scratch(text);
        Ok(is_there)
    }

    /// Reads the next record of the input, from file to file.
    #[inline]
    fn read_input(&mut self, text: &mut Vec<u8>) -> Result<bool> {
        loop {
            if let Some(reader) = &mut self.input.reader {
                let is_there = reader.next(
                    &self.settings.separator,
                    &self.regexes,
                    text,
                    &mut self.settings.rt,
                );
                match is_there {
                    Ok(true) => {
                        self.settings.nr += 1.0;
                        self.settings.fnr += 1.0;
                        return Ok(true);
                    }
                    Ok(false) => {}
                    Err(error) if error.kind() == std::io::ErrorKind::OutOfMemory => {
                        return Err(error.into());
                    }
                    Err(error) => {
                        let name = self.input_name();
                        let text = error_text(&error);
                        self.complain_without_place(&format!(
                            "warning: command line argument `{name}': {text}: skipped"
                        ));
                        self.exit_code = 2;
                    }
                }
                self.close_file()?;
            }
            if !self.open_next()? {
                return Ok(false);
            }
        }
    }

    fn complain_without_place(&self, message: &str) {
        self.process.complain(message);
    }

    /// The current file is done with.
    fn close_file(&mut self) -> Result<()> {
        if self.input.reader.take().is_none() {
            return Ok(());
        }
        self.run_stage(Stage::EndFile)?;
        if let Some(in_place) = &mut self.in_place {
            let done = in_place.end(&mut self.streams.stdout);
            done.map_err(|error| format!("inplace: {}", error_text(&error)))?;
        }
        Ok(())
    }

    /// Goes on with the next file.
    pub(super) fn skip_file(&mut self) -> Result<()> {
        self.close_file()
    }

    fn run_stage(&mut self, stage: Stage) -> Result<()> {
        let program = self.program;
        let blocks = match stage {
            Stage::BeginFile => &program.begin_file,
            _ => &program.end_file,
        };
        if blocks.is_empty() {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.stage, stage);
        let mut ended = Ok(());
        for block in blocks {
            ended = self.run_block(block);
            if ended.is_err() {
                break;
            }
        }
        self.stage = before;
        ended
    }

    /// Opens the next file that was named, or standard input if none was.
    fn open_next(&mut self) -> Result<bool> {
        loop {
            self.process.spend(1);
            if self.input.is_over {
                return Ok(false);
            }
            let Some(name) = self.next_argument()? else {
                self.input.is_over = true;
                if self.input.has_file {
                    return Ok(false);
                }
                return self.open("-".into());
            };
            if name.is_empty() {
                continue;
            }
            if let Some((variable, value)) = assignment(name.as_bstr()) {
                self.assign_text(variable, value)?;
                continue;
            }
            self.input.has_file = true;
            if self.open(name)? {
                return Ok(true);
            }
        }
    }

    /// The next element of `ARGV`, which the program may have changed.
    fn next_argument(&mut self) -> Result<Option<BString>> {
        loop {
            let count = self.globals.get(ARGC).map_or(0.0, Value::number);
            #[expect(clippy::cast_precision_loss, reason = "arguments fit into memory")]
            if self.input.next as f64 >= count {
                return Ok(None);
            }
            let number = self.input.next;
            self.input.next += 1;
            self.process.spend(1);
            let array = self.array_of(Variable::Global(ARGV))?;
            let key = Sought::Number(i64::try_from(number).unwrap_or(i64::MAX));
            let value = array.borrow().get(key).cloned();
            if let Some(value) = value {
                let mut name = Vec::new();
                self.put_value(&value, &mut name, false)?;
                #[expect(clippy::cast_precision_loss, reason = "arguments fit into memory")]
                {
                    self.settings.argind = number as f64;
                }
                return Ok(Some(name.into()));
            }
        }
    }

    /// Opens a file as input. False if it is not to be read.
    fn open(&mut self, name: BString) -> Result<bool> {
        let filename = match name.as_slice() {
            b"-" if !self.input.has_file => Value::Text(Text::EMPTY),
            name => Value::Input(Text::new(&self.budget, name)?),
        };
        self.settings.filename = filename;
        self.settings.fnr = 0.0;
        let opened = self.process.open_input(&name);
        let is_directory = opened.as_ref().err().and_then(std::io::Error::raw_os_error)
            == errno(Errno::EISDIR).raw_os_error();
        let problem = match opened {
            Ok(input) => {
                self.input.reader = Some(Reader::new(self.process, input)?);
                None
            }
            Err(error) => Some(error_text(&error)),
        };
        self.settings.errno = match &problem {
            None => Value::Text(Text::EMPTY),
            Some(problem) => self.text(problem.as_bytes())?,
        };
        if let Some(in_place) = &mut self.in_place
            && problem.is_none()
        {
            let begun = in_place.begin(&name, &mut self.streams.stdout);
            begun.map_err(|error| format!("inplace: `{name}': {}", error_text(&error)))?;
        }
        let began = self.run_stage(Stage::BeginFile);
        let is_skipped = match began {
            Ok(()) => false,
            Err(halt) if matches!(*halt, Halt::NextFile) => true,
            Err(halt) => return Err(halt),
        };
        if is_skipped {
            self.close_file()?;
            return Ok(false);
        }
        let Some(problem) = problem else {
            return Ok(true);
        };
        if is_directory {
            self.complain_without_place(&format!(
                "warning: command line argument `{name}' is a directory: skipped"
            ));
            return Ok(false);
        }
        self.place = super::Place::default();
        self.settings.nr = 0.0;
        Err(format!("cannot open file `{name}' for reading: {problem}").into())
    }

    #[inline(never)]
    pub(super) fn getline(
        &mut self,
        target: Option<&'a Target>,
        source: &'a Source,
    ) -> Result<Value> {
        let mut text = self.take_scratch();
        let read = match source {
            Source::Input => {
                if matches!(self.stage, Stage::BeginFile | Stage::EndFile) {
                    let rule = if self.stage == Stage::BeginFile {
                        "BEGINFILE"
                    } else {
                        "ENDFILE"
                    };
                    return Err(
                        format!("non-redirected `getline' invalid inside `{rule}' rule").into(),
                    );
                }
                Ok(self.read_input(&mut text)?)
            }
            Source::File(name) | Source::Command(name) | Source::Both(name) => {
                let name = self.string(name)?;
                let read = self.read_from(source, &name, &mut text);
                self.give_scratch(name);
                read
            }
        };
        let is_there = match read {
            Ok(is_there) => is_there,
            Err(error) => {
                let reason = error_text(&error);
                self.settings.errno = self.text(reason.as_bytes())?;
                return Ok(Value::Number(-1.0));
            }
        };
        if !is_there {
            self.give_scratch(text);
            return Ok(Value::Number(0.0));
        }
        match target {
            None => {
                let before = self.record.exchange(text);
                self.give_scratch(before);
            }
            Some(target) => {
                let value = Value::Input(Text::new(&self.budget, &text)?);
                self.give_scratch(text);
                self.assign(target, value)?;
            }
        }
        Ok(Value::Number(1.0))
    }

    fn read_from(
        &mut self,
        source: &Source,
        name: &[u8],
        text: &mut Vec<u8>,
    ) -> std::io::Result<bool> {
        if name.is_empty() {
            return Err(errno(Errno::ENOENT));
        }
        let reader = self.streams.reader(Self::means_of(source), name)?;
        // Records of files and of commands do not count: NR is that of the main input, as in gawk.
        reader.next(
            &self.settings.separator,
            &self.regexes,
            text,
            &mut self.settings.rt,
        )
    }
}

/// `name=value` among the operands.
fn assignment(operand: &BStr) -> Option<(&str, &[u8])> {
    let (name, value) = operand.split_once_str("=")?;
    is_name(name).then_some(())?;
    Some((name.to_str().ok()?, value))
}

/// Whether this can be the name of a variable.
pub(crate) fn is_name(name: &[u8]) -> bool {
    let begins = name
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    begins
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
