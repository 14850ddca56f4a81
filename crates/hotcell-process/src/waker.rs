//! Waking a process.

use std::{
    sync::{Arc, Weak},
    task::{Wake, Waker},
};

use crate::{kernel::Shared, status::Pid};

struct ProcessWaker {
    // Weak: a waker may be kept by anybody for ever.
    kernel: Weak<Shared>,
    pid: Pid,
}

pub(crate) fn process_waker(kernel: &Arc<Shared>, pid: Pid) -> Waker {
    let kernel = Arc::downgrade(kernel);
    Waker::from(Arc::new(ProcessWaker { kernel, pid }))
}

impl Wake for ProcessWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(kernel) = self.kernel.upgrade() {
            kernel.wake(self.pid);
        }
    }
}
