//! Whatever a worker writes into the shared memory, the parent lives on.

use std::{os::fd::AsFd, sync::Arc};

use hotcell_vfs::{MemVfs, Vfs};
use hotcell_worker::{FileServer, Incoming, LEAST_REGION_BYTES, Most, Region, Server};
use proptest::{collection::vec, prelude::*};
use rustix::io::{pread, pwrite};

/// The memory as the worker has it: a file.
fn scribble(file: &impl AsFd, offset: u64, bytes: &[u8]) {
    assert_eq!(pwrite(file, bytes, offset).unwrap(), bytes.len());
}

fn numbers(numbers: [i32; 3]) -> Vec<u8> {
    numbers.into_iter().flat_map(i32::to_ne_bytes).collect()
}

/// Metadata that is half right.
fn almost_json() -> impl Strategy<Value = Vec<u8>> {
    let ops = prop_oneof![
        Just("readFile"),
        Just("writeFile"),
        Just("stat"),
        Just("open"),
        Just("read"),
        Just("write"),
        Just("rename"),
        Just("piece"),
        Just("rest"),
        Just("staged"),
        Just("fetch"),
        Just("symlink"),
        Just("utimes"),
        Just("append"),
        Just("nonsense"),
        Just("")
    ];
    let values = prop_oneof![
        Just("\"/a\"".to_owned()),
        Just("\"/../../etc\"".to_owned()),
        Just("-1".to_owned()),
        Just("1".to_owned()),
        Just("18446744073709551615".to_owned()),
        Just("[1,2]".to_owned()),
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("{\"bytes\":\"AAEC\"}".to_owned()),
        Just("\"rwcxtnda\"".to_owned()),
        Just("\"metadata\"".to_owned()),
        Just("\"binary\"".to_owned()),
        Just("1e300".to_owned())
    ];
    let names = prop_oneof![
        Just("path"),
        Just("oldPath"),
        Just("newPath"),
        Just("target"),
        Just("mode"),
        Just("flags"),
        Just("file"),
        Just("offset"),
        Just("length"),
        Just("atime"),
        Just("mtime"),
        Just("closed"),
        Just("resolved"),
        Just("of"),
        Just("url")
    ];
    (ops, vec((names, values), 0..5)).prop_map(|(op, members)| {
        let members: String = members
            .iter()
            .map(|(name, value)| format!(",\"{name}\":{value}"))
            .collect();
        format!("{{\"op\":\"{op}\"{members}}}").into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_parent_survives_whatever_is_in_the_region(
        rounds in vec(
            (
                prop_oneof![almost_json(), vec(any::<u8>(), 0..200)],
                vec(any::<u8>(), 0..300),
                prop_oneof![Just(None), (any::<i32>(), any::<i32>()).prop_map(Some), (-5..70_000, -5..70_000).prop_map(Some)],
            ),
            1..12,
        )
    ) {
        let (region, file) = Region::new(LEAST_REGION_BYTES).unwrap();
        let most = Most { metadata: 10_000, binary: 50_000 };
        let mut server = Server::new(Arc::new(region), most);
        let vfs = Arc::new(MemVfs::new());
        let mut files = FileServer::new(vfs.clone(), None);
        let mut incoming = Incoming::default();
        for (metadata, binary, lengths) in rounds {
            let honest = (i32::try_from(metadata.len()).unwrap(), i32::try_from(binary.len()).unwrap());
            let (metadata_length, binary_length) = lengths.unwrap_or(honest);
            scribble(&file, 0, &numbers([1, metadata_length, binary_length]));
            scribble(&file, 12, &metadata);
            scribble(&file, 12 + metadata.len() as u64, &binary);
            prop_assert!(server.region().is_asked());
            if server.take(&mut incoming) == Ok(true)
                && let Ok(answer) = files.handle(&mut incoming, &|| false)
            {
                server.respond(answer.is_error, &answer.metadata, answer.borrowed);
                // It was answered with something that a worker can read.
                let mut head = [0; 12];
                pread(&file, &mut head, 0).unwrap();
                prop_assert!(head[0] == 2 || head[0] == 3);
            }
            prop_assert!(vfs.audit().is_ok());
        }
        prop_assert!(vfs.usage().bytes < 1_000_000);
    }
}

/// The other thread changes every byte all the time, as a worker can; what the parent works with is its own copy.
#[test]
fn a_region_that_changes_while_it_is_read_does_no_harm() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let (region, file) = Region::new(LEAST_REGION_BYTES).unwrap();
    let most = Most {
        metadata: 10_000,
        binary: 50_000,
    };
    let mut server = Server::new(Arc::new(region), most);
    let vfs = Arc::new(MemVfs::new());
    let mut files = FileServer::new(vfs.clone(), None);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let requests = [
                r#"{"op":"writeFile","path":"/aaaa"}"#,
                r#"{"op":"stat","path":"/aaaa"}      "#,
                r#"{"op":"unlink","path":"/aaaa"}    "#,
            ];
            let mut number = 0_usize;
            while !is_over.load(Ordering::Relaxed) {
                number += 1;
                let request = requests[number % 3];
                let lengths = [i32::try_from(request.len()).unwrap(), i32::MAX, -1][number % 7 % 3];
                scribble(&file, 4, &lengths.to_ne_bytes());
                scribble(
                    &file,
                    8,
                    &(i32::try_from(number % 400).unwrap()).to_ne_bytes(),
                );
                scribble(&file, 12, request.as_bytes());
                scribble(&file, 12 + request.len() as u64, &[number as u8; 64]);
                scribble(&file, 0, &1_i32.to_ne_bytes());
            }
        });
        let mut incoming = Incoming::default();
        for _ in 0..20_000 {
            if server.take(&mut incoming) == Ok(true)
                && let Ok(answer) = files.handle(&mut incoming, &|| false)
            {
                server.respond(answer.is_error, &answer.metadata, answer.borrowed);
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    vfs.audit().unwrap();
}
