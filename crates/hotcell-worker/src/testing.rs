//! For tests of this crate and of those that build on it; not a part of its interface.

use std::os::fd::OwnedFd;

/// Makes a test program able to be a worker: before `main`, which is the test harness's, it looks whether it was started as one.
///
/// Only for tests. What runs before `main` has no promise from anybody; a program calls [`run`](crate::run) in its `main`.
#[macro_export]
#[doc(hidden)]
macro_rules! worker_before_main {
    ($run:expr) => {
        #[used]
        // SAFETY: the C library calls what is in this section, with this type, before `main`. The standard library's arguments
        // are there by then: it puts its own function in front.
        #[unsafe(link_section = ".init_array")]
        static WORKER_BEFORE_MAIN: extern "C" fn() = {
            extern "C" fn before_main() {
                if $crate::is_worker() {
                    $run();
                }
                $crate::this_program_can_be_a_worker();
            }
            before_main
        };
    };
}

/// What a worker is given at its start: the name of the service and the shared memory. For workers that do not keep to the rules.
pub fn receive_start() -> std::io::Result<(String, [OwnedFd; 3])> {
    let (start, descriptors) = crate::start::receive(&std::io::stdin())?;
    Ok((start.service, descriptors))
}
