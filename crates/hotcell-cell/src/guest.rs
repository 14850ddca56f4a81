//! The guest as the host knows it: names, numbers and places that `guest/c` defines.

use wasmtime::{Instance, Memory, Module, ModuleExport, Store, TypedFunc};

use crate::{error::CellError, host::Host, memory::PAGE};

/// Size of the guest's inbox, `HC_INBOX_SIZE`.
pub(crate) const INBOX_SIZE: usize = 16384;

/// What `evaluate` and `resume` return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Done,
    Waiting,
    Stalled,
    StoppedForOperations,
    StoppedByInterrupt,
    StoppedByFinalAnswer,
}

impl Status {
    pub(crate) fn from_guest(status: i32) -> Result<Self, CellError> {
        Ok(match status {
            0 => Self::Done,
            1 => Self::Waiting,
            2 => Self::Stalled,
            4 => Self::StoppedForOperations,
            5 => Self::StoppedByInterrupt,
            6 => Self::StoppedByFinalAnswer,
            _ => return Err(CellError::Broken(format!("unknown status {status}"))),
        })
    }
}

/// Kinds of `emit`.
pub(crate) mod emit {
    pub(crate) const RESULT: i32 = 0;
    pub(crate) const EXCEPTION: i32 = 1;
    pub(crate) const UNCLONEABLE: i32 = 2;
    pub(crate) const FINAL: i32 = 3;
    pub(crate) const LOG: i32 = 4;
    pub(crate) const REJECTION: i32 = 5;
}

/// First byte of an answer.
pub(crate) mod answer {
    pub(crate) const VALUE: u8 = 0;
    pub(crate) const ERROR: u8 = 1;
    pub(crate) const STOP: u8 = 2;
}

/// Flags of an emitted exception.
pub(crate) mod exception {
    pub(crate) const FROM_TOOL: u8 = 1;
    pub(crate) const AT_COMPILE: u8 = 2;
}

/// Where things are in every cell of an image. Read once: they are constants of the image.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// The inbox.
    pub(crate) inbox: usize,
    /// `int64_t`: iterations left.
    pub(crate) operations_left: usize,
    /// `struct HcPolicy`.
    pub(crate) policy: usize,
    /// The stack is everything below.
    pub(crate) stack_top: usize,
    /// Size of the memory that an instance begins with.
    pub(crate) initial_memory: usize,
}

/// The exports of the module, looked up once.
pub(crate) struct Exports {
    memory: ModuleExport,
    evaluate: ModuleExport,
    resume: ModuleExport,
    abandon: ModuleExport,
    define: ModuleExport,
}

impl Exports {
    pub(crate) fn of(module: &Module) -> Option<Self> {
        Some(Self {
            memory: module.get_export_index("memory")?,
            evaluate: module.get_export_index("evaluate")?,
            resume: module.get_export_index("resume")?,
            abandon: module.get_export_index("abandon")?,
            define: module.get_export_index("define")?,
        })
    }

    pub(crate) fn bind(&self, store: &mut Store<Host>, instance: Instance) -> Option<Guest> {
        let mut function = |export| instance.get_module_export(&mut *store, export)?.into_func();
        let evaluate = function(&self.evaluate)?;
        let resume = function(&self.resume)?;
        let abandon = function(&self.abandon)?;
        let define = function(&self.define)?;
        Some(Guest {
            memory: instance
                .get_module_export(&mut *store, &self.memory)?
                .into_memory()?,
            evaluate: evaluate.typed(&*store).ok()?,
            resume: resume.typed(&*store).ok()?,
            abandon: abandon.typed(&*store).ok()?,
            define: define.typed(&*store).ok()?,
        })
    }
}

/// The entry points of one cell.
pub(crate) struct Guest {
    pub(crate) memory: Memory,
    pub(crate) evaluate: TypedFunc<i32, i32>,
    pub(crate) resume: TypedFunc<(), i32>,
    pub(crate) abandon: TypedFunc<(), i32>,
    pub(crate) define: TypedFunc<i32, i32>,
}

/// Reads the layout from a fresh instance.
pub(crate) fn layout(
    store: &mut Store<Host>,
    instance: Instance,
    memory: Memory,
) -> Option<Layout> {
    let mut address = |name| {
        let value = instance
            .get_global(&mut *store, name)?
            .get(&mut *store)
            .i32()?;
        usize::try_from(value).ok()
    };
    let (inbox, operations_left, policy, stack_top) = (
        address("hc_inbox")?,
        address("hc_operations_left")?,
        address("hc_policy")?,
        address("__stack_pointer")?,
    );
    let initial_memory = memory.data_size(&*store);
    let fits = inbox + INBOX_SIZE <= initial_memory
        && operations_left + 8 <= initial_memory
        && policy + 32 <= initial_memory
        && stack_top <= initial_memory
        && stack_top.is_multiple_of(PAGE);
    fits.then_some(Layout {
        inbox,
        operations_left,
        policy,
        stack_top,
        initial_memory,
    })
}
