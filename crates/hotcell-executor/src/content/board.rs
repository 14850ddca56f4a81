//! The items of one run, within a budget.

use hotcell_cell::ToolError;
use hotcell_meter::Account;

use super::ContentItem;
use crate::{options::ExecutorOptions, share::Share};

/// What an item takes beside what it holds, twice while the list grows.
const ITEM_BYTES: usize = 2 * size_of::<ContentItem>() + 32;
/// Progress is told in a line. So much of it is one.
const MAX_NOTICE_BYTES: usize = 8 << 10;

/// What a run has shown, and how often it has told of its progress.
#[derive(Debug)]
pub(crate) struct Board {
    share: Share,
    items: Vec<ContentItem>,
    bytes: usize,
    notices: usize,
}

impl Board {
    pub(crate) fn new(account: &Account) -> Self {
        Self {
            share: Share::new(account, 4, "a quarter of maxHostMemoryBytes"),
            items: Vec::new(),
            bytes: 0,
            notices: 0,
        }
    }

    /// Takes an item in, if the budget allows it, and gives its place.
    pub(crate) fn put(
        &mut self,
        item: ContentItem,
        options: &ExecutorOptions,
    ) -> Result<usize, ToolError> {
        let (items, bytes) = (options.max_content_items, options.max_content_bytes);
        if self.items.len() >= items {
            return Err(over(format!(
                "a run may show {items} items (maxContentItems), and this is one more: show fewer, or several in one"
            )));
        }
        let with = self.bytes.saturating_add(item.size());
        if with > bytes {
            return Err(over(format!(
                "a run may show {bytes} bytes (maxContentBytes), and with these {} it would be {with}: show something smaller, or less of it",
                item.size()
            )));
        }
        let room = self.share.take(ITEM_BYTES.saturating_add(item.size()));
        room.map_err(|limit| over(limit.to_string()))?;
        self.bytes = with;
        self.items.push(item);
        Ok(self.items.len() - 1)
    }

    /// Counts a notice, if the budget allows one of so many bytes.
    pub(crate) fn notice(
        &mut self,
        bytes: usize,
        options: &ExecutorOptions,
    ) -> Result<(), ToolError> {
        let most = options.max_notifications;
        if self.notices >= most {
            return Err(over(format!(
                "a run may notify {most} times (maxNotifications): notify more rarely"
            )));
        }
        if bytes > MAX_NOTICE_BYTES {
            return Err(over(format!(
                "a notification has at most {MAX_NOTICE_BYTES} bytes, and this one {bytes}: say it in a line"
            )));
        }
        self.notices += 1;
        Ok(())
    }

    /// What was shown so far.
    pub(crate) fn items(&self) -> &[ContentItem] {
        &self.items
    }

    /// Takes over what a run showed that went on elsewhere, as much as there is room for.
    pub(crate) fn load(&mut self, items: Vec<ContentItem>, options: &ExecutorOptions) {
        self.take();
        for item in items {
            if self.put(item, options).is_err() {
                return;
            }
        }
    }

    /// What was shown, and the board empty again. It is the caller's from here on, and charged no more.
    pub(crate) fn take(&mut self) -> Vec<ContentItem> {
        self.share.clear();
        self.bytes = 0;
        self.notices = 0;
        std::mem::take(&mut self.items)
    }
}

fn over(message: String) -> ToolError {
    ToolError::new("RangeError", message)
}
