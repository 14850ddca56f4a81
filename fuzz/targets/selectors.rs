//! Any bytes are parameters, results and sources or not; what is read is written again as the same bytes.

use hotcell_hopper::{
    Encode, Malformed,
    control::{
        Capability, DescribeRequest, Description, HubMeta, HubParams, OpenRequest, Opened, Reply,
        encode_capabilities, read_capabilities,
    },
    failure::{Failure, Refusal},
    frame::{Fuel, Owner},
    selector::{
        config::{self, ConfigValue, Key, KeyRequest, Keys},
        exec::{Start, StartRequest, Started, Status, StatusRequest},
        files::{self, Entries, Entry, ListRequest, OpenFileRequest},
        net::ConnectRequest,
    },
    source::Source,
};

/// Tries one input.
pub(crate) fn run(data: &[u8]) {
    same(data, Source::decode(data));
    same(data, Failure::decode(data));
    same(data, Refusal::decode(data));
    same(data, DescribeRequest::decode(data));
    same(data, Description::decode(data));
    same(data, OpenRequest::decode(data));
    same(data, Opened::decode(data));
    same(data, Fuel::decode(data));
    same(data, Owner::decode(data));
    same(data, Started::decode(data));
    same(data, StatusRequest::decode(data));
    same(data, Status::decode(data));
    same(data, ListRequest::decode(data));
    same(data, OpenFileRequest::decode(data));
    same(data, KeyRequest::decode(data));
    same(data, ConfigValue::decode(data));
    same(data, ConnectRequest::decode(data));
    // These have fields that are not kept, or may be left out.
    let _ = (
        HubMeta::decode(data),
        HubParams::decode(data),
        Reply::decode(data),
    );
    if let Ok(list) = read_capabilities(data) {
        let list: Vec<Capability<'_>> = list.iter().collect();
        same(data, Ok(encode_capabilities(&list)));
    }
    if let Ok(list) = files::read_entries(data) {
        let list: Vec<Entry<'_>> = list.iter().collect();
        same(data, Ok(Entries(&list)));
    }
    if let Ok(list) = config::read_keys(data) {
        let list: Vec<Key<'_>> = list.iter().collect();
        same(data, Ok(Keys(&list)));
    }
    if let Ok(start) = Start::decode(data)
        && start.is_text()
    {
        let text = |bytes| std::str::from_utf8(bytes).expect("it is a text");
        let args: Vec<&str> = start.args.iter().map(text).collect();
        let env: Vec<_> = start
            .env
            .iter()
            .map(|(key, value)| (text(key), text(value)))
            .collect();
        let request = StartRequest {
            prog_id: text(start.prog_id),
            flags: start.flags,
            args: &args,
            env: &env,
        };
        same(data, Ok(request));
    }
}

fn same(data: &[u8], read: Result<impl Encode, Malformed>) {
    if let Ok(read) = read {
        assert_eq!(read.to_vec().expect("it had a length"), data);
    }
}
