//! A client of the hub.

use hotcell_hopper::{
    Encode, command,
    control::{self, HubMeta, HubParams, OpenRequest, Opened, Reply, Request, hflags},
    event::Event,
    frame::{self, Fixed, Frame, FrameBuffer, Fuel, Owner, Step},
    selector::{
        Selector, config,
        exec::{self, StartRequest, Started, Status, StatusRequest},
        files, net,
    },
    source::Call,
};

use crate::{
    error::Error,
    host::Lembeh,
    stream::{Sink, Source},
};

/// A hub, with room for requests and answers of `N` bytes.
///
/// Most methods ask and wait for the answer. A guest that wants several things at once [registers](Hub::register) them and
/// reads what the hub has to say with [`Hub::next`]; it does not mix the two, because whoever waits for one answer passes over
/// all others.
pub struct Hub<const N: usize> {
    handle: i32,
    frames: FrameBuffer<Fixed<N>>,
    /// Where requests are put together, and answers are read to.
    scratch: [u8; N],
    /// What of `scratch` was read and not looked at.
    unread: core::ops::Range<usize>,
    /// What of `scratch` is the rest of a command of which the host took a part.
    unsent: core::ops::Range<usize>,
    limits: Option<HubMeta>,
    last_id: u64,
}

/// A program that was started.
#[derive(Debug)]
pub struct Program {
    /// What to ask for its status with.
    pub exec_id: u32,
    /// Its standard input, if it was wanted.
    pub stdin: Option<Sink>,
    /// Its standard output, if it was wanted.
    pub stdout: Option<Source>,
    /// Its standard error, if it was wanted.
    pub stderr: Option<Source>,
}

/// A connection.
#[derive(Debug)]
pub struct Connection {
    /// What comes from the other side.
    pub source: Source,
    /// What goes there.
    pub sink: Sink,
    /// Whether ending the sink tells the other side.
    pub can_end: bool,
}

impl<const N: usize> Hub<N> {
    /// Opens a hub.
    pub fn open(host: &mut impl Lembeh) -> Result<Self, Error> {
        let request = Request {
            op: control::CAPS_OPEN,
            rid: 1,
            timeout_ms: 0,
            payload: OpenRequest {
                kind: "async",
                name: "default",
                mode: 1,
                params: HubParams::default(),
            },
        };
        let mut hub = Self {
            handle: 0,
            frames: FrameBuffer::new(frame::EVENT, N, Fixed::default()),
            scratch: [0; N],
            unread: 0..0,
            unsent: 0..0,
            limits: None,
            last_id: 0,
        };
        let mut buf = [0; 128];
        let request_bytes = request.encode_into(&mut buf)?;
        let length = host.control(request_bytes, &mut hub.scratch);
        let length = usize::try_from(length).map_err(|_| Error::TooLarge)?;
        let reply = Reply::decode(hub.scratch.get(..length).ok_or(Error::Malformed)?)?;
        if reply.tag != request.tag() {
            return Err(Error::Malformed);
        }
        let opened = Opened::decode(reply.outcome?.0)?;
        let both = hflags::READABLE | hflags::WRITABLE;
        if opened.hflags & both != both {
            return Err(Error::Malformed);
        }
        if !opened.meta.0.is_empty() {
            hub.limits = Some(HubMeta::decode(opened.meta.0)?);
        }
        hub.handle = i32::try_from(opened.handle).map_err(|_| Error::Malformed)?;
        Ok(hub)
    }

    /// What the host said of the hub's limits, if it did.
    pub fn limits(&self) -> Option<HubMeta> {
        self.limits
    }

    /// Starts a program.
    pub fn start(
        &mut self,
        host: &mut impl Lembeh,
        request: &StartRequest<'_>,
    ) -> Result<Program, Error> {
        let flags = request.flags;
        let started = self.call(host, exec::START, request, |value| {
            let started = Started::decode(value)?;
            if !started.answers(flags) {
                return Err(Error::Malformed);
            }
            Ok(started)
        })?;
        let some = |handle: u32| (handle != 0).then_some(handle);
        Ok(Program {
            exec_id: started.exec_id,
            stdin: some(started.stdin).map(Sink::new).transpose()?,
            stdout: some(started.stdout).map(Source::new).transpose()?,
            stderr: some(started.stderr).map(Source::new).transpose()?,
        })
    }

    /// How a program is. To wait for its end, read its output to the end first.
    pub fn status(&mut self, host: &mut impl Lembeh, exec_id: u32) -> Result<Status, Error> {
        let request = StatusRequest { exec_id };
        self.call(host, exec::STATUS, request, |value| {
            Ok(Status::decode(value)?)
        })
    }

    /// Lists files: calls `each` with every entry of a scope. The root is "".
    pub fn list_files(
        &mut self,
        host: &mut impl Lembeh,
        scope: &str,
        each: impl FnMut(files::Entry<'_>),
    ) -> Result<(), Error> {
        let request = files::ListRequest { scope };
        self.call(host, files::LIST, request, |value| {
            files::read_entries(value)?.iter().for_each(each);
            Ok(())
        })
    }

    /// Opens a file by its id.
    pub fn open_file(&mut self, host: &mut impl Lembeh, id: &[u8]) -> Result<Source, Error> {
        let request = files::OpenFileRequest {
            id,
            mode: files::READ,
        };
        self.call(host, files::OPEN, request, |value| {
            let opened = Opened::decode(value)?;
            if opened.hflags != hflags::READABLE {
                return Err(Error::Malformed);
            }
            Source::new(opened.handle)
        })
    }

    /// The value of a key, as far as `buf` has room: [`Error::TooLarge`] if it has not.
    pub fn config<'b>(
        &mut self,
        host: &mut impl Lembeh,
        key: &str,
        buf: &'b mut [u8],
    ) -> Result<&'b [u8], Error> {
        let request = config::KeyRequest { key };
        self.call(host, config::GET, request, |value| {
            let value = config::ConfigValue::decode(value)?.0;
            let room = buf.get_mut(..value.len()).ok_or(Error::TooLarge)?;
            room.copy_from_slice(value);
            Ok(&*room)
        })
    }

    /// Calls `each` with every key that begins like this.
    pub fn list_config(
        &mut self,
        host: &mut impl Lembeh,
        prefix: &str,
        each: impl FnMut(config::Key<'_>),
    ) -> Result<(), Error> {
        let request = config::KeyRequest { key: prefix };
        self.call(host, config::LIST, request, |value| {
            config::read_keys(value)?.iter().for_each(each);
            Ok(())
        })
    }

    /// Connects.
    pub fn connect(
        &mut self,
        host: &mut impl Lembeh,
        request: &net::ConnectRequest<'_>,
    ) -> Result<Connection, Error> {
        self.call(host, net::CONNECT, request, |value| {
            let opened = Opened::decode(value)?;
            let both = hflags::READABLE | hflags::WRITABLE;
            if opened.hflags & both != both {
                return Err(Error::Malformed);
            }
            Ok(Connection {
                source: Source::new(opened.handle)?,
                sink: Sink::new(opened.handle)?,
                can_end: opened.hflags & hflags::ENDABLE != 0,
            })
        })
    }

    /// Calls a selector and waits for what comes of it.
    pub fn call<P: Encode, T>(
        &mut self,
        host: &mut impl Lembeh,
        selector: Selector,
        params: P,
        read: impl FnOnce(&[u8]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let id = self.register(host, &selector.call(params), 0)?;
        let mut read = Some(read);
        loop {
            let answer = self.next(host, |event| match event {
                Event::Fail { req_id, refusal } if req_id == id => Some(Err(refusal.into())),
                Event::Failed { future_id, failure } if future_id == id => {
                    Some(Err(failure.into()))
                }
                Event::Cancelled { future_id } if future_id == id => Some(Err(Error::Cancelled)),
                Event::Ok { future_id, value } if future_id == id => {
                    let read = read.take();
                    read.map(|read| read(value.0))
                }
                _ => None,
            })?;
            if let Some(answer) = answer {
                return answer;
            }
        }
    }

    /// Registers a future that is given up after so many ms, or never with 0; returns its number, which is also that of the
    /// command.
    pub fn register<P: Encode>(
        &mut self,
        host: &mut impl Lembeh,
        call: &Call<'_, P>,
        timeout_ms: u16,
    ) -> Result<u64, Error> {
        self.last_id += 1;
        let id = self.last_id;
        let mut frame = Frame::command(command::REGISTER_FUTURE, id, id, call);
        frame.flags = timeout_ms;
        self.send(host, &frame)?;
        Ok(id)
    }

    /// Gives a future up; returns the number of the command.
    pub fn cancel(&mut self, host: &mut impl Lembeh, future_id: u64) -> Result<u64, Error> {
        self.last_id += 1;
        let none = hotcell_hopper::Raw(&[]);
        let frame = Frame::command(command::CANCEL_FUTURE, self.last_id, future_id, none);
        self.send(host, &frame)?;
        Ok(self.last_id)
    }

    /// Says who owns a task; returns the number of the command.
    pub fn detach(
        &mut self,
        host: &mut impl Lembeh,
        task_id: u64,
        owner: &str,
    ) -> Result<u64, Error> {
        self.last_id += 1;
        let mut frame = Frame::command(command::DETACH_TASK, self.last_id, 0, Owner(owner));
        frame.task_id = task_id;
        self.send(host, &frame)?;
        Ok(self.last_id)
    }

    /// Asks to be told when nothing of a scope is pending, within so many steps; returns the number of the command.
    pub fn join(&mut self, host: &mut impl Lembeh, scope_id: u64, fuel: u64) -> Result<u64, Error> {
        self.last_id += 1;
        let mut frame = Frame::command(command::JOIN_BOUNDED, self.last_id, 0, Fuel(fuel));
        frame.scope_id = scope_id;
        self.send(host, &frame)?;
        Ok(self.last_id)
    }

    /// Sends a command. [`Error::Full`] if the host takes nothing of it: then it may be sent again. If the host takes a part, the
    /// rest goes there with the next call of this or of [`Hub::next`].
    pub fn send<P: Encode>(
        &mut self,
        host: &mut impl Lembeh,
        frame: &Frame<P>,
    ) -> Result<(), Error> {
        // A command that was begun is ended first.
        self.flush(host)?;
        if !self.unsent.is_empty() {
            return Err(Error::Full);
        }
        // What was read of answers makes way for the request.
        let length = self.unread.len();
        self.scratch.copy_within(self.unread.clone(), 0);
        self.unread = 0..length;
        let room = self.scratch.get_mut(length..).unwrap_or_default();
        let size = frame.encode_into(room)?.len();
        self.unsent = length..length + size;
        let flushed = self.flush(host);
        if self.unsent.start == length {
            self.unsent = 0..0;
            return flushed.and(Err(Error::Full));
        }
        flushed
    }

    /// Sends what was not sent yet, as far as the host takes it.
    fn flush(&mut self, host: &mut impl Lembeh) -> Result<(), Error> {
        while let Some(rest) = self.scratch.get(self.unsent.clone())
            && !rest.is_empty()
        {
            let count = Sink::standard(self.handle).write(host, rest)?;
            if count == 0 {
                break;
            }
            self.unsent.start += count;
        }
        Ok(())
    }

    /// The next thing that the hub has to say. Waits for it; [`Error::Stream`] if there is nothing to wait for.
    pub fn next<T>(
        &mut self,
        host: &mut impl Lembeh,
        look: impl FnOnce(Event<'_>) -> T,
    ) -> Result<T, Error> {
        loop {
            let unread = self.scratch.get(self.unread.clone());
            let mut rest = unread.unwrap_or_default();
            let before = rest.len();
            let step = self.frames.step(&mut rest);
            self.unread.start += before - rest.len();
            match step {
                Step::Frame(frame) => return Ok(look(Event::decode(&frame)?)),
                Step::TooLarge(_) => return Err(Error::TooLarge),
                Step::Broken(_) => return Err(Error::Malformed),
                Step::More => {}
            }
            // The host has room for more of a command when its answers are read. What is left stands behind them.
            let unsent = self.unsent.len();
            self.flush(host)?;
            let has_sent = self.unsent.len() < unsent;
            let room = N - self.unsent.len();
            self.scratch.copy_within(self.unsent.clone(), room);
            self.unsent = room..N;
            let buf = self.scratch.get_mut(..room).unwrap_or_default();
            let count = host.read(self.handle, buf);
            if count < 0 && has_sent {
                // It has nothing to say of a command that it has not read to its end.
                continue;
            }
            let count = usize::try_from(count).map_err(|_| Error::Stream)?;
            if count == 0 {
                return Err(Error::Stream);
            }
            if count > room {
                return Err(Error::Malformed);
            }
            self.unread = 0..count;
        }
    }

    /// Ends it: what is pending is given up. Programs go on.
    pub fn end(self, host: &mut impl Lembeh) {
        host.end(self.handle);
    }
}
