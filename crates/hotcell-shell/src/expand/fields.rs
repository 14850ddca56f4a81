//! Fields as they are made of the parts of a word.

use bstr::BString;
use hotcell_meter::Charge;
use hotcell_process::Process;

use super::ifs::{Delimiter, Ifs};
use crate::marked::Marked;

/// What the allocator takes for the text of a field at least.
const SMALLEST: usize = 16;

/// How much is made before the account is asked.
const STEP: usize = 256 * 1024;

/// Collects what the parts of a word expand to, and splits what is to be split.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about the word"
)]
pub(crate) struct Fields {
    done: Vec<Marked>,
    current: Marked,
    /// There is a current field, though it may be empty.
    is_open: bool,
    /// The last field was ended by blanks, which a delimiter of another kind would belong to.
    after_blank: bool,
    /// A list without elements was expanded: quotes around it do not make a field.
    pub(super) saw_empty_list: bool,
    /// Only one field is wanted.
    is_joined: bool,
    /// It is the value of an assignment.
    is_assigned: bool,
    ifs: Ifs,
    bytes: usize,
    charge: Option<Charge>,
}

impl Fields {
    /// Several fields, split at `IFS`.
    pub(crate) fn split(ifs: Ifs) -> Self {
        Self {
            done: Vec::new(),
            current: Marked::default(),
            is_open: false,
            after_blank: false,
            saw_empty_list: false,
            is_joined: false,
            is_assigned: false,
            ifs,
            bytes: 0,
            charge: None,
        }
    }

    /// One field, whatever is in it.
    pub(crate) fn joined(ifs: Ifs) -> Self {
        Self {
            is_joined: true,
            ..Self::split(ifs)
        }
    }

    /// One field, the value of an assignment.
    pub(crate) fn assigned(ifs: Ifs) -> Self {
        Self {
            is_assigned: true,
            ..Self::joined(ifs)
        }
    }

    pub(crate) fn is_assigned(&self) -> bool {
        self.is_assigned
    }

    pub(crate) fn is_joined(&self) -> bool {
        self.is_joined
    }

    pub(crate) fn ifs(&self) -> &Ifs {
        &self.ifs
    }

    /// Text without quotes that is not split: it was written there.
    pub(crate) fn push_literal(&mut self, text: &[u8]) {
        self.bytes += text.len();
        self.current.push(text);
        self.is_open = true;
        self.after_blank = false;
    }

    /// Quoted text, which makes a field even if it is empty.
    pub(crate) fn push_quoted(&mut self, text: &[u8]) {
        self.bytes += text.len();
        self.current.push_quoted(text);
        self.is_open = true;
        self.after_blank = false;
    }

    /// What an expansion outside of quotes came to.
    pub(crate) fn push_expansion(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        if self.is_joined {
            self.push_literal(text);
            return;
        }
        let mut at = 0;
        while at < text.len() {
            let end = self.ifs.next_delimiter(text, at).unwrap_or(text.len());
            if end > at {
                self.push_literal(text.get(at..end).unwrap_or_default());
            }
            at = end;
            if let Some((delimiter, length)) = self.ifs.delimiter_at(text, at) {
                self.delimit(delimiter);
                at += length;
            }
        }
    }

    /// Ends a field as a delimiter does.
    fn delimit(&mut self, delimiter: Delimiter) {
        match delimiter {
            Delimiter::Blank => {
                if self.is_open {
                    self.end_field();
                    self.after_blank = true;
                }
            }
            Delimiter::Other => {
                if self.is_open || !self.after_blank {
                    self.end_field();
                }
                self.after_blank = false;
            }
        }
    }

    /// Ends the current field, or makes an empty one.
    fn end_field(&mut self) {
        self.done.push(std::mem::take(&mut self.current));
        self.bytes += size_of::<Marked>();
        self.is_open = false;
    }

    /// The elements of `$@`, `$*` or an array outside of quotes, where they are split.
    pub(crate) fn push_list(&mut self, values: &[BString]) {
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                match self.ifs.delimiter_at(self.ifs.joiner(), 0) {
                    Some((delimiter, _)) => self.delimit(delimiter),
                    None if self.is_open => self.end_field(),
                    None => {}
                }
            }
            self.push_expansion(value);
        }
    }

    /// The elements of `"$@"` or `"${a[@]}"`, each a field.
    pub(crate) fn push_quoted_list(&mut self, values: &[BString]) {
        if values.is_empty() {
            self.saw_empty_list = true;
        }
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.end_field();
            }
            self.push_quoted(value);
        }
    }

    /// Where the fields are, to see later whether something was added.
    pub(super) fn mark(&self) -> (usize, usize, bool) {
        (self.done.len(), self.current.text.len(), self.is_open)
    }

    /// Charges the fields that a text is going to be split into, before they are made: there may be as many as it has bytes.
    pub(crate) fn foresee(&mut self, process: &Process, text: &[u8]) -> std::io::Result<()> {
        if self.is_joined || text.len() <= STEP / size_of::<Marked>() {
            return Ok(());
        }
        let mut at = 0;
        let mut most = 1;
        while let Some(delimiter) = self.ifs.next_delimiter(text, at) {
            process.spend(1);
            most += 1;
            at = delimiter + 1;
        }
        self.reserve(process, most, text.len())
    }

    /// The same for elements that become fields of their own.
    pub(crate) fn foresee_list(
        &mut self,
        process: &Process,
        values: &[BString],
    ) -> std::io::Result<()> {
        if self.is_joined || values.len() <= STEP / size_of::<Marked>() {
            return Ok(());
        }
        process.spend(values.len());
        let bytes = values.iter().map(|value| value.len()).sum();
        self.reserve(process, values.len(), bytes)
    }

    fn reserve(&mut self, process: &Process, count: usize, bytes: usize) -> std::io::Result<()> {
        let bytes = count * (size_of::<Marked>() + SMALLEST) + bytes;
        let charge = match &mut self.charge {
            Some(charge) => charge,
            None => self.charge.insert(process.charge(0)?),
        };
        let more = (self.bytes + bytes).saturating_sub(charge.bytes());
        charge.grow(more).map_err(hotcell_process::limit_error)
    }

    /// Charges what has been collected. To be asked after each part.
    pub(crate) fn settle(&mut self, process: &Process) -> std::io::Result<()> {
        let charged = self.charge.as_ref().map_or(0, Charge::bytes);
        if self.bytes <= charged + STEP {
            return Ok(());
        }
        if let Some(charge) = &mut self.charge {
            charge
                .resize(self.bytes.max(charged))
                .map_err(hotcell_process::limit_error)?;
        } else {
            self.charge = Some(process.charge(self.bytes)?);
        }
        Ok(())
    }

    /// All fields.
    pub(crate) fn finish(mut self) -> Vec<Marked> {
        if self.is_open {
            self.done.push(self.current);
        }
        self.done
    }

    /// The one field of a joined collection.
    pub(crate) fn into_one(self) -> Marked {
        self.current
    }
}

/// Pays for the fields of several words while more are made of the next.
#[derive(Default)]
pub(crate) struct Gathered {
    count: usize,
    bytes: usize,
    charge: Option<Charge>,
}

impl Gathered {
    /// Charges what has been added since it was last asked.
    pub(crate) fn settle(&mut self, process: &Process, fields: &[BString]) -> std::io::Result<()> {
        let added = fields.get(self.count..).unwrap_or_default();
        let of = |field: &BString| size_of::<BString>() + field.len().max(SMALLEST);
        self.bytes += added.iter().map(of).sum::<usize>();
        self.count = fields.len();
        let charged = self.charge.as_ref().map_or(0, Charge::bytes);
        if self.bytes <= charged + STEP {
            return Ok(());
        }
        if let Some(charge) = &mut self.charge {
            return charge
                .resize(self.bytes)
                .map_err(hotcell_process::limit_error);
        }
        self.charge = Some(process.charge(self.bytes)?);
        Ok(())
    }
}
