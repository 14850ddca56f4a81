//! What JSON is written to: text, or a tree.

use serde_json::{Map, Number, Value as Json};

/// Takes JSON piece by piece, in order.
pub(super) trait Sink {
    fn null(&mut self);
    fn bool(&mut self, bool: bool);
    fn integer(&mut self, number: i64);
    /// A finite number.
    fn float(&mut self, number: f64);
    fn text(&mut self, text: &str);
    fn begin_list(&mut self);
    fn end_list(&mut self);
    fn begin_map(&mut self);
    /// Comes before each value of a map.
    fn key(&mut self, key: &str);
    fn end_map(&mut self);
}

/// Writes text. Nothing is built in between: a tree takes up to twelve times the room of the value that it says.
#[derive(Default)]
pub(super) struct TextSink {
    text: Vec<u8>,
    /// Whether what comes next stands after a comma.
    is_next: bool,
}

impl TextSink {
    pub(super) fn into_text(self) -> String {
        // Only text was written.
        String::from_utf8(self.text).unwrap_or_default()
    }

    fn comma(&mut self) {
        if self.is_next {
            self.text.push(b',');
        }
        self.is_next = true;
    }

    fn write(&mut self, value: &(impl serde::Serialize + ?Sized)) {
        self.comma();
        // Writing a scalar to memory cannot fail.
        let _ = serde_json::to_writer(&mut self.text, value);
    }

    fn open(&mut self, bracket: u8) {
        self.comma();
        self.text.push(bracket);
        self.is_next = false;
    }

    fn close(&mut self, bracket: u8) {
        self.text.push(bracket);
        self.is_next = true;
    }
}

impl Sink for TextSink {
    fn null(&mut self) {
        self.write(&());
    }

    fn bool(&mut self, bool: bool) {
        self.write(&bool);
    }

    fn integer(&mut self, number: i64) {
        self.write(&number);
    }

    fn float(&mut self, number: f64) {
        self.write(&number);
    }

    fn text(&mut self, text: &str) {
        self.write(text);
    }

    fn begin_list(&mut self) {
        self.open(b'[');
    }

    fn end_list(&mut self) {
        self.close(b']');
    }

    fn begin_map(&mut self) {
        self.open(b'{');
    }

    fn key(&mut self, key: &str) {
        self.write(key);
        self.text.push(b':');
        self.is_next = false;
    }

    fn end_map(&mut self) {
        self.close(b'}');
    }
}

/// Counts how long the text would be.
#[derive(Default)]
pub(super) struct LengthSink {
    /// What was written since it was counted last: little.
    written: TextSink,
    counted: usize,
}

impl LengthSink {
    pub(super) fn length(&self) -> usize {
        self.counted + self.written.text.len()
    }

    fn count(&mut self) {
        self.counted += self.written.text.len();
        self.written.text.clear();
    }

    fn count_text(&mut self, text: &str) {
        let escaped = |byte: u8| match byte {
            b'"' | b'\\' | 0x08..=0x0a | 0x0c | 0x0d => 1,
            0..=0x1f => 5,
            _ => 0,
        };
        self.counted += text.len() + text.bytes().map(escaped).sum::<usize>();
        // The quotes, and what stands before.
        self.written.write("");
        self.count();
    }
}

impl Sink for LengthSink {
    fn null(&mut self) {
        self.written.null();
        self.count();
    }

    fn bool(&mut self, bool: bool) {
        self.written.bool(bool);
        self.count();
    }

    fn integer(&mut self, number: i64) {
        self.written.integer(number);
        self.count();
    }

    fn float(&mut self, number: f64) {
        self.written.float(number);
        self.count();
    }

    fn text(&mut self, text: &str) {
        self.count_text(text);
    }

    fn begin_list(&mut self) {
        self.written.begin_list();
    }

    fn end_list(&mut self) {
        self.written.end_list();
        self.count();
    }

    fn begin_map(&mut self) {
        self.written.begin_map();
    }

    fn key(&mut self, key: &str) {
        self.count_text(key);
        // The colon.
        self.counted += 1;
        self.written.is_next = false;
    }

    fn end_map(&mut self) {
        self.written.end_map();
        self.count();
    }
}

/// Builds a tree.
#[derive(Default)]
pub(super) struct TreeSink {
    open: Vec<Container>,
    done: Json,
}

enum Container {
    List(Vec<Json>),
    Map(Map<String, Json>, String),
}

impl TreeSink {
    pub(super) fn into_tree(self) -> Json {
        self.done
    }

    fn put(&mut self, value: Json) {
        match self.open.last_mut() {
            Some(Container::List(list)) => list.push(value),
            Some(Container::Map(map, key)) => {
                map.insert(std::mem::take(key), value);
            }
            None => self.done = value,
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(Container::List(list)) => self.put(Json::Array(list)),
            Some(Container::Map(map, _)) => self.put(Json::Object(map)),
            None => {}
        }
    }
}

impl Sink for TreeSink {
    fn null(&mut self) {
        self.put(Json::Null);
    }

    fn bool(&mut self, bool: bool) {
        self.put(Json::Bool(bool));
    }

    fn integer(&mut self, number: i64) {
        self.put(Json::from(number));
    }

    fn float(&mut self, number: f64) {
        self.put(Number::from_f64(number).map_or(Json::Null, Json::Number));
    }

    fn text(&mut self, text: &str) {
        self.put(Json::from(text));
    }

    fn begin_list(&mut self) {
        self.open.push(Container::List(Vec::new()));
    }

    fn end_list(&mut self) {
        self.close();
    }

    fn begin_map(&mut self) {
        self.open.push(Container::Map(Map::new(), String::new()));
    }

    fn key(&mut self, name: &str) {
        if let Some(Container::Map(_, key)) = self.open.last_mut() {
            name.clone_into(key);
        }
    }

    fn end_map(&mut self) {
        self.close();
    }
}
