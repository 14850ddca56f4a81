//! `reduce`, `foreach` and the filters that take filters.

use super::{
    super::{
        stop::{Flow, Stop},
        syntax::{Binding, Special, Term},
        value::Value,
    },
    Env, Item, Machine, Out,
    path::{self, Path},
};

impl<'t> Machine<'t, '_> {
    pub(super) fn reduce(
        &self,
        source: &'t Term,
        binding: &'t Binding,
        (start, update): (&'t Term, &'t Term),
        env: &Env<'t>,
        item: Item,
        out: Out<'_>,
    ) -> Flow {
        self.eval(start, env, item.clone(), &mut |first| {
            let mut state = Some(first);
            self.values(source, env, item.value.clone(), &mut |value| {
                self.with_pattern(binding, env, value, &mut |env| {
                    // Taken, so that nobody shares it while it is changed.
                    let before = state.take().unwrap_or(Item::plain(Value::Null));
                    self.eval(update, env, before, &mut |item| {
                        state = Some(item);
                        Ok(())
                    })
                })
            })?;
            out(state.take().unwrap_or(Item::plain(Value::Null)))
        })
    }

    pub(super) fn foreach(
        &self,
        source: &'t Term,
        binding: &'t Binding,
        (start, update, extract): (&'t Term, &'t Term, Option<&'t Term>),
        env: &Env<'t>,
        item: Item,
        out: Out<'_>,
    ) -> Flow {
        self.eval(start, env, item.clone(), &mut |first| {
            let mut state = first;
            self.values(source, env, item.value.clone(), &mut |value| {
                self.with_pattern(binding, env, value, &mut |env| {
                    let before = std::mem::replace(&mut state, Item::plain(Value::Null));
                    let kept = before.clone();
                    let mut has_result = false;
                    let flow = self.eval(update, env, before, &mut |item| {
                        has_result = true;
                        state = item.clone();
                        match extract {
                            Some(extract) => self.eval(extract, env, item, out),
                            None => out(item),
                        }
                    });
                    if !has_result {
                        state = kept;
                    }
                    flow
                })
            })
        })
    }

    pub(super) fn special(
        &self,
        special: Special,
        args: &'t [Term],
        env: &Env<'t>,
        item: Item,
        out: Out<'_>,
    ) -> Flow {
        let arg = |index: usize| args.get(index).ok_or_else(Stop::fault);
        let value = item.value.clone();
        match special {
            Special::Empty => Ok(()),
            Special::Error => {
                self.values(arg(0)?, env, value, &mut |error| Err(Stop::Error(error)))
            }
            Special::Select => self.values(arg(0)?, env, value, &mut |keep| {
                if keep.is_true() {
                    out(item.clone())
                } else {
                    Ok(())
                }
            }),
            Special::Path => self.each_path(arg(0)?, env, value, &mut |steps| {
                out(self.made(&item, self.heap.array(steps.to_vec())?))
            }),
            Special::Paths => {
                let start = Item {
                    value,
                    path: Some(Path::root()),
                };
                self.recurse(start, &mut |found| {
                    let path = found.path.as_ref();
                    match path.and_then(|path| path.steps(self.process)) {
                        Some(steps) if !steps.is_empty() => {
                            out(self.made(&item, self.heap.array(steps)?))
                        }
                        _ => Ok(()),
                    }
                })
            }
            Special::Delete => {
                let mut gone = self.heap.array(Vec::new())?;
                self.each_path(arg(0)?, env, value.clone(), &mut |steps| {
                    if let Value::Array(gone) = &mut gone {
                        self.heap
                            .array_mut(gone)?
                            .push(self.heap.array(steps.to_vec())?)?;
                    }
                    Ok(())
                })?;
                let plain = item.path.clone();
                drop(item);
                out(Item {
                    value: path::delete(self, value, &gone)?,
                    path: plain.map(|_| Path::lost()),
                })
            }
            Special::GetPath => self.values(arg(0)?, env, value, &mut |wanted| {
                out(self.get_item(&item, &wanted)?)
            }),
            Special::Range => self.values(arg(0)?, env, value.clone(), &mut |from| {
                self.values(arg(1)?, env, value.clone(), &mut |to| {
                    self.range(&item, &from, &to, &Value::Number(1.0), out)
                })
            }),
            Special::RangeBy => self.values(arg(0)?, env, value.clone(), &mut |from| {
                self.values(arg(1)?, env, value.clone(), &mut |to| {
                    self.values(arg(2)?, env, value.clone(), &mut |by| {
                        self.range(&item, &from, &to, &by, out)
                    })
                })
            }),
            Special::RecurseBy => {
                self.repeat(arg(0)?, env, item, &mut |item| out(item).map(|()| true))
            }
            Special::Repeat => {
                self.repeat(arg(0)?, env, item, &mut |item| out(item).map(|()| true))
            }
            Special::While => {
                let condition = arg(0)?;
                self.repeat(arg(1)?, env, item, &mut |item| {
                    let mut goes_on = false;
                    self.values(condition, env, item.value.clone(), &mut |value| {
                        if value.is_true() {
                            goes_on = true;
                            out(item.clone())?;
                        }
                        Ok(())
                    })?;
                    Ok(goes_on)
                })
            }
            Special::Until => {
                let condition = arg(0)?;
                self.repeat(arg(1)?, env, item, &mut |item| {
                    let mut goes_on = false;
                    self.values(condition, env, item.value.clone(), &mut |value| {
                        if value.is_true() {
                            return out(item.clone());
                        }
                        goes_on = true;
                        Ok(())
                    })?;
                    Ok(goes_on)
                })
            }
            Special::First => {
                let mut found = None;
                self.until_enough(&mut |enough| {
                    self.eval(arg(0)?, env, item.clone(), &mut |item| {
                        found = Some(item);
                        Err(Stop::Break(enough))
                    })
                })?;
                found.map_or(Ok(()), out)
            }
            Special::Last => {
                let mut found = None;
                self.eval(arg(0)?, env, item, &mut |item| {
                    found = Some(item);
                    Ok(())
                })?;
                found.map_or(Ok(()), out)
            }
            Special::Limit => self.values(arg(0)?, env, value, &mut |count| {
                let count = count.as_number().unwrap_or(0.0);
                if count <= 0.0 {
                    return Ok(());
                }
                let mut seen = 0.0;
                self.until_enough(&mut |enough| {
                    self.eval(arg(1)?, env, item.clone(), &mut |item| {
                        seen += 1.0;
                        out(item)?;
                        if seen >= count {
                            Err(Stop::Break(enough))
                        } else {
                            Ok(())
                        }
                    })
                })
            }),
            Special::Skip => self.values(arg(0)?, env, value, &mut |count| {
                let mut left = count.as_number().unwrap_or(0.0);
                self.eval(arg(1)?, env, item.clone(), &mut |item| {
                    if left > 0.0 {
                        left -= 1.0;
                        return Ok(());
                    }
                    out(item)
                })
            }),
            Special::IsEmpty => {
                let mut is_empty = true;
                self.until_enough(&mut |enough| {
                    self.values(arg(0)?, env, value.clone(), &mut |_| {
                        is_empty = false;
                        Err(Stop::Break(enough))
                    })
                })?;
                out(self.made(&item, Value::Bool(is_empty)))
            }
            Special::Any | Special::All => {
                let wanted = special == Special::Any;
                let mut answer = !wanted;
                self.until_enough(&mut |enough| {
                    self.values(arg(0)?, env, value.clone(), &mut |value| {
                        self.values(arg(1)?, env, value, &mut |value| {
                            if value.is_true() == wanted {
                                answer = wanted;
                                return Err(Stop::Break(enough));
                            }
                            Ok(())
                        })
                    })
                })?;
                out(self.made(&item, Value::Bool(answer)))
            }
            Special::Key => {
                let key = self.key(arg(0)?, env, value)?;
                out(self.made(&item, key))
            }
            Special::Input => match self.inputs.next(self.process)? {
                Some(value) => out(self.made(&item, value)),
                None => Err(Stop::message("No more inputs")),
            },
            Special::Inputs => {
                while let Some(value) = self.inputs.next(self.process)? {
                    out(self.made(&item, value))?;
                }
                Ok(())
            }
        }
    }

    /// What something is sorted by: all values of a filter, as an array. The usual one of one value is that value, as millions of small
    /// arrays take much, not least the time to free them. One that is an array itself is not, so that both are told apart.
    fn key(&self, body: &'t Term, env: &Env<'t>, value: Value) -> Result<Value, Stop> {
        let mut first = None;
        let mut all = None;
        self.values(body, env, value, &mut |value| {
            if first.is_none() && all.is_none() && !matches!(value, Value::Array(_)) {
                first = Some(value);
                return Ok(());
            }
            if all.is_none() {
                let mut array = self.heap.open_array()?;
                first.take().map_or(Ok(()), |first| array.push(first))?;
                all = Some(array);
            }
            all.as_mut().map_or(Ok(()), |all| all.push(value))
        })?;
        match (first, all) {
            (Some(first), _) => Ok(first),
            (None, Some(all)) => Ok(all.close()),
            (None, None) => self.heap.array(Vec::new()),
        }
    }

    /// A value that was made, and is at no place.
    fn made(&self, item: &Item, value: Value) -> Item {
        Item {
            value,
            path: item.path.as_ref().map(|_| Path::lost()),
        }
    }

    /// Runs something that may have enough.
    fn until_enough(&self, run: &mut dyn FnMut(u64) -> Flow) -> Flow {
        let enough = self.label();
        match run(enough) {
            Err(Stop::Break(label)) if label == enough => Ok(()),
            flow => flow,
        }
    }

    fn range(&self, item: &Item, from: &Value, to: &Value, by: &Value, out: Out<'_>) -> Flow {
        let (Some(mut at), Some(to), Some(by)) = (from.as_number(), to.as_number(), by.as_number())
        else {
            return Err(Stop::message("Range bounds must be numeric"));
        };
        if by == 0.0 {
            // It never gets there, and jq gives nothing then.
            return Ok(());
        }
        while if by > 0.0 { at < to } else { at > to } {
            self.process.spend(8);
            out(self.made(item, Value::Number(at)))?;
            at += by;
        }
        Ok(())
    }

    /// Shows an item, and then what `step` makes of it, and so on while `shows` says so. The last result of a step is gone on with
    /// here; only those before it need a call, so that a long chain needs no stack.
    fn repeat(
        &self,
        step: &'t Term,
        env: &Env<'t>,
        item: Item,
        shows: &mut dyn FnMut(Item) -> Result<bool, Stop>,
    ) -> Flow {
        self.check_stack()?;
        let mut item = item;
        loop {
            self.process.spend(16);
            if !shows(item.clone())? {
                return Ok(());
            }
            let mut last: Option<Item> = None;
            let mut is_inner = false;
            let flow = self.eval(step, env, item, &mut |next| {
                if let Some(before) = last.replace(next) {
                    self.repeat(step, env, before, shows)
                        .inspect_err(|_| is_inner = true)?;
                }
                Ok(())
            });
            match (flow, last) {
                (Ok(()), Some(next)) => item = next,
                (Ok(()), None) => return Ok(()),
                (Err(stop @ (Stop::Error(_) | Stop::Message(_))), Some(next)) if !is_inner => {
                    self.repeat(step, env, next, shows)?;
                    return Err(stop);
                }
                (Err(stop), _) => return Err(stop),
            }
        }
    }
}
