//! Characters that look or mean about the same.

use unicode_normalization::UnicodeNormalization as _;

/// What can stand for a character in ASCII: what Unicode takes it apart into, without the accents, or what people write.
pub(super) fn similar(char: char) -> Option<String> {
    if let Some(text) = usual(char) {
        return Some(text.to_owned());
    }
    let parts = std::iter::once(char).nfkd();
    let kept: String = parts
        .filter(|part| !unicode_normalization::char::is_combining_mark(*part))
        .map(|part| if part == '\u{2044}' { '/' } else { part })
        .collect();
    // Accents that stand for themselves are left out.
    let is_accent = unicode_normalization::char::is_combining_mark(char);
    (is_accent || kept.is_ascii() && !kept.is_empty()).then_some(kept)
}

/// Characters that Unicode takes for no others.
fn usual(char: char) -> Option<&'static str> {
    Some(match char {
        '‘' | '’' | '‛' | '′' => "'",
        '“' | '”' | '‟' | '″' => "\"",
        '‚' => ",",
        '„' => ",,",
        '«' => "<<",
        '»' => ">>",
        '‹' => "<",
        '›' => ">",
        '‐' | '‑' | '‒' | '–' | '−' => "-",
        '—' | '―' => "--",
        '•' | '·' => ".",
        'ß' => "ss",
        'ẞ' => "SS",
        'Æ' => "AE",
        'æ' => "ae",
        'Œ' => "OE",
        'œ' => "oe",
        'Ø' => "O",
        'ø' => "o",
        'Ł' => "L",
        'ł' => "l",
        'Đ' | 'Ð' => "D",
        'đ' | 'ð' => "d",
        'Þ' => "TH",
        'þ' => "th",
        'ı' => "i",
        '€' => "EUR",
        '£' => "GBP",
        '¥' => "JPY",
        '©' => "(C)",
        '®' => "(R)",
        '×' => "x",
        '÷' => ":",
        '¡' => "!",
        '¿' => "?",
        '←' => "<-",
        '→' => "->",
        '⇐' => "<=",
        '⇒' => "=>",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '…' => "...",
        _ => return None,
    })
}
