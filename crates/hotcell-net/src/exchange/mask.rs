//! A body without the host's secrets, for servers that send back what they got.

use zeroize::Zeroizing;

/// What stands in the place of each byte, so that lengths stay what they were said to be.
const MASK: u8 = b'*';

/// Bytes on their way to a program.
#[derive(Default)]
pub(crate) struct Mask {
    bytes: Zeroizing<Vec<u8>>,
    /// How many of them can be given. The rest may be the beginning of a secret.
    ready: usize,
    /// No more will come.
    pub(crate) is_over: bool,
}

impl Mask {
    /// Takes what came; nothing means that this was all. `giveaways` have the longer ones first.
    pub(crate) fn take(&mut self, piece: &[u8], giveaways: &[Zeroizing<String>]) {
        self.is_over = piece.is_empty();
        self.bytes.extend_from_slice(piece);
        while let Some(rest) = self
            .bytes
            .get_mut(self.ready..)
            .filter(|rest| !rest.is_empty())
        {
            let mut all = giveaways.iter().map(|giveaway| giveaway.as_bytes());
            if !self.is_over
                && all
                    .clone()
                    .any(|giveaway| giveaway.len() > rest.len() && giveaway.starts_with(rest))
            {
                return;
            }
            let found = all.find(|giveaway| rest.starts_with(giveaway));
            let count = found.map_or(1, <[u8]>::len);
            if found.is_some() {
                rest.iter_mut().take(count).for_each(|byte| *byte = MASK);
            }
            self.ready += count;
        }
    }

    /// Gives what can be given.
    pub(crate) fn give(&mut self, buf: &mut [u8]) -> usize {
        let count = self.ready.min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..count), self.bytes.get(..count)) {
            to.copy_from_slice(from);
        }
        self.bytes.drain(..count);
        self.ready -= count;
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of a body in pieces of this length.
    fn masked(body: &str, giveaways: &[&str], length: usize) -> String {
        let giveaways: Vec<_> = giveaways
            .iter()
            .map(|text| Zeroizing::new((*text).to_owned()))
            .collect();
        let mut mask = Mask::default();
        let (mut all, mut buf) = (Vec::new(), [0; 3]);
        for piece in body.as_bytes().chunks(length).chain([&[][..]]) {
            mask.take(piece, &giveaways);
            loop {
                let count = mask.give(&mut buf);
                if count == 0 {
                    break;
                }
                all.extend_from_slice(&buf[..count]);
            }
        }
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn a_secret_is_found_however_it_is_cut() {
        let secrets = ["sesame-open", "c2VzYW1l", "sesame"];
        for length in 1..40 {
            for (body, shown) in [
                ("", ""),
                ("nothing of it", "nothing of it"),
                (
                    "a sesame-open, a sesame, ses",
                    "a ***********, a ******, ses",
                ),
                ("sesesame-openc2VzYW1l", "se*******************"),
                ("sesamesesame-ope", "************-ope"),
            ] {
                assert_eq!(masked(body, &secrets, length), shown, "{length}");
            }
        }
    }

    #[test]
    fn what_is_no_beginning_of_a_secret_is_not_held_back() {
        let giveaways = [Zeroizing::new("secret".to_owned())];
        let mut mask = Mask::default();
        let mut buf = [0; 100];
        mask.take(b"data: sec\n", &giveaways);
        assert_eq!(mask.give(&mut buf), 10);
        mask.take(b"data: sec", &giveaways);
        assert_eq!(mask.give(&mut buf), 6);
        mask.take(b"ond\n", &giveaways);
        assert_eq!(mask.give(&mut buf), 7);
    }
}
