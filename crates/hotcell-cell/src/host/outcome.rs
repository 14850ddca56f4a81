//! What a guest says of its run.

use std::sync::Arc;

use hotcell_meter::{Charge, OverLimit};

use super::{Host, Refusal};
use crate::{
    error::Exception,
    foreign,
    guest::{self, emit, exception},
    held::{allocation, over_limit, room},
    options::Line,
    value::{ErrorValue, Value},
    wire::{Reader, WireError},
};

/// How a run ended, as far as the guest has said.
#[derive(Debug)]
pub(crate) enum Emitted {
    Result(Value),
    Final(Value),
    Exception(Box<Exception>),
    Uncloneable {
        reason: String,
        printed: String,
        is_final_answer: bool,
    },
    /// There is no room for it outside, or no time to read it.
    Refused {
        refusal: Refusal,
        is_final_answer: bool,
    },
}

impl Emitted {
    fn is_final(&self) -> bool {
        matches!(
            self,
            Self::Final(_)
                | Self::Uncloneable {
                    is_final_answer: true,
                    ..
                }
                | Self::Refused {
                    is_final_answer: true,
                    ..
                }
        )
    }
}

/// What a run has said, until it is fetched.
#[derive(Default)]
pub(super) struct Said {
    emitted: Option<(Emitted, Option<Charge>)>,
    rejections: Rejections,
    /// Where the code was when it was stopped.
    place: Option<String>,
}

/// A place is a short text; what is longer is none.
const MAX_PLACE_BYTES: usize = 512;

/// Promises that were rejected while nobody listened.
#[derive(Default)]
struct Rejections {
    printed: Vec<String>,
    charge: Option<Charge>,
    /// Why there was no room for more, and how many they were.
    refused: Option<(OverLimit, u64)>,
}

impl Rejections {
    fn into_texts(self) -> Vec<String> {
        let mut texts = self.printed;
        texts.extend(self.refused.map(|(over, count)| {
            format!("({count} more rejections, for which there is no room: {over})")
        }));
        texts
    }
}

impl Host {
    /// A run begins, of which nothing has been said.
    pub(crate) fn forget_outcome(&mut self) {
        self.stopped_at = None;
        self.rejections = Vec::new();
        self.said = Said::default();
    }

    /// How the run ended. What else it left is in `stopped_at` and `rejections`.
    pub(crate) fn take_outcome(&mut self) -> Option<Emitted> {
        let said = std::mem::take(&mut self.said);
        self.stopped_at = said.place;
        self.rejections = said.rejections.into_texts();
        said.emitted.map(|(emitted, _charge)| emitted)
    }

    /// Takes in what the guest says of its run.
    pub(crate) fn receive(&mut self, kind: i32, message: &[u8]) -> wasmtime::Result<()> {
        match kind {
            emit::RESULT => self.receive_value(message, false)?,
            emit::FINAL => self.receive_value(message, true)?,
            emit::EXCEPTION => {
                let out_of_memory = self.limit.refused;
                let mut tool = None;
                self.receive_outcome(message, false, |reader| {
                    let exception = read_exception(reader, out_of_memory, &mut tool)?;
                    Ok(Emitted::Exception(Box::new(exception)))
                })?;
                let tool =
                    tool.and_then(|number| self.calls.tools.get(usize::try_from(number).ok()?));
                let tool = tool.map(|slot| Arc::clone(&slot.name));
                if let Some((Emitted::Exception(exception), _)) = &mut self.said.emitted {
                    exception.tool = tool;
                }
            }
            emit::UNCLONEABLE => self.receive_outcome(message, false, |reader| {
                Ok(Emitted::Uncloneable {
                    is_final_answer: reader.byte()? != 0,
                    reason: reader.printed()?,
                    printed: reader.printed()?,
                })
            })?,
            emit::LOG => self.print(message)?,
            emit::REJECTION => self.receive_rejection(message)?,
            emit::PLACE if message.len() <= MAX_PLACE_BYTES => {
                self.said.place = Some(String::from_utf8_lossy(message).into_owned());
            }
            _ => {}
        }
        Ok(())
    }

    fn receive_value(&mut self, message: &[u8], is_final_answer: bool) -> Result<(), WireError> {
        self.receive_outcome(message, is_final_answer, |reader| {
            reader.value().map(if is_final_answer {
                Emitted::Final
            } else {
                Emitted::Result
            })
        })
    }

    fn receive_outcome(
        &mut self,
        message: &[u8],
        is_final_answer: bool,
        read: impl FnOnce(&mut Reader<'_>) -> Result<Emitted, WireError>,
    ) -> Result<(), WireError> {
        // The first final answer wins, over anything else that is said.
        if matches!(&self.said.emitted, Some((emitted, _)) if emitted.is_final()) {
            return Ok(());
        }
        // What was said before makes room for this.
        self.said.emitted = None;
        self.said.emitted = Some(match self.read(message, read)? {
            Ok((emitted, charge)) => (emitted, Some(charge)),
            Err(refusal) => {
                let refused = Emitted::Refused {
                    refusal,
                    is_final_answer,
                };
                (refused, None)
            }
        });
        Ok(())
    }

    fn receive_rejection(&mut self, message: &[u8]) -> Result<(), WireError> {
        let printed = match Reader::watched(message, self.budget, self.watch()).printed() {
            // One less of a run that ends otherwise.
            Err(WireError::Stopped) => return Ok(()),
            printed => printed?,
        };
        let rejections = &mut self.said.rejections;
        let bytes = size_of::<String>() + allocation(printed.len());
        let charged = match &mut rejections.charge {
            Some(charge) => charge.grow(bytes),
            None => self.account.charge(bytes).map(|charge| {
                rejections.charge = Some(charge);
            }),
        };
        match (charged, &mut rejections.refused) {
            (Ok(()), _) => rejections.printed.push(printed),
            (Err(_), Some((_, count))) => *count += 1,
            (Err(over), refused) => *refused = Some((over, 1)),
        }
        Ok(())
    }

    fn print(&self, message: &[u8]) -> Result<(), WireError> {
        let Some(console) = &self.grants.console else {
            return Ok(());
        };
        let room = room(&self.account);
        let read = self.read(message, |reader| {
            let level = guest::level(reader.byte()?).ok_or(WireError::Malformed)?;
            let text = reader.printed()?;
            Ok((level, text, reader.left() == 0))
        })?;
        let Ok(((level, mut text, is_cut), _charge)) = read else {
            return Ok(());
        };
        let is_account = room < self.budget.less(0);
        if is_cut
            && is_account
            && let Some(over) = over_limit(&self.account, room)
        {
            text = format!("{text} ({over})");
        }
        let line = Line {
            level,
            text: &text,
            watch: self.watch(),
        };
        // A panic there is told where panics are told; it costs the host a line, not the cell its life.
        let _ = foreign::call(|| console(&line));
        Ok(())
    }
}

fn read_exception(
    reader: &mut Reader<'_>,
    out_of_memory: bool,
    tool: &mut Option<u64>,
) -> Result<Exception, WireError> {
    let flags = reader.byte()?;
    let from_tool = flags & exception::FROM_TOOL != 0;
    if from_tool {
        *tool = Some(reader.number()?);
    }
    let mut value = if reader.absent() {
        None
    } else {
        reader.value_if_it_fits()?
    };
    let mut printed = reader.printed()?;
    // The engine throws `null` when there is no memory even for an error.
    if out_of_memory && value == Some(Value::Null) {
        let error = ErrorValue::new("InternalError", "out of memory");
        printed = error.to_string();
        value = Some(error.into());
    }
    Ok(Exception {
        printed,
        value,
        from_tool,
        tool: None,
        at_compile: flags & exception::AT_COMPILE != 0,
        out_of_memory,
    })
}
