//! Variables that mean something to the interpreter.

use bstr::ByteSlice;

use super::{
    super::{
        lexer::put_escape,
        reader::Separator,
        record::Splitter,
        regexes::quoted,
        syntax::{Special, Variable},
        text::Text,
        value::Value,
    },
    Interpreter, Result,
};

/// What takes records apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Splitting {
    Fs,
    Fpat,
    Fieldwidths,
    Csv,
}

pub(super) struct Settings {
    pub(super) nr: f64,
    pub(super) fnr: f64,
    pub(super) argind: f64,
    pub(super) ofs: Text,
    pub(super) ors: Text,
    pub(super) subsep: Text,
    pub(super) convfmt: Text,
    pub(super) ofmt: Text,
    pub(super) filename: Value,
    pub(super) errno: Value,
    pub(super) rstart: f64,
    pub(super) rlength: f64,
    /// What ended the last record.
    pub(super) rt: Vec<u8>,
    pub(super) separator: Separator,
    fs: Text,
    rs: Text,
    fpat: Text,
    fieldwidths: Text,
    ignorecase: Value,
    splitting: Splitting,
}

/// A short text that needs no room.
fn short(bytes: &[u8]) -> Text {
    let mut place = [0; 14];
    for (to, from) in place.iter_mut().zip(bytes) {
        *to = *from;
    }
    Text::Short(u8::try_from(bytes.len().min(14)).unwrap_or(0), place)
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            nr: 0.0,
            fnr: 0.0,
            argind: 0.0,
            ofs: short(b" "),
            ors: short(b"\n"),
            subsep: short(b"\x1c"),
            convfmt: short(b"%.6g"),
            ofmt: short(b"%.6g"),
            filename: Value::Nothing,
            errno: Value::Nothing,
            rstart: 0.0,
            rlength: -1.0,
            rt: Vec::new(),
            separator: Separator::Byte(b'\n'),
            fs: short(b" "),
            rs: short(b"\n"),
            fpat: short(b"[^[:space:]]+"),
            fieldwidths: Text::EMPTY,
            ignorecase: Value::Number(0.0),
            splitting: Splitting::Fs,
        }
    }
}

impl Interpreter<'_> {
    pub(super) fn special(&mut self, special: Special) -> Result<Value> {
        let settings = &self.settings;
        Ok(match special {
            Special::Nf => Value::count(self.record.count(&self.regexes)?),
            Special::Nr => Value::Number(settings.nr),
            Special::Fnr => Value::Number(settings.fnr),
            Special::Argind => Value::Number(settings.argind),
            Special::Rstart => Value::Number(settings.rstart),
            Special::Rlength => Value::Number(settings.rlength),
            Special::Ofs => Value::Text(settings.ofs.clone()),
            Special::Ors => Value::Text(settings.ors.clone()),
            Special::Subsep => Value::Text(settings.subsep.clone()),
            Special::Convfmt => Value::Text(settings.convfmt.clone()),
            Special::Ofmt => Value::Text(settings.ofmt.clone()),
            Special::Fs => Value::Text(settings.fs.clone()),
            Special::Rs => Value::Text(settings.rs.clone()),
            Special::Fpat => Value::Text(settings.fpat.clone()),
            Special::Fieldwidths => Value::Text(settings.fieldwidths.clone()),
            Special::Filename => settings.filename.clone(),
            Special::Errno => settings.errno.clone(),
            Special::Ignorecase => settings.ignorecase.clone(),
            Special::Rt => Value::Input(Text::new(&self.budget, &settings.rt)?),
        })
    }

    pub(super) fn set_special(&mut self, special: Special, value: Value) -> Result<()> {
        match special {
            Special::Nf => {
                let number = value.number();
                if number < 0.0 {
                    return Err("NF set to negative value".to_owned().into());
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "what is too large has no room, and is refused for that"
                )]
                self.record.set_count(number as usize, &self.regexes)?;
            }
            Special::Nr => self.settings.nr = value.number(),
            Special::Fnr => self.settings.fnr = value.number(),
            Special::Argind => self.settings.argind = value.number(),
            Special::Rstart => self.settings.rstart = value.number(),
            Special::Rlength => self.settings.rlength = value.number(),
            Special::Ofs => {
                // What was assigned to fields is joined by what was the separator then.
                self.refresh_record()?;
                self.settings.ofs = self.as_text(&value)?;
            }
            Special::Ors => self.settings.ors = self.as_text(&value)?,
            Special::Subsep => self.settings.subsep = self.as_text(&value)?,
            Special::Convfmt => self.settings.convfmt = self.as_text(&value)?,
            Special::Ofmt => self.settings.ofmt = self.as_text(&value)?,
            Special::Filename => self.settings.filename = value,
            Special::Errno => self.settings.errno = value,
            Special::Rt => {
                let text = self.as_text(&value)?;
                self.settings.rt = text.as_bytes().to_vec();
            }
            Special::Fs => {
                self.settings.fs = self.as_text(&value)?;
                self.settings.splitting = Splitting::Fs;
                self.update_splitter()?;
            }
            Special::Fpat => {
                self.settings.fpat = self.as_text(&value)?;
                self.settings.splitting = Splitting::Fpat;
                self.update_splitter()?;
            }
            Special::Fieldwidths => {
                self.settings.fieldwidths = self.as_text(&value)?;
                self.settings.splitting = Splitting::Fieldwidths;
                self.update_splitter()?;
            }
            Special::Rs => {
                self.settings.rs = self.as_text(&value)?;
                self.update_separator()?;
                self.update_splitter()?;
            }
            Special::Ignorecase => {
                self.regexes.ignores_case = value.is_true();
                self.settings.ignorecase = value;
                self.update_separator()?;
                self.update_splitter()?;
            }
        }
        Ok(())
    }

    /// The string of a value.
    pub(super) fn as_text(&mut self, value: &Value) -> Result<Text> {
        if let Value::Text(text) | Value::Input(text) = value {
            return Ok(text.clone());
        }
        let mut buffer = self.take_scratch();
        self.put_value(value, &mut buffer, false)?;
        let text = Text::new(&self.budget, &buffer)?;
        self.give_scratch(buffer);
        Ok(text)
    }

    /// Comma-separated values, with quotes.
    pub(super) fn use_csv(&mut self) {
        self.settings.splitting = Splitting::Csv;
        self.settings.separator = Separator::Csv;
        self.record.splitter = Splitter::Csv;
    }

    fn update_separator(&mut self) -> Result<()> {
        if self.settings.splitting == Splitting::Csv {
            return Ok(());
        }
        let rs = self.settings.rs.clone();
        let ignores_case = self.regexes.ignores_case;
        self.settings.separator = match rs.as_bytes() {
            b"" => Separator::Paragraph,
            [byte] if !(ignores_case && byte.is_ascii_alphabetic()) => Separator::Byte(*byte),
            [byte] => Separator::Regex(self.regexes.dynamic(&quoted(&[*byte]))?),
            regex => Separator::Regex(self.regexes.dynamic(regex)?),
        };
        Ok(())
    }

    fn update_splitter(&mut self) -> Result<()> {
        // The record that is there was read with the old one.
        self.record.count(&self.regexes)?;
        self.record.splitter = match self.settings.splitting {
            Splitting::Csv => Splitter::Csv,
            Splitting::Fpat => {
                let fpat = self.settings.fpat.clone();
                Splitter::Fields(self.regexes.dynamic(fpat.as_bytes())?)
            }
            Splitting::Fieldwidths => {
                Splitter::Widths(widths(self.settings.fieldwidths.as_bytes())?)
            }
            Splitting::Fs => {
                let fs = self.settings.fs.clone();
                let is_paragraph = matches!(self.settings.separator, Separator::Paragraph);
                self.splitter(fs.as_bytes(), is_paragraph)?
            }
        };
        Ok(())
    }

    /// What splits by a string, as `FS` and `split` do.
    pub(super) fn splitter(&mut self, separator: &[u8], is_paragraph: bool) -> Result<Splitter> {
        let ignores_case = self.regexes.ignores_case;
        Ok(match separator {
            b" " => Splitter::Blanks,
            b"" => Splitter::Characters,
            [byte] if is_paragraph && !ignores_case => Splitter::ByteOrNewline(*byte),
            [byte] if !(ignores_case && byte.is_ascii_alphabetic()) => Splitter::Byte(*byte),
            regex => {
                let mut source = match regex {
                    [byte] => quoted(&[*byte]),
                    _ => regex.to_vec(),
                };
                if is_paragraph {
                    source = [b"(", source.as_slice(), b")|\n"].concat();
                }
                Splitter::Regex(self.regexes.dynamic(&source)?)
            }
        })
    }

    /// Assigns text from outside to a variable by its name: `-v` and `name=value` among the operands.
    pub(super) fn assign_text(&mut self, name: &str, value: &[u8]) -> Result<()> {
        let mut text = Vec::with_capacity(value.len());
        let mut at = 0;
        while let Some(byte) = value.get(at) {
            at += 1;
            if *byte == b'\\' {
                let rest = value.get(at..).unwrap_or_default();
                let (length, unknown) = put_escape(&mut text, rest);
                at += length;
                if let Some(unknown) = unknown {
                    let shown = char::from(unknown);
                    self.warn(&format!(
                        "escape sequence `\\{shown}' treated as plain `{shown}'"
                    ));
                }
            } else {
                text.push(*byte);
            }
        }
        let value = Value::Input(Text::from_vec(&self.budget, text)?);
        let variable = match Special::named(name) {
            Some(special) => Variable::Special(special),
            None => {
                let known = self.program.globals.iter().position(|known| known == name);
                match known {
                    Some(number) => Variable::Global(number),
                    // The program does not mention it.
                    None => return Ok(()),
                }
            }
        };
        if self
            .program
            .functions
            .iter()
            .any(|function| function.name == name)
        {
            return Err(format!("cannot use function name `{name}' as variable name").into());
        }
        self.assign_variable(variable, value)
    }
}

/// `"5 2:10 *"`: widths, with how much to skip before them.
fn widths(text: &[u8]) -> std::result::Result<Vec<(usize, Option<usize>)>, String> {
    let wrong = |word: &[u8]| {
        format!(
            "invalid FIELDWIDTHS value, for field near `{}'",
            word.as_bstr()
        )
    };
    let words =
        text.fields_with(|character| character == ' ' || character == '\t' || character == '\n');
    let mut widths = Vec::new();
    for word in words {
        let number = |digits: &[u8]| digits.to_str().ok()?.parse::<usize>().ok();
        let (skip, width) = match word.split_once_str(":") {
            Some((skip, width)) => (number(skip).ok_or_else(|| wrong(word))?, width),
            None => (0, word),
        };
        let width = match width {
            b"*" => None,
            width => Some(
                number(width)
                    .filter(|it| *it > 0)
                    .ok_or_else(|| wrong(word))?,
            ),
        };
        widths.push((skip, width));
    }
    Ok(widths)
}
