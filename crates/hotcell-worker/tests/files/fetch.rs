//! The network, as far as there is one.

use std::sync::Arc;

use hotcell_vfs::MemVfs;
use hotcell_worker::{Fetch, FetchError, FetchRequest, FetchResponse};
use serde_json::{Value as Json, json};

use crate::support::connect_with;

struct Echo;

impl Fetch for Echo {
    fn fetch(
        &self,
        request: FetchRequest,
        is_over: &dyn Fn() -> bool,
    ) -> Result<FetchResponse, FetchError> {
        assert!(!is_over());
        if request.url.contains("forbidden") {
            return Err(FetchError {
                code: "EACCES".to_owned(),
                message: "not this one".to_owned(),
            });
        }
        Ok(FetchResponse {
            status: 201,
            headers: vec![("x-method".to_owned(), request.method)],
            body: request.body,
        })
    }
}

#[test]
fn fetch_has_the_shape_of_the_document() {
    let (mut client, _served) =
        connect_with(Arc::new(MemVfs::new()), Some(Arc::new(Echo)), 1 << 20);
    let request = json!({ "op": "fetch", "url": "http://a/", "method": "PUT", "headers": [["a", "b"]], "body": "text" });
    let reply = client.request(request.to_string().as_bytes(), &[]);
    let told: Json = serde_json::from_slice(reply.metadata()).unwrap();
    assert_eq!(
        told,
        json!({ "status": 201, "headers": [["x-method", "PUT"]] })
    );
    assert_eq!(reply.to_vec(), b"text");
    // A body that is not text goes beside the JSON, and may be larger than the region.
    let request = json!({ "op": "fetch", "url": "http://a/", "method": "POST" });
    let body = vec![0xff; 3 << 20];
    let reply = client.request(request.to_string().as_bytes(), &body);
    assert!(reply.to_vec() == body);
}

#[test]
fn a_refusal_is_told_with_its_words() {
    let (mut client, _served) =
        connect_with(Arc::new(MemVfs::new()), Some(Arc::new(Echo)), 1 << 20);
    let request = json!({ "op": "fetch", "url": "http://forbidden/" });
    let reply = client.request(request.to_string().as_bytes(), &[]);
    assert!(reply.is_error());
    let told: Json = serde_json::from_slice(reply.metadata()).unwrap();
    let expected = json!({ "error": true, "code": "EACCES", "message": "not this one" });
    assert_eq!(told, expected);
}
