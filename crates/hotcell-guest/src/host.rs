//! The seven functions.

/// What a guest can ask of its host. [`Imports`](crate::Imports) are the real ones; tests have others.
pub trait Lembeh {
    /// `req_read`: how many bytes were read; 0 at the end, −1 if it cannot be read.
    fn read(&mut self, handle: i32, buf: &mut [u8]) -> i32;

    /// `res_write`: how many bytes were taken; −1 if it cannot be written.
    fn write(&mut self, handle: i32, bytes: &[u8]) -> i32;

    /// `res_end`: nothing more will be written.
    fn end(&mut self, handle: i32);

    /// `log`: says something to whoever listens.
    fn log(&mut self, topic: &str, msg: &str);

    /// `_ctl`: how long the reply is; −1 if there is none.
    fn control(&mut self, request: &[u8], reply: &mut [u8]) -> i32;
}

#[cfg(target_arch = "wasm32")]
pub(crate) mod imports {
    //! What a module imports.
    #![expect(unsafe_code, reason = "imports are foreign functions")]

    use super::Lembeh;

    #[link(wasm_import_module = "lembeh")]
    unsafe extern "C" {
        fn req_read(handle: i32, ptr: *mut u8, cap: usize) -> i32;
        fn res_write(handle: i32, ptr: *const u8, len: usize) -> i32;
        fn res_end(handle: i32);
        fn log(topic: *const u8, topic_len: usize, msg: *const u8, msg_len: usize);
        fn _ctl(req: *const u8, req_len: usize, resp: *mut u8, resp_cap: usize) -> i32;
    }

    /// The functions of the host that runs this module.
    #[derive(Debug, Clone, Copy, Default)]
    pub struct Imports;

    impl Lembeh for Imports {
        fn read(&mut self, handle: i32, buf: &mut [u8]) -> i32 {
            // SAFETY: the host writes at most `len` bytes to the slice, which is borrowed for the call.
            unsafe { req_read(handle, buf.as_mut_ptr(), buf.len()) }
        }

        fn write(&mut self, handle: i32, bytes: &[u8]) -> i32 {
            // SAFETY: the host reads at most `len` bytes of the slice, which is borrowed for the call.
            unsafe { res_write(handle, bytes.as_ptr(), bytes.len()) }
        }

        fn end(&mut self, handle: i32) {
            // SAFETY: any number will do.
            unsafe { res_end(handle) }
        }

        fn log(&mut self, topic: &str, msg: &str) {
            // SAFETY: the host reads both texts, which are borrowed for the call.
            unsafe { log(topic.as_ptr(), topic.len(), msg.as_ptr(), msg.len()) }
        }

        fn control(&mut self, request: &[u8], reply: &mut [u8]) -> i32 {
            // SAFETY: the host reads one slice and writes at most the length of the other; both are borrowed for the call.
            unsafe {
                _ctl(
                    request.as_ptr(),
                    request.len(),
                    reply.as_mut_ptr(),
                    reply.len(),
                )
            }
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod no_imports {
    //! Outside of WebAssembly there is no host.

    use super::Lembeh;

    /// The functions of the host that runs this module. Here there is none, and every call fails.
    #[derive(Debug, Clone, Copy, Default)]
    pub struct Imports;

    impl Lembeh for Imports {
        fn read(&mut self, _handle: i32, _buf: &mut [u8]) -> i32 {
            -1
        }

        fn write(&mut self, _handle: i32, _bytes: &[u8]) -> i32 {
            -1
        }

        fn end(&mut self, _handle: i32) {}

        fn log(&mut self, _topic: &str, _msg: &str) {}

        fn control(&mut self, _request: &[u8], _reply: &mut [u8]) -> i32 {
            -1
        }
    }
}
