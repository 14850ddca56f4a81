//! A guest in Rust: `tools/sort` sorts what the guest reads, and the guest writes it out.
//!
//! ```text
//! cargo build --release -p hotcell-guest --example hello --target wasm32-unknown-unknown
//! printf 'b\na\n' | hotcell guest run target/wasm32-unknown-unknown/release/examples/hello.wasm --allow tools/sort
//! ```

#![cfg_attr(target_arch = "wasm32", no_std)]

use hotcell_guest::{
    Error, Hub, Imports, Lembeh, Sink, Source, StartRequest, State, WANT_STDIN, WANT_STDOUT,
};

#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// What the host calls, with the handles of standard input and output.
#[unsafe(no_mangle)]
pub extern "C" fn lembeh_handle(input: i32, output: i32) {
    let host = &mut Imports;
    if run(host, Source::standard(input), Sink::standard(output)).is_err() {
        host.log("hello", "something went wrong");
    }
}

fn run(host: &mut impl Lembeh, mut input: Source, mut output: Sink) -> Result<(), Error> {
    let mut hub = Hub::<4096>::open(host)?;
    let request = StartRequest {
        prog_id: "tools/sort",
        flags: WANT_STDIN | WANT_STDOUT,
        args: &["sort"],
        env: &[("LC_ALL", "C")],
    };
    let program = hub.start(host, &request)?;
    let (Some(mut stdin), Some(mut stdout)) = (program.stdin, program.stdout) else {
        return Err(Error::Malformed);
    };
    let mut buf = [0; 4096];
    loop {
        let read = input.read(host, &mut buf)?;
        if read.is_empty() {
            break;
        }
        // `sort` reads everything before it writes: it is never the one that waits for us.
        stdin.write_all(host, read)?;
    }
    stdin.end(host);
    loop {
        let read = stdout.read(host, &mut buf)?;
        if read.is_empty() {
            break;
        }
        output.write_all(host, read)?;
    }
    if hub.status(host, program.exec_id)?.state != State::Exited {
        host.log("hello", "sort did not come to its end");
    }
    output.end(host);
    Ok(())
}
