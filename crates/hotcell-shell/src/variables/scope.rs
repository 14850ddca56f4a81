//! Layers: functions and the assignments in front of commands.

use std::sync::Arc;

use super::{Attributes, Place, Value, Variable, Variables};
use crate::ast::Text;

/// What a scope is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// A call of a function: `local` variables are here.
    Function,
    /// `x=1 command`, where the command is a builtin.
    Temporary,
}

/// What a scope holds, on top of others.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    kind: Scope,
    /// What was visible before a variable of this scope took its place; nothing, if there was none.
    hidden: Vec<(Text, Option<Arc<Variable>>)>,
    below: Option<Arc<Layer>>,
    /// How many scopes there are up to and with this one.
    depth: u32,
}

impl Drop for Layer {
    fn drop(&mut self) {
        // One by one, because a chain of many would be dropped by as many calls within each other.
        let mut below = self.below.take();
        while let Some(mut scope) = below.and_then(Arc::into_inner) {
            below = scope.below.take();
        }
    }
}

impl Layer {
    fn hidden_mut(&mut self, name: &[u8]) -> Option<&mut Option<Arc<Variable>>> {
        self.hidden
            .iter_mut()
            .find(|(hidden, _)| **hidden == *name)
            .map(|(_, variable)| variable)
    }
}

impl Variables {
    /// Enters a scope.
    pub(crate) fn push_scope(&mut self, kind: Scope) {
        let below = self.scopes.take();
        self.scopes = Some(Arc::new(Layer {
            kind,
            hidden: Vec::new(),
            depth: 1 + below.as_ref().map_or(0, |below| below.depth),
            below,
        }));
    }

    /// Leaves the topmost scope: what it hid is visible again.
    pub(crate) fn pop_scope(&mut self) {
        let Some(mut scope) = self.scopes.take() else {
            return;
        };
        let scope = Arc::make_mut(&mut scope);
        self.scopes = scope.below.take();
        for (name, variable) in scope.hidden.drain(..).rev() {
            self.memory.replace(hidden_size(variable.as_deref()), 0);
            self.put(&name, variable);
        }
    }

    /// Whether a variable has its value from an assignment in front of the command that is being run.
    pub(crate) fn is_temporary(&self, name: &[u8]) -> bool {
        self.scopes.as_ref().is_some_and(|scope| {
            scope.kind == Scope::Temporary
                && scope.hidden.iter().any(|(hidden, _)| **hidden == *name)
        })
    }

    /// Whether a function is being run.
    pub(crate) fn is_in_function(&self) -> bool {
        self.function_depth().is_some()
    }

    /// Removes a variable. One that is local to the running function stays, without a value, so that it still hides
    /// others; one that is local to a calling function goes, and what it hid is visible.
    pub(crate) fn remove(&mut self, name: &[u8], keep_local: bool) {
        let Some(variable) = self.get_reference(name) else {
            return;
        };
        let depth = variable.depth;
        if depth == 0 {
            self.put(name, None);
            return;
        }
        let is_current = Some(depth) == self.function_depth();
        if is_current || keep_local {
            let empty = Variable::declared(Attributes::NONE, depth);
            self.put(name, Some(Arc::new(empty)));
            return;
        }
        let hidden = self.scope_at(depth).and_then(|scope| {
            let index = scope
                .hidden
                .iter()
                .position(|(hidden, _)| **hidden == *name)?;
            Some(scope.hidden.remove(index).1)
        });
        let hidden = hidden.flatten();
        self.memory.replace(hidden_size(hidden.as_deref()), 0);
        self.put(name, hidden);
    }

    /// The variables of the innermost function, in order of their names.
    pub(crate) fn locals(&self) -> Vec<(&Text, &Variable)> {
        let Some(depth) = self.function_depth() else {
            return Vec::new();
        };
        let mut all = self.sorted();
        all.retain(|(_, variable)| variable.depth == depth);
        all
    }

    /// Puts a variable into the table, or takes the one that is there out.
    pub(super) fn put(&mut self, name: &[u8], variable: Option<Arc<Variable>>) {
        let is_exported = |variable: &Variable| variable.has(Attributes::EXPORT);
        let size = |variable: &Variable| variable.size() + name.len();
        let mut changes_exports = variable.as_deref().is_some_and(is_exported);
        let new = variable.as_deref().map_or(0, size);
        let old = match variable {
            None => self.table.remove(name),
            Some(variable) => match self.table.get_mut(name) {
                Some(place) => Some(std::mem::replace(place, variable)),
                None => self.table.insert(name.into(), variable),
            },
        };
        changes_exports |= old.as_deref().is_some_and(is_exported);
        let paid = |old: &Arc<Variable>| self.memory.paid_for(old) + name.len();
        let before = old.as_ref().map_or(0, paid);
        self.memory.replace(before, new);
        if changes_exports {
            self.environment = None;
        }
    }

    pub(super) fn depth_of(&self, place: Place) -> Option<u32> {
        match place {
            Place::Visible => None,
            Place::Global => Some(0),
            Place::Local => self.function_depth(),
            Place::Topmost => Some(self.scopes.as_ref().map_or(0, |scope| scope.depth)),
        }
    }

    fn function_depth(&self) -> Option<u32> {
        let mut scope = self.scopes.as_deref();
        while let Some(found) = scope {
            if found.kind == Scope::Function {
                return Some(found.depth);
            }
            scope = found.below.as_deref();
        }
        None
    }

    fn scope_at(&mut self, depth: u32) -> Option<&mut Layer> {
        let mut scope = self.scopes.as_mut()?;
        while scope.depth != depth {
            scope = Arc::make_mut(scope).below.as_mut()?;
        }
        Some(Arc::make_mut(scope))
    }

    /// The variable that is visible at a depth: in the table, or hidden by the lowest scope above that hides it.
    pub(super) fn slot(&mut self, name: &[u8], depth: Option<u32>) -> Option<&mut Variable> {
        let Some(depth) = depth else {
            return self.table.get_mut(name).map(Arc::make_mut);
        };
        let lowest = self.lowest_hiding(name, depth);
        let Some(lowest) = lowest else {
            return self.table.get_mut(name).map(Arc::make_mut);
        };
        let hidden = self.scope_at(lowest)?.hidden_mut(name)?.as_mut();
        hidden.map(Arc::make_mut)
    }

    fn lowest_hiding(&self, name: &[u8], depth: u32) -> Option<u32> {
        let mut lowest = None;
        let mut scope = self.scopes.as_deref();
        while let Some(found) = scope.filter(|scope| scope.depth > depth) {
            if found.hidden.iter().any(|(hidden, _)| **hidden == *name) {
                lowest = Some(found.depth);
            }
            scope = found.below.as_deref();
        }
        lowest
    }

    /// Makes a new variable of a scope, which hides what is visible there.
    pub(super) fn insert_local(&mut self, name: &[u8], depth: u32) {
        let text = Text::from(name);
        let lowest = self.lowest_hiding(name, depth);
        let hidden = match lowest {
            None => self.table.get(name).cloned(),
            Some(lowest) => self
                .scope_at(lowest)
                .and_then(|scope| scope.hidden_mut(name)?.take()),
        };
        // It goes on to programs if what it hides does: `local PATH=…` is for them, too.
        let exported = hidden
            .as_ref()
            .map(|hidden| hidden.attributes & Attributes::EXPORT);
        let new = Variable::declared(exported.unwrap_or(Attributes::NONE), depth);
        let new = Arc::new(new);
        self.memory.replace(0, hidden_size(hidden.as_deref()));
        if let Some(scope) = self.scope_at(depth) {
            scope.hidden.push((text, hidden));
        }
        match lowest {
            None => self.put(name, Some(new)),
            Some(lowest) => {
                if let Some(slot) = self
                    .scope_at(lowest)
                    .and_then(|scope| scope.hidden_mut(name))
                {
                    *slot = Some(new);
                }
            }
        }
    }

    /// Makes a global variable where scopes may hide it.
    pub(super) fn insert_below(&mut self, name: &[u8]) {
        let new = Arc::new(Variable::declared(Attributes::NONE, 0));
        match self.lowest_hiding(name, 0) {
            None => self.put(name, Some(new)),
            Some(lowest) => {
                if let Some(slot) = self
                    .scope_at(lowest)
                    .and_then(|scope| scope.hidden_mut(name))
                {
                    *slot = Some(new);
                }
            }
        }
    }

    /// Whether the visible variable of this name belongs to the innermost function.
    pub(crate) fn is_local(&self, name: &[u8]) -> bool {
        let depth = self.function_depth();
        self.get_reference(name)
            .is_some_and(|variable| Some(variable.depth) == depth)
    }

    /// Whether a variable has a value, which dynamic ones always have.
    pub(crate) fn has_value(&self, name: &[u8]) -> bool {
        self.get(name)
            .is_some_and(|variable| !matches!(variable.value, Value::Unset))
    }
}

/// What a scope pays for a variable that it hides.
fn hidden_size(variable: Option<&Variable>) -> usize {
    variable.map_or(32, Variable::size)
}
