//! Which pages a cell has written to, as the system tells.

#[cfg(not(target_os = "linux"))]
pub(super) use nowhere::PageMap;
#[cfg(target_os = "linux")]
pub(super) use on_linux::PageMap;

#[cfg(target_os = "linux")]
mod on_linux {
    use std::{fs::File, ops::Range};

    use rustix::ioctl::{Updater, ioctl, opcode};

    use hotcell_watchdog::generation;

    /// `/proc/self/pagemap`, which can list pages by what they are (Linux 6.7).
    pub(in crate::room) struct PageMap {
        file: File,
        /// After a fork the file is still about the parent.
        process: u64,
    }

    /// `struct pm_scan_arg` of `linux/fs.h`.
    #[repr(C)]
    #[derive(Default)]
    struct Scan {
        size: u64,
        flags: u64,
        start: u64,
        end: u64,
        walk_end: u64,
        regions: u64,
        regions_length: u64,
        max_pages: u64,
        category_inverted: u64,
        category_mask: u64,
        category_anyof_mask: u64,
        return_mask: u64,
    }

    /// `struct page_region`.
    #[repr(C)]
    #[derive(Clone, Copy, Default)]
    struct Region {
        start: u64,
        end: u64,
        categories: u64,
    }

    const FILE: u64 = 1 << 2;
    const PRESENT: u64 = 1 << 3;
    const SWAPPED: u64 = 1 << 4;
    const ZERO: u64 = 1 << 5;

    const PAGEMAP_SCAN: rustix::ioctl::Opcode = opcode::read_write::<Scan>(b'f', 16);

    /// How many runs of pages are looked up in one go.
    const REGIONS: usize = 128;

    impl PageMap {
        /// `None` if the system cannot tell.
        pub(in crate::room) fn open() -> Option<Self> {
            let map = Self {
                file: File::open("/proc/self/pagemap").ok()?,
                process: generation(),
            };
            map.scan(&mut Scan::default(), &mut [])?;
            Some(map)
        }

        /// Calls `found` with runs of pages in `range` that are not the file's, until there are no more or they come to `limit`
        /// bytes, and returns up to where it looked. A page that it did not find is as it was mapped.
        ///
        /// The second argument says that it is the zero page. Where a file is mapped that is no more as it was mapped than any
        /// other: the system puts it in the place of a page that was written full of zeros when it looks for pages that are
        /// alike. Elsewhere it is what was there to begin with.
        pub(in crate::room) fn dirty(
            &self,
            range: Range<usize>,
            limit: usize,
            mut found: impl FnMut(Range<usize>, bool),
        ) -> usize {
            let mut at = range.start;
            let mut pages_left = limit / rustix::param::page_size();
            while at < range.end && pages_left > 0 {
                let mut regions = [Region::default(); REGIONS];
                // A page of the cell's own is not the file's, be it in memory or swapped out.
                let mut scan = Scan {
                    start: at as u64,
                    end: range.end as u64,
                    max_pages: pages_left as u64,
                    category_inverted: FILE,
                    category_mask: FILE,
                    category_anyof_mask: PRESENT | SWAPPED,
                    return_mask: ZERO,
                    ..Scan::default()
                };
                let Some(reached) = self.scan(&mut scan, &mut regions) else {
                    return at;
                };
                // The kernel has filled in those that it found; the others are as they were.
                for region in regions.iter().take_while(|region| region.end > 0) {
                    let dirty = address(region.start)..address(region.end);
                    pages_left =
                        pages_left.saturating_sub(dirty.len() / rustix::param::page_size());
                    found(dirty, region.categories & ZERO != 0);
                }
                if !(at + 1..=range.end).contains(&reached) {
                    return at;
                }
                at = reached;
            }
            at
        }

        /// Returns up to where the kernel looked, `None` if it did not.
        fn scan(&self, scan: &mut Scan, regions: &mut [Region]) -> Option<usize> {
            if generation() != self.process {
                return None;
            }
            scan.size = size_of::<Scan>() as u64;
            scan.regions = regions.as_mut_ptr().expose_provenance() as u64;
            scan.regions_length = regions.len() as u64;
            // SAFETY: the structure is the one that this request is about. The kernel writes to it, and to no more
            // regions than it says there are, all of which any bytes make valid.
            unsafe { ioctl(&self.file, Updater::<PAGEMAP_SCAN, Scan>::new(scan)) }.ok()?;
            Some(address(scan.walk_end))
        }
    }

    /// Addresses of this process, which came from it.
    #[expect(clippy::cast_possible_truncation, reason = "a pointer fits")]
    fn address(address: u64) -> usize {
        address as usize
    }
}

#[cfg(not(target_os = "linux"))]
mod nowhere {
    use std::ops::Range;

    /// Other systems do not tell.
    pub(in crate::room) enum PageMap {}

    impl PageMap {
        pub(in crate::room) fn open() -> Option<Self> {
            None
        }

        pub(in crate::room) fn dirty(
            &self,
            _: Range<usize>,
            _: usize,
            _: impl FnMut(Range<usize>, bool),
        ) -> usize {
            match *self {}
        }
    }
}
