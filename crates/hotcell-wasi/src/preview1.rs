//! WASI preview 1: the functions that a program can call, all of them.
//!
//! A function that cannot wait is an ordinary one, which runs on the program's own stack and costs a call. Those that can wait
//! are futures: while one is pending, the stack of the program is put aside, and its process waits.
//!
//! How to add one: write it in the file of its kind, as a function of the guest and its memory (or, if it can wait, of a
//! [`Call`]), and name it in [`define`].

mod arguments;
mod clock;
mod directory;
mod manage;
mod open;
mod path;
mod poll;
mod position;
mod proc;
mod random;
mod socket;
mod stat;
mod stream;

use wasmtime::{Caller, Linker};

use crate::{
    abi::Version,
    ending::{Answer, code_of},
    guest::Guest,
    memory::{Call, Memory},
};

/// Defines every function, in both versions of the interface.
pub(crate) fn define(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    for version in [Version::Zero, Version::One] {
        define_version(linker, version)?;
    }
    Ok(())
}

/// Answers a call that cannot wait.
fn answer(
    caller: Caller<'_, Guest>,
    function: impl FnOnce(&mut Guest, &mut Memory<'_>) -> Answer,
) -> wasmtime::Result<u32> {
    code_of(Call::new(caller).and_then(|mut call| {
        let (guest, mut memory) = call.parts();
        function(guest, &mut memory)
    }))
}

/// Functions that cannot wait, by the name that programs import them by.
macro_rules! functions {
    ($linker:ident, $version:ident, $($name:ident($($argument:ident: $kind:ty),*) $function:path;)*) => {
        $($linker.func_wrap(
            $version.module(),
            stringify!($name),
            move |caller: Caller<'_, Guest>, $($argument: $kind),*| {
                answer(caller, |guest, memory| $function(guest, memory, $($argument),*))
            },
        )?;)*
    };
}

/// Functions that can.
macro_rules! waiting {
    ($linker:ident, $version:ident, $($name:ident($($argument:ident: $kind:ty),*) $function:path;)*) => {
        $($linker.func_wrap_async(
            $version.module(),
            stringify!($name),
            move |caller: Caller<'_, Guest>, ($($argument,)*): ($($kind,)*)| Box::new(async move {
                let answer = match Call::new(caller) {
                    Ok(call) => $function(call, $($argument),*).await,
                    Err(fault) => Err(fault),
                };
                code_of(answer)
            }),
        )?;)*
    };
}

fn define_version(linker: &mut Linker<Guest>, version: Version) -> wasmtime::Result<()> {
    functions! { linker, version,
        args_get(argv: u32, buffer: u32) arguments::args_get;
        args_sizes_get(count: u32, size: u32) arguments::args_sizes_get;
        environ_get(environ: u32, buffer: u32) arguments::environ_get;
        environ_sizes_get(count: u32, size: u32) arguments::environ_sizes_get;
        clock_res_get(clock: u32, out: u32) clock::clock_res_get;
        clock_time_get(clock: u32, precision: u64, out: u32) clock::clock_time_get;
        fd_advise(fd: u32, offset: u64, length: u64, advice: u32) manage::fd_advise;
        fd_allocate(fd: u32, offset: u64, length: u64) manage::fd_allocate;
        fd_close(fd: u32) manage::fd_close;
        fd_datasync(fd: u32) manage::fd_datasync;
        fd_renumber(from: u32, to: u32) manage::fd_renumber;
        fd_sync(fd: u32) manage::fd_sync;
        fd_fdstat_get(fd: u32, out: u32) stat::fd_fdstat_get;
        fd_fdstat_set_flags(fd: u32, flags: u32) stat::fd_fdstat_set_flags;
        fd_fdstat_set_rights(fd: u32, base: u64, inheriting: u64) stat::fd_fdstat_set_rights;
        fd_filestat_set_size(fd: u32, size: u64) stat::fd_filestat_set_size;
        fd_filestat_set_times(fd: u32, accessed: u64, modified: u64, flags: u32) stat::fd_filestat_set_times;
        fd_prestat_get(fd: u32, out: u32) stat::fd_prestat_get;
        fd_prestat_dir_name(fd: u32, buffer: u32, length: u32) stat::fd_prestat_dir_name;
        fd_readdir(fd: u32, buffer: u32, length: u32, cookie: u64, out: u32) directory::fd_readdir;
        fd_tell(fd: u32, out: u32) position::fd_tell;
        path_create_directory(fd: u32, path: u32, length: u32) path::path_create_directory;
        path_filestat_set_times(
            fd: u32, lookup: u32, path: u32, length: u32, accessed: u64, modified: u64, flags: u32
        ) path::path_filestat_set_times;
        path_link(
            old_fd: u32, lookup: u32, old: u32, old_length: u32, new_fd: u32, new: u32, new_length: u32
        ) path::path_link;
        path_readlink(
            fd: u32, path: u32, length: u32, buffer: u32, buffer_length: u32, out: u32
        ) path::path_readlink;
        path_remove_directory(fd: u32, path: u32, length: u32) path::path_remove_directory;
        path_rename(
            old_fd: u32, old: u32, old_length: u32, new_fd: u32, new: u32, new_length: u32
        ) path::path_rename;
        path_symlink(target: u32, target_length: u32, fd: u32, path: u32, length: u32) path::path_symlink;
        path_unlink_file(fd: u32, path: u32, length: u32) path::path_unlink_file;
        proc_raise(signal: u32) proc::proc_raise;
        sock_recv(fd: u32, data: u32, count: u32, flags: u32, size: u32, out: u32) socket::sock_recv;
        sock_send(fd: u32, data: u32, count: u32, flags: u32, size: u32) socket::sock_send;
        sock_shutdown(fd: u32, how: u32) socket::sock_shutdown;
    }
    waiting! { linker, version,
        fd_pread(fd: u32, buffers: u32, count: u32, offset: u64, out: u32) stream::fd_pread;
        fd_pwrite(fd: u32, buffers: u32, count: u32, offset: u64, out: u32) stream::fd_pwrite;
        fd_read(fd: u32, buffers: u32, count: u32, out: u32) stream::fd_read;
        fd_write(fd: u32, buffers: u32, count: u32, out: u32) stream::fd_write;
        path_open(
            fd: u32, lookup: u32, path: u32, length: u32, open: u32, rights: u64, inheriting: u64, flags: u32, out: u32
        ) open::path_open;
        random_get(buffer: u32, length: u32) random::random_get;
        sched_yield() proc::sched_yield;
    }
    linker.func_wrap(
        version.module(),
        "proc_exit",
        |_: Caller<'_, Guest>, code: u32| proc::proc_exit(code),
    )?;
    define_differing(linker, version)
}

/// Those in which the versions differ.
fn define_differing(linker: &mut Linker<Guest>, version: Version) -> wasmtime::Result<()> {
    let module = version.module();
    if version == Version::One {
        linker.func_wrap(
            module,
            "sock_accept",
            |caller: Caller<'_, Guest>, fd: u32, flags: u32, out: u32| {
                answer(caller, |guest, memory| {
                    socket::sock_accept(guest, memory, fd, flags, out)
                })
            },
        )?;
    }
    linker.func_wrap(
        module,
        "fd_filestat_get",
        move |caller: Caller<'_, Guest>, fd: u32, out: u32| {
            answer(caller, |guest, memory| {
                stat::fd_filestat_get(guest, memory, version, fd, out)
            })
        },
    )?;
    linker.func_wrap(
        module,
        "path_filestat_get",
        move |caller: Caller<'_, Guest>, fd: u32, lookup: u32, path: u32, length: u32, out: u32| {
            answer(caller, |guest, memory| {
                path::path_filestat_get(guest, memory, version, (fd, lookup, path, length), out)
            })
        },
    )?;
    linker.func_wrap(
        module,
        "fd_seek",
        move |caller: Caller<'_, Guest>, fd: u32, offset: i64, whence: u32, out: u32| {
            answer(caller, |guest, memory| {
                position::fd_seek(guest, memory, version, (fd, offset, whence), out)
            })
        },
    )?;
    linker.func_wrap_async(
        module,
        "poll_oneoff",
        move |caller: Caller<'_, Guest>,
              (subscriptions, events, count, out): (u32, u32, u32, u32)| {
            Box::new(async move {
                let answer = match Call::new(caller) {
                    Ok(call) => {
                        poll::poll_oneoff(call, version, subscriptions, events, count, out).await
                    }
                    Err(fault) => Err(fault),
                };
                code_of(answer)
            })
        },
    )?;
    Ok(())
}
