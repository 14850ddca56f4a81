//! Lines, words and columns.

mod cat;
mod column;
mod comm;
mod csplit;
mod cut;
mod expand;
mod factor;
mod fmt;
mod fold;
mod head;
mod hexdump;
mod iconv;
mod join;
mod nl;
mod numfmt;
mod od;
mod pager;
mod paste;
mod pr;
mod ranges;
mod rev;
mod separator;
mod seq;
mod shuf;
mod sort;
mod split;
mod strings;
mod tabs;
mod tac;
mod tail;
mod tee;
mod tr;
mod tsort;
mod unexpand;
mod uniq;
mod wc;
mod xxd;
mod yes;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[
    cat::UTILITY,
    column::UTILITY,
    comm::UTILITY,
    csplit::UTILITY,
    cut::UTILITY,
    expand::UTILITY,
    factor::UTILITY,
    fmt::UTILITY,
    fold::UTILITY,
    head::UTILITY,
    hexdump::HD,
    hexdump::UTILITY,
    iconv::UTILITY,
    join::UTILITY,
    nl::UTILITY,
    numfmt::UTILITY,
    od::UTILITY,
    pager::LESS,
    pager::MORE,
    paste::UTILITY,
    pr::UTILITY,
    rev::UTILITY,
    seq::UTILITY,
    shuf::UTILITY,
    sort::UTILITY,
    split::UTILITY,
    strings::UTILITY,
    tac::UTILITY,
    tail::UTILITY,
    tee::UTILITY,
    tr::UTILITY,
    tsort::UTILITY,
    unexpand::UTILITY,
    uniq::UTILITY,
    wc::UTILITY,
    xxd::UTILITY,
    yes::UTILITY,
];
