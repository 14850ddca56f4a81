//! What all cells of a process share.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use hotcell_image::{BuildId, Image, running_config};
use hotcell_watchdog::Watchdog;
use wasmtime::{InstancePre, Store};

use crate::{
    cell::{Cell, poll_now},
    error::CellError,
    guest::{Exports, Guest, place},
    host::Host,
    imports,
    options::CellOptions,
    room::{Room, RoomAllocator, StackLease},
};

/// How an [`Engine`] is made.
#[derive(Debug, Clone)]
#[must_use]
pub struct EngineOptions {
    max_cells: u32,
    keep_resident: usize,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            max_cells: 10_240,
            keep_resident: 1 << 20,
        }
    }
}

impl EngineOptions {
    /// How many cells may be alive at once (10,240). Each reserves 4 GiB of address space, none of it memory.
    pub fn max_cells(mut self, cells: u32) -> Self {
        self.max_cells = cells.max(1);
        self
    }

    /// How much of a dropped cell's memory is kept for the next one (1 MiB): wiping it is cheaper than faulting it in.
    pub fn keep_resident(mut self, bytes: usize) -> Self {
        self.keep_resident = bytes;
        self
    }
}

/// The image, loaded, and the room for its cells. Cheap to clone; make one per process.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) pre: InstancePre<Host>,
    pub(crate) exports: Exports,
    pub(crate) watchdog: Watchdog,
    room: Arc<Room>,
    max_cells: u32,
    /// How many are alive.
    cells: AtomicU32,
}

impl Engine {
    /// An engine with the image of this library and default options.
    pub fn new() -> Result<Self, CellError> {
        Self::with_options(&EngineOptions::default())
    }

    /// An engine with the image of this library.
    pub fn with_options(options: &EngineOptions) -> Result<Self, CellError> {
        Self::with_image(Image::embedded(), options)
    }

    /// An engine with an image from elsewhere, say a file. It must be the very image that this library was built with;
    /// anything else is refused.
    pub fn from_image_bytes(image: &[u8], options: &EngineOptions) -> Result<Self, CellError> {
        Self::with_image(Image::from_bytes(image)?, options)
    }

    fn with_image(image: Image<'_>, options: &EngineOptions) -> Result<Self, CellError> {
        let room = Room::new(image.memory(), options.keep_resident);
        let mut config = running_config();
        config.with_host_memory(Arc::new(RoomAllocator(Arc::clone(&room))));
        config.with_host_stack(Arc::new(RoomAllocator(Arc::clone(&room))));
        let engine = wasmtime::Engine::new(&config).map_err(|source| CellError::Machine {
            doing: "setting up the engine",
            source,
        })?;
        let module = image.load(&engine)?;
        let failed = |source| CellError::Machine {
            doing: "linking the image",
            source,
        };
        let pre = imports::linker(&engine)
            .and_then(|linker| linker.instantiate_pre(&module))
            .map_err(failed)?;
        let exports = Exports::of(&module).ok_or_else(|| {
            failed(wasmtime::format_err!(
                "the image does not export what a cell needs"
            ))
        })?;
        let watchdog = Watchdog::new(&engine);
        Ok(Self(Arc::new(Shared {
            pre,
            exports,
            watchdog,
            room,
            max_cells: options.max_cells,
            cells: AtomicU32::new(0),
        })))
    }

    /// A fresh cell.
    pub fn cell(&self, options: CellOptions) -> Result<Cell, CellError> {
        let (store, guest) = self.instantiate(&options)?;
        Ok(Cell::new(self.clone(), options, store, guest))
    }

    /// A cell as it was when `snapshot` was taken, in this process or another.
    ///
    /// The bytes may come from anywhere: they hold state, and `options` decide everything else, such as limits, clock and
    /// randomness. With [`CellOptions::snapshot_key`] only snapshots with the right seal are taken.
    ///
    /// Tools that were defined then are known by name but not connected: define them again. Calls that had no answer
    /// are listed by [`Cell::outstanding`].
    pub fn restore(&self, snapshot: &[u8], options: CellOptions) -> Result<Cell, CellError> {
        Cell::restore(self, snapshot, None, options)
    }

    /// Continues a cell from what [`Cell::snapshot_since`] gave, and the snapshot that it was taken against.
    pub fn restore_since(
        &self,
        snapshot: &[u8],
        base: &[u8],
        options: CellOptions,
    ) -> Result<Cell, CellError> {
        Cell::restore(self, snapshot, Some(base), options)
    }

    /// Names the image. Snapshots are only good for the build they were made with.
    pub fn build_id(&self) -> BuildId {
        BuildId::CURRENT
    }

    /// How many cells may be alive at once.
    pub fn max_cells(&self) -> u32 {
        self.0.max_cells
    }

    /// Whether the system tells which pages a cell has written to (Linux 6.7). Where it does not, all of its memory is given
    /// back when it is dropped, and making the next one takes longer.
    pub fn knows_written_pages() -> bool {
        crate::room::knows_written_pages()
    }

    pub(crate) fn instantiate(
        &self,
        options: &CellOptions,
    ) -> Result<(Store<Host>, Guest), CellError> {
        let permit = CellPermit::take(&self.0)?;
        let shared = &self.0;
        let needed = place::INITIAL_MEMORY as u64;
        if options.memory_limit < needed {
            return Err(CellError::MemoryLimitTooSmall {
                limit: options.memory_limit,
                needed,
            });
        }
        let mut store = Store::new(shared.pre.module().engine(), Host::new(options));
        store.limiter(|host| &mut host.limit);
        let (instance, stack) =
            StackLease::made_in(|| poll_now(shared.pre.instantiate_async(&mut store)));
        let instance = instance.map_err(|source| CellError::Machine {
            doing: "making a cell",
            source,
        })?;
        let guest = shared
            .exports
            .bind(&mut store, instance)
            .ok_or(CellError::Gone)?;
        let host = store.data_mut();
        host.memory = Some(guest.memory);
        host.permit = Some(permit);
        host.keep_stack(stack);
        Ok((store, guest))
    }

    /// The memory of a fresh cell above its stack, up to where it is all zero.
    pub(crate) fn baseline(&self) -> &[u8] {
        self.0.room.fresh.bytes()
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("build_id", &self.build_id())
            .field("max_cells", &self.0.max_cells)
            .finish()
    }
}

/// The place of a cell among those of its engine.
pub(crate) struct CellPermit(Arc<Shared>);

impl CellPermit {
    fn take(shared: &Arc<Shared>) -> Result<Self, CellError> {
        let limit = shared.max_cells;
        let taken = shared
            .cells
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |cells| {
                (cells < limit).then_some(cells + 1)
            });
        match taken {
            Ok(_) => Ok(Self(Arc::clone(shared))),
            Err(_) => Err(CellError::TooManyCells { limit }),
        }
    }
}

impl Drop for CellPermit {
    fn drop(&mut self) {
        self.0.cells.fetch_sub(1, Ordering::AcqRel);
    }
}
