//! Functions that are built in.

use super::{
    super::{
        number,
        syntax::{Argument, ArrayExpr, Builtin, Expr, Variable},
        value::Value,
    },
    Interpreter, Result,
};

impl<'a> Interpreter<'a> {
    pub(super) fn builtin(&mut self, builtin: Builtin, arguments: &'a [Argument]) -> Result<Value> {
        match builtin {
            Builtin::Length => self.length(arguments.first()),
            Builtin::Substr => {
                let text = self.string_at(arguments, 0)?;
                let start = self.number_at(arguments, 1)?;
                let length = match arguments.get(2) {
                    Some(_) => Some(self.number_at(arguments, 2)?),
                    None => None,
                };
                let value = self.substr(&text, start, length)?;
                self.give_scratch(text);
                Ok(value)
            }
            Builtin::Index => {
                let text = self.string_at(arguments, 0)?;
                let sought = self.string_at(arguments, 1)?;
                let value = self.index(&text, &sought);
                self.give_scratch(text);
                self.give_scratch(sought);
                Ok(value)
            }
            Builtin::Split => self.split(arguments, false),
            Builtin::Patsplit => self.split(arguments, true),
            Builtin::Sub | Builtin::Gsub => match arguments {
                [Argument::Regex(regex), replacement, rest @ ..] => {
                    self.substitute(builtin == Builtin::Gsub, regex, replacement, rest.first())
                }
                _ => Ok(Value::Nothing),
            },
            Builtin::Gensub => self.general_substitute(arguments),
            Builtin::Match => match arguments {
                [text, Argument::Regex(regex)] => self.match_function(text, regex, None),
                [text, Argument::Regex(regex), Argument::Array(groups)] => {
                    self.match_function(text, regex, Some(groups))
                }
                _ => Ok(Value::Nothing),
            },
            Builtin::Sprintf => {
                let mut text = self.take_scratch();
                let exprs = arguments.iter().filter_map(|argument| match argument {
                    Argument::Value(expr) => Some(expr),
                    _ => None,
                });
                self.format(exprs, &mut text)?;
                let value = self.text(&text)?;
                self.give_scratch(text);
                Ok(value)
            }
            Builtin::Tolower | Builtin::Toupper => {
                let text = self.string_at(arguments, 0)?;
                let value = self.change_case(&text, builtin == Builtin::Toupper)?;
                self.give_scratch(text);
                Ok(value)
            }
            _ => self.other_builtin(builtin, arguments),
        }
    }

    #[inline(never)]
    fn other_builtin(&mut self, builtin: Builtin, arguments: &'a [Argument]) -> Result<Value> {
        match builtin {
            Builtin::Asort | Builtin::Asorti => self.sort_array(builtin, arguments),
            Builtin::Isarray => {
                let value = self.any_at(arguments)?;
                Ok(Value::truth(matches!(value, Value::Array(_))))
            }
            Builtin::Typeof => {
                let kind = self.type_of(arguments)?;
                self.text(kind.as_bytes())
            }
            Builtin::Close => {
                let name = self.string_at(arguments, 0)?;
                let end = match arguments.get(1) {
                    Some(_) => Some(self.string_at(arguments, 1)?),
                    None => None,
                };
                let status = self.streams.close(&name, end.as_deref())?;
                Ok(Value::Number(f64::from(status)))
            }
            Builtin::System => {
                let command = self.string_at(arguments, 0)?;
                let status = self.streams.run(&command)?;
                Ok(Value::Number(f64::from(status)))
            }
            Builtin::Fflush => {
                let is_there = if arguments.is_empty() {
                    self.streams.flush_all()?;
                    true
                } else {
                    let name = self.string_at(arguments, 0)?;
                    if name.is_empty() {
                        self.streams.flush_all()?;
                        true
                    } else {
                        self.streams.flush(&name)?
                    }
                };
                Ok(Value::Number(if is_there { 0.0 } else { -1.0 }))
            }
            Builtin::Systime => Ok(Value::Number(self.systime())),
            Builtin::Mktime => {
                let text = self.string_at(arguments, 0)?;
                let is_utc = self.truth_at(arguments, 1)?;
                self.mktime(&text, is_utc)
            }
            Builtin::Strftime => {
                let format = match arguments.first() {
                    Some(argument) => Some(self.argument_value(argument)?),
                    None => None,
                };
                let time = match arguments.get(1) {
                    Some(_) => Some(self.number_at(arguments, 1)?),
                    None => None,
                };
                let is_utc = self.truth_at(arguments, 2)?;
                self.strftime(format, time, is_utc)
            }
            _ => self.numeric_builtin(builtin, arguments),
        }
    }

    fn numeric_builtin(&mut self, builtin: Builtin, arguments: &'a [Argument]) -> Result<Value> {
        if builtin == Builtin::Strtonum {
            let value = match arguments.first() {
                Some(argument) => self.argument_value(argument)?,
                None => Value::Nothing,
            };
            return Ok(Value::Number(match &value {
                Value::Text(text) | Value::Input(text) => strtonum(text.as_bytes()),
                value => value.number(),
            }));
        }
        if matches!(builtin, Builtin::And | Builtin::Or | Builtin::Xor) {
            return self.bits(builtin, arguments);
        }
        let first = match arguments.first() {
            Some(_) => self.number_at(arguments, 0)?,
            None => 0.0,
        };
        Ok(Value::Number(match builtin {
            Builtin::Int => first.trunc(),
            Builtin::Sqrt => {
                if first < 0.0 {
                    self.warn(&format!("sqrt: called with negative argument {first}"));
                }
                first.sqrt()
            }
            Builtin::Exp => first.exp(),
            Builtin::Log => {
                if first < 0.0 {
                    self.warn(&format!("log: received negative argument {first}"));
                }
                // The C library's answer for what is no number is negative.
                if first < 0.0 { -f64::NAN } else { first.ln() }
            }
            Builtin::Sin => first.sin(),
            Builtin::Cos => first.cos(),
            Builtin::Atan2 => first.atan2(self.number_at(arguments, 1)?),
            Builtin::Rand => self.random.number(),
            Builtin::Srand => {
                let seed = if arguments.is_empty() {
                    self.systime()
                } else {
                    first
                };
                self.random.reseed(seed)
            }
            Builtin::Compl => {
                let bits = self.as_bits("compl", first)?;
                from_bits(!bits)
            }
            Builtin::Lshift | Builtin::Rshift => {
                let bits = self.as_bits(builtin.name(), first)?;
                let by = self.number_at(arguments, 1)?;
                let by = u32::try_from(self.as_bits(builtin.name(), by)?).unwrap_or(u32::MAX);
                from_bits(if builtin == Builtin::Lshift {
                    bits.checked_shl(by).unwrap_or(0)
                } else {
                    bits.checked_shr(by).unwrap_or(0)
                })
            }
            _ => 0.0,
        }))
    }

    fn bits(&mut self, builtin: Builtin, arguments: &'a [Argument]) -> Result<Value> {
        let mut result = None;
        for at in 0..arguments.len() {
            let number = self.number_at(arguments, at)?;
            let bits = self.as_bits(builtin.name(), number)?;
            result = Some(match (result, builtin) {
                (None, _) => bits,
                (Some(before), Builtin::And) => before & bits,
                (Some(before), Builtin::Or) => before | bits,
                (Some(before), _) => before ^ bits,
            });
        }
        Ok(Value::Number(from_bits(result.unwrap_or(0))))
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "negative is refused, and conversions saturate"
    )]
    fn as_bits(&self, name: &str, number: f64) -> Result<u64> {
        if number < 0.0 {
            return Err(format!("{name}: argument value {number} is not allowed").into());
        }
        Ok(number as u64)
    }

    fn type_of(&mut self, arguments: &'a [Argument]) -> Result<&'static str> {
        if let [Argument::Array(ArrayExpr::Variable(variable))] = arguments
            && let Some(Value::Nothing) = self.slot(*variable)
        {
            return Ok(match variable {
                Variable::Special(_) => "unassigned",
                _ => "untyped",
            });
        }
        if let [Argument::Value(Expr::Matches(_))] = arguments {
            return Ok("number");
        }
        Ok(match self.any_at(arguments)? {
            Value::Array(_) => "array",
            Value::Number(_) => "number",
            Value::Text(_) => "string",
            Value::Nothing => "unassigned",
            Value::Input(text) => match number::whole(text.as_bytes()) {
                Some(_) => "strnum",
                None => "string",
            },
        })
    }

    /// The only argument, whatever it is.
    fn any_at(&mut self, arguments: &'a [Argument]) -> Result<Value> {
        match arguments.first() {
            Some(Argument::Array(name)) => self.value_or_array(name),
            Some(argument) => self.argument_value(argument),
            None => Ok(Value::Nothing),
        }
    }

    pub(super) fn argument_value(&mut self, argument: &'a Argument) -> Result<Value> {
        match argument {
            Argument::Value(expr) => self.evaluate(expr),
            Argument::Target(target) => self.target_value(target),
            Argument::Array(name) => self.value_or_array(name),
            Argument::Regex(_) => Ok(Value::Nothing),
        }
    }

    pub(super) fn argument_string(&mut self, argument: &'a Argument) -> Result<Vec<u8>> {
        if let Argument::Value(expr) = argument {
            return self.string(expr);
        }
        let value = self.argument_value(argument)?;
        let mut text = self.take_scratch();
        self.put_value(&value, &mut text, false)?;
        Ok(text)
    }

    fn string_at(&mut self, arguments: &'a [Argument], at: usize) -> Result<Vec<u8>> {
        match arguments.get(at) {
            Some(argument) => self.argument_string(argument),
            None => Ok(Vec::new()),
        }
    }

    fn number_at(&mut self, arguments: &'a [Argument], at: usize) -> Result<f64> {
        match arguments.get(at) {
            Some(Argument::Value(expr)) => self.number(expr),
            Some(argument) => Ok(self.argument_value(argument)?.number()),
            None => Ok(0.0),
        }
    }

    fn truth_at(&mut self, arguments: &'a [Argument], at: usize) -> Result<bool> {
        match arguments.get(at) {
            Some(Argument::Value(expr)) => self.truth(expr),
            _ => Ok(false),
        }
    }

    /// A function that is built in, called by the name in a variable: those that take values only.
    pub(super) fn call_builtin_by_name(
        &mut self,
        builtin: Builtin,
        arguments: &'a [Expr],
    ) -> Result<Value> {
        let values: Vec<Value> = arguments
            .iter()
            .map(|argument| self.evaluate(argument))
            .collect::<Result<_>>()?;
        let (least, most) = builtin.arity();
        if values.len() < least || values.len() > most {
            return Err(format!(
                "{} is invalid as number of arguments for {}",
                values.len(),
                builtin.name()
            )
            .into());
        }
        let number = |at: usize| values.get(at).map_or(0.0, Value::number);
        match builtin {
            Builtin::Length => {
                let mut text = self.take_scratch();
                if let Some(value) = values.first() {
                    self.put_value(value, &mut text, false)?;
                }
                let length = crate::characters::count(&text);
                self.give_scratch(text);
                Ok(Value::count(length))
            }
            Builtin::Tolower | Builtin::Toupper | Builtin::Substr => {
                let mut text = self.take_scratch();
                if let Some(value) = values.first() {
                    self.put_value(value, &mut text, false)?;
                }
                let value = if builtin == Builtin::Substr {
                    self.substr(&text, number(1), values.get(2).map(Value::number))
                } else {
                    self.change_case(&text, builtin == Builtin::Toupper)
                };
                self.give_scratch(text);
                value
            }
            Builtin::Index => {
                let (mut text, mut sought) = (self.take_scratch(), self.take_scratch());
                if let [first, second] = values.as_slice() {
                    self.put_value(first, &mut text, false)?;
                    self.put_value(second, &mut sought, false)?;
                }
                Ok(self.index(&text, &sought))
            }
            Builtin::Sprintf => {
                let mut text = self.take_scratch();
                let mut format = self.take_scratch();
                if let Some((first, rest)) = values.split_first() {
                    self.put_value(first, &mut format, false)?;
                    self.format_values(&format, rest, &mut text)?;
                }
                let value = self.text(&text);
                self.give_scratch(text);
                value
            }
            Builtin::Int => Ok(Value::Number(number(0).trunc())),
            Builtin::Sqrt => Ok(Value::Number(number(0).sqrt())),
            Builtin::Exp => Ok(Value::Number(number(0).exp())),
            Builtin::Log => Ok(Value::Number(number(0).ln())),
            Builtin::Sin => Ok(Value::Number(number(0).sin())),
            Builtin::Cos => Ok(Value::Number(number(0).cos())),
            Builtin::Atan2 => Ok(Value::Number(number(0).atan2(number(1)))),
            Builtin::Rand => Ok(Value::Number(self.random.number())),
            Builtin::Systime => Ok(Value::Number(self.systime())),
            _ => Err(format!(
                "function `{}' cannot be called by a name in a variable",
                builtin.name()
            )
            .into()),
        }
    }
}

/// What a double holds of so many bits: the lower ones.
fn from_bits(bits: u64) -> f64 {
    let shift = (bits | 1 << (64 - f64::MANTISSA_DIGITS)).trailing_zeros();
    let bits = bits & (((1 << f64::MANTISSA_DIGITS) - 1) << shift);
    #[expect(clippy::cast_precision_loss, reason = "all numbers are doubles")]
    let number = bits as f64;
    number
}

fn strtonum(text: &[u8]) -> f64 {
    let start = text
        .iter()
        .position(|byte| !byte.is_ascii_whitespace())
        .unwrap_or(text.len());
    let text = text.get(start..).unwrap_or_default();
    let (sign, digits) = match text {
        [b'-', digits @ ..] => (-1.0, digits),
        [b'+', digits @ ..] => (1.0, digits),
        digits => (1.0, digits),
    };
    sign * number::scan_constant(digits).map_or(0.0, |(number, _)| number)
}
