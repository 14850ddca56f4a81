//! How a transfer shows how far it is.

use std::time::Duration;

use super::Transfer;
use crate::curl::{
    meter::{HEADING, Progress},
    output::Sink,
};

impl Transfer<'_, '_, '_> {
    pub(super) fn start_meter(&mut self, sink: &Sink) {
        let global = &self.curl.global;
        let is_person = sink.is_stdout()
            && self
                .curl
                .process
                .descriptor(1)
                .is_ok_and(|stream| stream.is_terminal());
        if self.is_metered || global.is_silent || global.hides_progress || is_person {
            return;
        }
        self.is_metered = true;
        if !self.curl.global.is_bar {
            if !std::mem::replace(&mut self.curl.has_heading, true) {
                self.curl.talk.say(HEADING);
            }
            self.show_progress(false);
        }
    }

    pub(super) fn show_progress(&self, is_over: bool) {
        let progress = Progress {
            received: self.report.received,
            to_receive: self.report.to_receive,
            sent: self.report.sent,
            to_send: self.report.to_send.filter(|length| *length > 0),
            took: if is_over {
                self.report.times.total
            } else {
                Duration::ZERO
            },
        };
        let is_bar = self.curl.global.is_bar;
        let line = if is_bar {
            progress.bar()
        } else {
            progress.line()
        };
        if !is_bar || is_over && self.report.received > 0 {
            self.curl.talk.say(line);
        }
        if is_over {
            self.curl.talk.say("\n");
        }
    }
}
