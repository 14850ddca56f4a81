//// run: segments of a long text => *
let n = 0; for (const s of new Intl.Segmenter('en', { granularity: 'word' }).segment('é a, '.repeat(1e6))) n++
//// run: one segment without end => *
[...new Intl.Segmenter().segment('e' + '\u0301'.repeat(3e6))].length
//// run: sentences => *
[...new Intl.Segmenter('en', { granularity: 'sentence' }).segment('A b. '.repeat(5e5))].length
//// run: what contains a place => *
const s = new Intl.Segmenter().segment('\u{1f1e6}'.repeat(1e6)); for (let i = 0; i < 1e6; i += 1000) s.containing(i)
//// run: long texts compared => *
const a = 'é'.repeat(5e6); new Intl.Collator('de', { numeric: true }).compare(a, a + 'x')
//// run: long numbers compared => *
const a = '1'.repeat(5e6); new Intl.Collator('en', { numeric: true }).compare(a + '1', a + '2')
//// run: texts sorted => *
const c = new Intl.Collator('sv'); Array.from({ length: 50000 }, (_, i) => 'ö'.repeat(100) + (i * 7919 % 50000)).sort(c.compare).length
//// run: long texts compared by themselves => *
const a = 'é'.repeat(5e6); for (;;) a.localeCompare(a + 'x', 'de', { sensitivity: 'base' })
//// run: large numbers => *
new Intl.NumberFormat('de').format(2n ** 1000000n).length
//// run: large numbers as texts => *
new Intl.NumberFormat('de').format('9'.repeat(2e6)).length
//// run: large numbers in parts => *
new Intl.NumberFormat('en-IN').formatToParts(10n ** 200000n).length
//// run: large numbers by themselves => *
(2n ** 1000000n).toLocaleString('ar').length
//// run: numbers without end => *
for (let i = 0; ; i++) new Intl.NumberFormat('de', { style: 'currency', currency: 'EUR' }).format(i)
//// run: locales without end => *
for (let i = 0; ; i++) new Intl.NumberFormat('de-u-x' + i, { minimumFractionDigits: 20 }).format(i)
//// run: lists => *
new Intl.ListFormat('en').format(Array(200000).fill('é')).length
//// run: times without end => timeout
for (let i = 0; ; i++) new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', dateStyle: 'full', timeStyle: 'full' }).format(i * 1e9)
//// run: times of one format => timeout
const f = new Intl.DateTimeFormat('en', { timeZone: 'America/New_York', dateStyle: 'full', timeStyle: 'full' }); for (let i = 0; ; i++) f.format(i * 1e9)
//// run: zones that are none => *
new Intl.DateTimeFormat('en', { timeZone: 'x'.repeat(5e6) })
//// run: zones that are none, not ASCII => *
new Intl.DateTimeFormat('en', { timeZone: 'é'.repeat(3e6) })
//// run: zones without end => timeout
for (let i = 0; ; i++) try { new Intl.DateTimeFormat('en', { timeZone: 'Europe/B' + i }) } catch {}
//// run: ranges of times => *
const f = new Intl.DateTimeFormat('en', { dateStyle: 'full' }); for (let i = 0; ; i++) f.formatRangeToParts(0, i * 1e9)
//// run: a locale of 5 MB => *
new Intl.Locale('en-x-' + 'a-'.repeat(2e6) + 'a')
//// run: many locales => *
Intl.getCanonicalLocales(Array.from({ length: 50000 }, (_, i) => 'en-x-a' + i)).length
//// run: relative times => *
const f = new Intl.RelativeTimeFormat('en', { numeric: 'auto' }); for (let i = 0; ; i++) f.formatToParts(-i, 'day')
//// run: plurals => *
const p = new Intl.PluralRules('ar'); for (let i = 0; ; i++) p.select(i)
//// run: names => *
const d = new Intl.DisplayNames('en', { type: 'region' }); for (let i = 0; ; i++) try { d.of('x'.repeat(i)) } catch {}
//// run: long texts in capitals => *
'ß'.repeat(5e6).toLocaleUpperCase('tr').length
//// run: long texts normalised => *
'a\u0323\u0301'.repeat(1e6).normalize('NFC').normalize('NFKD').length
//// run: marks that have to be put in order => *
('a' + '\u0301\u0323'.repeat(1e6)).normalize('NFC').length
//// run: formats of formats as results => *
Array.from({ length: 2000 }, () => new Intl.NumberFormat('de').resolvedOptions())
