// Writes intl.json: what Node's Intl answers for en-US. Run with Node 20: `node generate-intl.mjs`.
//
// One case formats many values with one set of options, so the corpus is larger than its number of cases.
import { write } from './corpus.mjs';

const codes = [];
const show = (value) => {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (Array.isArray(value)) return `[${value.map(show).join(',')}]`;
  if (value && typeof value === 'object') return `{${Object.entries(value).map(([k, v]) => `${k}:${show(v)}`).join(',')}}`;
  return JSON.stringify(value) ?? 'undefined';
};
const attempt = (expression) => `(() => { try { return ${expression}; } catch (e) { return e.name; } })()`;

// ---- NumberFormat

const numbers = [0, -0, NaN, Infinity, -Infinity, 1, -1, 0.5, 1.5, 2.5, -2.5, 0.005, 1.005, 2.675, 0.1 + 0.2, 12.345, 999.9, 999.995, 1000, 1234.5678, -9876.54321, 99999, 999999, 1e6, 1234567.891, 1.5e9, 123456789012, 1e15, 9.87e16, 1e21, 1e-7, 5e-324, 0.000123456];
const format = (options, values = numbers) =>
  codes.push(`${show(values)}.map(new Intl.NumberFormat('en-US', ${show(options)}).format)`);
const partsOf = (options, value) => codes.push(`new Intl.NumberFormat('en-US', ${show(options)}).formatToParts(${show(value)})`);

const styles = [
  {}, { style: 'percent' }, { style: 'currency', currency: 'USD' }, { style: 'currency', currency: 'EUR' }, { style: 'currency', currency: 'JPY' }, { style: 'currency', currency: 'CHF' }, { style: 'currency', currency: 'USD', currencySign: 'accounting' },
  { style: 'currency', currency: 'GBP', currencyDisplay: 'code' }, { style: 'currency', currency: 'USD', currencyDisplay: 'name' }, { style: 'currency', currency: 'CAD', currencyDisplay: 'narrowSymbol' }, { style: 'unit', unit: 'kilometer' }, { style: 'unit', unit: 'celsius' }, { style: 'unit', unit: 'day', unitDisplay: 'long' }, { style: 'unit', unit: 'mile-per-hour', unitDisplay: 'narrow' },
];
const variants = [
  {}, { notation: 'compact' }, { notation: 'compact', compactDisplay: 'long' }, { notation: 'scientific' }, { notation: 'engineering' }, { signDisplay: 'always' }, { signDisplay: 'exceptZero' }, { signDisplay: 'never' }, { signDisplay: 'negative' }, { minimumFractionDigits: 2, maximumFractionDigits: 4 }, { maximumFractionDigits: 0 }, { maximumSignificantDigits: 3 }, { minimumSignificantDigits: 4 }, { minimumIntegerDigits: 4 }, { useGrouping: false }, { useGrouping: 'min2' }, { trailingZeroDisplay: 'stripIfInteger' },
];
for (const style of styles) for (const variant of variants) format({ ...style, ...variant });

for (const roundingMode of ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven']) {
  const halves = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.4, -0.4, 0.6, -0.6, 0.05, 0.15, 0.25, 1.005, -1.005, 1234.5, 99.95, 0, -0];
  format({ roundingMode, maximumFractionDigits: 0 }, halves);
  format({ roundingMode, maximumFractionDigits: 1 }, halves);
  format({ roundingMode, maximumSignificantDigits: 2 }, halves);
  format({ roundingMode, style: 'currency', currency: 'USD' }, halves);
}
for (const roundingPriority of ['morePrecision', 'lessPrecision']) {
  format({ roundingPriority });
  format({ roundingPriority, maximumSignificantDigits: 3, maximumFractionDigits: 2 });
  format({ roundingPriority, minimumSignificantDigits: 3, maximumSignificantDigits: 5, minimumFractionDigits: 1, maximumFractionDigits: 3 });
}
for (const roundingIncrement of [2, 5, 10, 25, 50, 100, 250]) format({ roundingIncrement, minimumFractionDigits: 2, maximumFractionDigits: 2 }, [0, 0.01, 0.05, 1.22, 1.23, 1.025, -1.225, 12.5, 100.37, 1e6]);
for (const currency of ['USD', 'EUR', 'GBP', 'JPY', 'INR', 'CNY', 'KRW', 'CAD', 'AUD', 'NZD', 'MXN', 'BRL', 'CHF', 'SEK', 'NOK', 'DKK', 'PLN', 'CZK', 'HUF', 'ILS', 'TRY', 'RUB', 'UAH', 'ZAR', 'SGD', 'HKD', 'TWD', 'THB', 'VND', 'PHP', 'IDR', 'MYR', 'AED', 'SAR', 'EGP', 'NGN', 'KES', 'KWD', 'BHD', 'CLP', 'COP', 'ARS', 'PEN', 'UYU', 'ISK', 'RON', 'BGN', 'PKR', 'BDT', 'MAD', 'XAF', 'XOF', 'XPF']) {
  for (const currencyDisplay of ['symbol', 'narrowSymbol', 'code']) format({ style: 'currency', currency, currencyDisplay }, [1234.5, -0.5]);
  if (!currency.startsWith('X')) {
    format({ style: 'currency', currency, currencyDisplay: 'name' }, [1, 2, 1e6]);
    format({ style: 'currency', currency, currencyDisplay: 'name', maximumFractionDigits: 0, minimumFractionDigits: 0 }, [1, 2]);
  }
}
for (const unit of Intl.supportedValuesOf('unit')) for (const unitDisplay of ['short', 'narrow', 'long']) format({ style: 'unit', unit, unitDisplay }, [0, 1, 1.5, 2, -1, 1e6]);
for (const unit of ['kilometer-per-hour', 'mile-per-hour', 'meter-per-second', 'mile-per-gallon', 'liter-per-kilometer', 'megabyte-per-second', 'byte-per-minute', 'gram-per-gallon', 'day-per-week', 'foot-per-second', 'pound-per-foot', 'meter-per-day', 'year-per-mile-scandinavian']) {
  for (const unitDisplay of ['short', 'narrow', 'long']) format({ style: 'unit', unit, unitDisplay }, [1, 2]);
}
format({}, ['123456789012345678901234567890.123456', '1e400', '-1e400', '0x1F', ' 12 ', '', 'abc', '-0', '1e-400', '-5.50', '.5', '5.', '+5', '1_000', 'Infinity']);
format({}, [123456789012345678901234567890n, -5n, 0n, 1000n]);
format({ maximumFractionDigits: 20 }, ['0.12345678901234567890123', 1 / 3]);
codes.push(`[null, undefined, true, [5], {}, new Date(5), { valueOf() { return 7n; } }].map((v) => new Intl.NumberFormat('en-US').format(v))`);
for (const options of [{}, { style: 'percent' }, { style: 'currency', currency: 'USD' }, { style: 'currency', currency: 'CHF' }, { style: 'currency', currency: 'USD', currencySign: 'accounting' }, { style: 'currency', currency: 'USD', currencyDisplay: 'name' }, { style: 'unit', unit: 'liter' }, { style: 'unit', unit: 'celsius' }, { style: 'unit', unit: 'liter-per-kilometer', unitDisplay: 'long' }, { notation: 'compact' }, { notation: 'compact', compactDisplay: 'long' }, { notation: 'scientific' }, { signDisplay: 'always' }]) {
  for (const value of [-1234.567, 0.0001, 1234567, NaN, -Infinity]) partsOf(options, value);
}
const range = (options, start, end, parts = true) => {
  codes.push(`new Intl.NumberFormat('en-US', ${show(options)}).formatRange(${show(start)}, ${show(end)})`);
  if (parts) codes.push(`new Intl.NumberFormat('en-US', ${show(options)}).formatRangeToParts(${show(start)}, ${show(end)})`);
};
for (const [start, end] of [[3, 5], [3, 3], [-3, 3], [1, Infinity], [5, 3], [1000, 20000]]) {
  for (const options of [{}, { style: 'currency', currency: 'USD' }, { style: 'currency', currency: 'USD', maximumFractionDigits: 0 }, { style: 'percent' }, { style: 'unit', unit: 'kilometer' }, { notation: 'compact' }, { style: 'currency', currency: 'EUR', currencyDisplay: 'name' }]) range(options, start, end);
}
// Node marks the parts of this one in a way that does not fit its own text; the text is what counts.
range({ style: 'currency', currency: 'CHF' }, 3, 5, false);
for (const options of [{}, { style: 'currency', currency: 'usd' }, { style: 'unit', unit: 'mile' }, { notation: 'compact' }, { maximumSignificantDigits: 3 }, { style: 'percent', minimumFractionDigits: 1 }, { roundingPriority: 'morePrecision' }, { useGrouping: false }, { style: 'currency', currency: 'JPY', currencyDisplay: 'name' }, { signDisplay: 'never', roundingMode: 'floor' }]) {
  codes.push(`new Intl.NumberFormat('en-US', ${show(options)}).resolvedOptions()`);
}
for (const options of [{ style: 'currency' }, { style: 'unit' }, { style: 'unit', unit: 'foo' }, { style: 'foo' }, { currency: 'X' }, { minimumFractionDigits: 5, maximumFractionDigits: 2 }, { minimumFractionDigits: 101 }, { minimumIntegerDigits: 0 }, { maximumSignificantDigits: 22 }, { roundingIncrement: 3 }, { roundingMode: 'x' }, { notation: 'x' }, { useGrouping: 'x' }, { signDisplay: 'x' }, { currencyDisplay: 'x' }, { unitDisplay: 'x' }, { roundingIncrement: 5, maximumSignificantDigits: 2 }, { roundingIncrement: 5, minimumFractionDigits: 1, maximumFractionDigits: 2 }, { localeMatcher: 'x' }]) {
  codes.push(attempt(`new Intl.NumberFormat('en-US', ${show(options)}).format(1)`));
}
codes.push(
  attempt(`new Intl.NumberFormat('en-US', null)`), attempt(`new Intl.NumberFormat('x')`), attempt(`new Intl.NumberFormat('en_US')`), attempt(`new Intl.NumberFormat(5).format(1)`), attempt(`new Intl.NumberFormat([5])`), attempt(`new Intl.NumberFormat(null)`),
  attempt(`new Intl.NumberFormat('en-US').format(Symbol())`), attempt(`new Intl.NumberFormat('en-US').formatRange(1)`), attempt(`new Intl.NumberFormat('en-US').formatRange(NaN, 1)`), attempt(`Intl.NumberFormat.prototype.format`),
  `Intl.NumberFormat('en-US').format(1234.5)`, `Intl.NumberFormat() instanceof Intl.NumberFormat`, `['en', 'en-US', ['en-US', 'de'], [], undefined, 'EN-us', 'en-US-u-nu-latn'].map((l) => new Intl.NumberFormat(l).format(1234.5))`,
  `Object.prototype.toString.call(new Intl.NumberFormat())`, `[Intl.NumberFormat.name, Intl.NumberFormat.length, Intl.PluralRules.length]`, `((f) => f.format === f.format)(new Intl.NumberFormat())`, `new (class extends Intl.NumberFormat { twice(n) { return this.format(2 * n); } })('en-US').twice(1000)`,
  `Intl.NumberFormat.supportedLocalesOf(['en-US', 'en', 'EN-us'])`, `new Intl.NumberFormat('en').resolvedOptions().locale`,
);

// ---- toLocaleString of numbers

codes.push(
  `[0, -0, 1234.5678, 1e21, NaN, -Infinity].map((n) => n.toLocaleString())`, `(1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' })`, `(0.256).toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 })`, `(12345678901234567890n).toLocaleString('en-US')`, `(1234n).toLocaleString('en-US', { style: 'currency', currency: 'EUR' })`,
  `[1234.5, 'x', null, undefined, new Date(0).getTime(), [1e6]].toLocaleString()`, `[1234.5, 2000].toLocaleString('en-US', { style: 'currency', currency: 'USD' })`, `new Float64Array([1234.5, 2e6]).toLocaleString()`, `new Number(5000).toLocaleString()`, attempt(`Number.prototype.toLocaleString.call('x')`), attempt(`BigInt.prototype.toLocaleString.call(1)`), `[].toLocaleString()`, `Number.prototype.toLocaleString.length`,
);

// ---- PluralRules

codes.push(
  `[0, 1, 2, 1.5, -1, 11, 21, NaN, Infinity, '1', 1e6].map((n) => new Intl.PluralRules('en-US').select(n))`,
  `[0, 1, 2, 3, 4, 10, 11, 12, 13, 21, 22, 23, 24, 101, 111, 112, 113, 121, -1, 1.5].map((n) => new Intl.PluralRules('en-US', { type: 'ordinal' }).select(n))`,
  `[1, 1.2, 0].map((n) => new Intl.PluralRules('en-US', { minimumFractionDigits: 1 }).select(n))`, `[1.2, 1.6].map((n) => new Intl.PluralRules('en-US', { maximumFractionDigits: 0 }).select(n))`,
  `new Intl.PluralRules('en-US').selectRange(0, 1)`, `new Intl.PluralRules('en-US').selectRange(1, 2)`, `new Intl.PluralRules('en-US', { type: 'ordinal' }).selectRange(1, 3)`, `(({ type, pluralCategories, maximumFractionDigits }) => [type, pluralCategories, maximumFractionDigits])(new Intl.PluralRules('en-US').resolvedOptions())`,
  `new Intl.PluralRules('en-US', { type: 'ordinal' }).resolvedOptions().pluralCategories`, attempt(`Intl.PluralRules('en')`), attempt(`new Intl.PluralRules('en', { type: 'x' })`), `Object.prototype.toString.call(new Intl.PluralRules())`,
);

// ---- DateTimeFormat

const zones = ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Tokyo', 'Asia/Kolkata', 'Australia/Sydney'];
// Around both changes of the clock in New York, Berlin and Sydney, the ends of years, a leap day, both halves of a day.
const moments = [
  0, Date.UTC(2024, 0, 5, 15, 4, 9, 78), Date.UTC(2024, 1, 29, 23, 59, 59, 999), Date.UTC(2024, 2, 10, 6, 59, 59), Date.UTC(2024, 2, 10, 7, 0, 0), Date.UTC(2024, 2, 31, 0, 59, 59), Date.UTC(2024, 2, 31, 1, 0, 0), Date.UTC(2024, 3, 6, 16, 0, 0), Date.UTC(2024, 9, 5, 16, 0, 0), Date.UTC(2024, 10, 3, 5, 30, 0), Date.UTC(2024, 10, 3, 6, 30, 0), Date.UTC(1999, 11, 31, 12, 0, 0, 5), Date.UTC(2038, 0, 19, 3, 14, 7), Date.UTC(1985, 6, 1, 10, 20, 30),
];
const dateFormats = [];
const dates = (options, values = moments) => {
  dateFormats.push(options);
  for (const timeZone of zones) codes.push(`${show(values)}.map(new Intl.DateTimeFormat('en-US', ${show({ timeZone, ...options })}).format)`);
};
const styleNames = [undefined, 'full', 'long', 'medium', 'short'];
for (const dateStyle of styleNames) for (const timeStyle of styleNames) dates({ ...(dateStyle && { dateStyle }), ...(timeStyle && { timeStyle }) });
const numericAndText = [
  { year: 'numeric', month: 'long', day: 'numeric' }, { year: 'numeric', month: 'short', day: 'numeric' }, { year: 'numeric', month: '2-digit', day: '2-digit' }, { year: '2-digit', month: '2-digit', day: '2-digit' }, { month: 'long', year: 'numeric' }, { month: 'short', day: 'numeric' }, { weekday: 'long' }, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }, { weekday: 'short', month: 'short', day: 'numeric' },
  { hour: 'numeric', minute: '2-digit' }, { hour: '2-digit', minute: '2-digit', second: '2-digit' }, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }, { hour: 'numeric', hourCycle: 'h11' }, { hour: 'numeric', hourCycle: 'h24' }, { timeStyle: 'medium', hourCycle: 'h23' }, { hour: 'numeric', minute: 'numeric', second: 'numeric', fractionalSecondDigits: 3 },
  { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' }, { month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }, { timeZoneName: 'long' }, { timeZoneName: 'short' }, { timeZoneName: 'shortOffset' }, { timeZoneName: 'longOffset', hour: 'numeric' }, { era: 'short', year: 'numeric', month: 'short', day: 'numeric' },
];
numericAndText.forEach((options) => dates(options));

const one = Date.UTC(2024, 0, 5, 15, 4, 9, 78);
const shows = (options, value = one) => codes.push(`new Intl.DateTimeFormat('en-US', ${show({ timeZone: 'UTC', ...options })}).format(${show(value)})`);
for (const weekday of [undefined, 'short', 'long', 'narrow']) {
  for (const year of [undefined, 'numeric', '2-digit']) {
    for (const month of [undefined, 'numeric', '2-digit', 'short', 'long', 'narrow']) {
      for (const day of [undefined, 'numeric', '2-digit']) {
        const options = Object.fromEntries(Object.entries({ weekday, year, month, day }).filter(([, value]) => value));
        // A weekday with a month alone, or a short year with a day alone: Node's answers ("Fri (month: 01)", "January Fri")
        // follow no rule that a program could rely on.
        if (weekday && (year === '2-digit' || (month && !day && !year))) continue;
        if (year === '2-digit' && day && !month) continue;
        shows(options);
        if (month && day) {
          shows({ ...options, era: 'long' });
          shows({ ...options, hour: 'numeric' });
          shows({ ...options, hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' });
        }
      }
    }
  }
}
for (const hourOptions of [{}, { hour12: true }, { hour12: false }, { hourCycle: 'h11' }, { hourCycle: 'h12' }, { hourCycle: 'h23' }, { hourCycle: 'h24' }]) {
  for (const options of [{ hour: 'numeric' }, { hour: '2-digit' }, { hour: 'numeric', minute: 'numeric' }, { hour: '2-digit', minute: '2-digit' }, { hour: 'numeric', minute: '2-digit', second: '2-digit' }, { hour: 'numeric', minute: 'numeric', second: 'numeric', fractionalSecondDigits: 2 }, { hour: 'numeric', timeZoneName: 'short' }, { weekday: 'long', hour: 'numeric' }, { weekday: 'long', hour: 'numeric', minute: 'numeric' }, { timeStyle: 'short' }, { dateStyle: 'short', timeStyle: 'long' }]) {
    // `hour12: false` at midnight is left out: Node 20 says 24:00, the current standard (and this cell) 00:00.
    for (const hour of [5, 12, 15]) shows({ ...options, ...hourOptions }, Date.UTC(2024, 0, 5, hour, 4, 9));
    if (hourOptions.hour12 !== false) shows({ ...options, ...hourOptions }, Date.UTC(2024, 0, 5, 0, 4, 9));
  }
}
for (const options of [{ minute: 'numeric' }, { minute: '2-digit' }, { second: 'numeric' }, { second: '2-digit' }, { minute: 'numeric', second: 'numeric' }, { fractionalSecondDigits: 3 }, { second: 'numeric', fractionalSecondDigits: 1 }, { minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 }, { hour: 'numeric', second: 'numeric' }, { minute: 'numeric', fractionalSecondDigits: 2 }, { year: 'numeric', hour: 'numeric' }, { month: 'long', hour: 'numeric' }, { month: 'short', hour: 'numeric' }, { day: 'numeric', hour: 'numeric' }, { era: 'short' }, { era: 'long', hour: 'numeric' }, { era: 'narrow', year: 'numeric' }, { year: 'numeric', timeZoneName: 'short' }, { month: 'long', timeZoneName: 'short' }, { minute: 'numeric', timeZoneName: 'short' }, { calendar: 'gregory', numberingSystem: 'latn' }]) shows(options);
for (const dayPeriod of ['short', 'long', 'narrow']) for (const hour of [0, 3, 11, 12, 13, 17, 18, 20, 21, 23]) shows({ hour: 'numeric', dayPeriod }, Date.UTC(2024, 0, 5, hour));
shows({ hour: 'numeric', minute: 'numeric', dayPeriod: 'short' }, Date.UTC(2024, 0, 5, 12, 30));
shows({ hour: 'numeric', minute: 'numeric', dayPeriod: 'short', month: 'short', day: 'numeric' });
for (const zone of ['America/Los_Angeles', 'America/Denver', 'America/Phoenix', 'America/Chicago', 'America/Anchorage', 'Pacific/Honolulu', 'America/Halifax', 'America/St_Johns', 'America/Toronto', 'America/Mexico_City', 'America/Sao_Paulo', 'America/Argentina/Buenos_Aires', 'America/Bogota', 'Europe/London', 'Europe/Dublin', 'Europe/Lisbon', 'Europe/Paris', 'Europe/Madrid', 'Europe/Athens', 'Europe/Helsinki', 'Europe/Kyiv', 'Europe/Istanbul', 'Europe/Moscow', 'Africa/Cairo', 'Africa/Lagos', 'Africa/Nairobi', 'Africa/Johannesburg', 'Asia/Jerusalem', 'Asia/Dubai', 'Asia/Tehran', 'Asia/Karachi', 'Asia/Calcutta', 'Asia/Kathmandu', 'Asia/Dhaka', 'Asia/Bangkok', 'Asia/Jakarta', 'Asia/Singapore', 'Asia/Hong_Kong', 'Asia/Shanghai', 'Asia/Manila', 'Asia/Seoul', 'Australia/Perth', 'Australia/Adelaide', 'Australia/Brisbane', 'Australia/Lord_Howe', 'Pacific/Auckland', 'Pacific/Chatham', 'Pacific/Kiritimati', 'US/Eastern', 'Etc/GMT+5', 'GMT', 'etc/utc', 'america/new_york']) {
  for (const timeZoneName of ['short', 'long', 'shortOffset', 'longOffset']) codes.push(`[${Date.UTC(2024, 0, 15, 12)}, ${Date.UTC(2024, 6, 15, 12)}].map(new Intl.DateTimeFormat('en-US', ${show({ timeZone: zone, dateStyle: undefined, hour: 'numeric', minute: 'numeric', timeZoneName })}).format)`);
}
for (const value of [Date.UTC(1, 0, 1), -62198755200000, Date.UTC(1582, 9, 10), 8.64e15, -8.64e15, -1, -86400000, Date.UTC(1900, 1, 28), Date.UTC(2000, 1, 29), Date.UTC(2100, 1, 28)]) {
  shows({ era: 'short', dateStyle: undefined, year: 'numeric', month: 'long', day: 'numeric', weekday: 'long' }, value);
  shows({ timeStyle: 'medium' }, value);
}
for (const options of [{}, { dateStyle: 'full', timeStyle: 'long' }, { weekday: 'short', hour: 'numeric', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 2, timeZoneName: 'short' }, { hour: 'numeric', hourCycle: 'h23', timeZoneName: 'short' }, { month: 'long', day: 'numeric', era: 'short' }, { hour: 'numeric', dayPeriod: 'long' }]) {
  codes.push(`new Intl.DateTimeFormat('en-US', ${show({ timeZone: 'UTC', ...options })}).formatToParts(${one})`);
}

const start = Date.UTC(2024, 0, 5, 9, 4, 9);
const ends = [start, Date.UTC(2024, 0, 5, 9, 4, 30), Date.UTC(2024, 0, 5, 9, 30, 9), Date.UTC(2024, 0, 5, 11, 4, 9), Date.UTC(2024, 0, 5, 15, 4, 9), Date.UTC(2024, 0, 9, 15, 4, 9), Date.UTC(2024, 2, 9, 15, 4, 9), Date.UTC(2025, 2, 9, 15, 4, 9)];
for (const options of [
  {}, { year: 'numeric', month: 'short', day: 'numeric' }, { year: 'numeric', month: 'long', day: 'numeric' }, { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' }, { weekday: 'long', month: 'long', day: 'numeric' }, { month: 'short', day: 'numeric' }, { month: 'long', year: 'numeric' }, { month: 'numeric', day: 'numeric' }, { month: 'long' }, { year: 'numeric' }, { day: 'numeric' }, { weekday: 'long' }, { weekday: 'short', month: 'numeric', day: 'numeric', year: 'numeric' }, { month: 'numeric', year: 'numeric' },
  { dateStyle: 'full' }, { dateStyle: 'long' }, { dateStyle: 'medium' }, { dateStyle: 'short' }, { hour: 'numeric' }, { hour: 'numeric', minute: 'numeric' }, { hour: 'numeric', minute: 'numeric', hourCycle: 'h23' }, { hour: 'numeric', minute: 'numeric', second: 'numeric' }, { timeStyle: 'short' }, { timeStyle: 'medium' }, { dateStyle: 'short', timeStyle: 'short' }, { dateStyle: 'long', timeStyle: 'short' }, { dateStyle: 'medium', timeStyle: 'medium' }, { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: 'numeric' }, { month: 'long', day: 'numeric', hour: 'numeric' }, { hour: 'numeric', minute: 'numeric', timeZoneName: 'short' }, { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
]) {
  codes.push(`${show(ends)}.map((end) => new Intl.DateTimeFormat('en-US', ${show({ timeZone: 'UTC', ...options })}).formatRange(${start}, end))`);
}
for (const options of [{}, { month: 'short', day: 'numeric', year: 'numeric' }, { hour: 'numeric', minute: 'numeric' }]) {
  for (const end of [start, Date.UTC(2024, 0, 5, 11, 4, 9), Date.UTC(2024, 0, 9, 15, 4, 9)]) codes.push(`new Intl.DateTimeFormat('en-US', ${show({ timeZone: 'UTC', ...options })}).formatRangeToParts(${start}, ${end})`);
}
for (const options of [{}, { dateStyle: 'short', timeStyle: 'short' }, { hour: 'numeric', minute: 'numeric', weekday: 'long' }, { timeZone: 'america/new_york', month: 'short' }, { hour: 'numeric', hourCycle: 'h23' }, { fractionalSecondDigits: 2, second: 'numeric', minute: 'numeric' }]) codes.push(`new Intl.DateTimeFormat('en-US', ${show({ timeZone: 'UTC', ...options })}).resolvedOptions()`);
for (const options of [{ dateStyle: 'full', month: 'long' }, { dateStyle: 'x' }, { timeStyle: 'short', fractionalSecondDigits: 3 }, { hour: 'x' }, { timeZone: 'Foo/Bar' }, { timeZone: '' }, { timeZone: '../etc/passwd' }, { fractionalSecondDigits: 4 }, { fractionalSecondDigits: 0 }, { month: 'x' }, { timeZoneName: 'x' }, { hourCycle: 'h25' }, { formatMatcher: 'x' }]) codes.push(attempt(`new Intl.DateTimeFormat('en-US', ${show(options)}).format(0)`));
codes.push(
  attempt(`new Intl.DateTimeFormat('en-US').format(NaN)`), attempt(`new Intl.DateTimeFormat('en-US').format(new Date(NaN))`), attempt(`new Intl.DateTimeFormat('en-US').format(8.64e15 + 1)`), attempt(`new Intl.DateTimeFormat('en-US').formatRange(0)`), attempt(`new Intl.DateTimeFormat('en-US').format('2020-01-01')`), attempt(`new Intl.DateTimeFormat('en-US', null)`), attempt(`Intl.DateTimeFormat.prototype.format`),
  `Intl.DateTimeFormat('en-US', { timeZone: 'UTC' }).format(new Date(0))`, `Object.prototype.toString.call(new Intl.DateTimeFormat('en-US'))`, `[Intl.DateTimeFormat.name, Intl.DateTimeFormat.length]`, `((f) => f.format === f.format)(new Intl.DateTimeFormat('en-US'))`, `new Intl.DateTimeFormat('en-US-u-hc-h23', { hour: 'numeric', timeZone: 'UTC' }).format(${one})`,
);

// ---- toLocaleString of dates

for (const method of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
  for (const options of [{}, { timeZone: 'America/New_York' }, { hour12: true }, { weekday: 'long' }, { month: 'long', day: 'numeric' }, { hour: '2-digit', minute: '2-digit' }, { year: 'numeric' }, { timeZoneName: 'short' }, { second: 'numeric' }]) {
    codes.push(`new Date(${one}).${method}('en-US', ${show({ timeZone: 'UTC', ...options })})`);
  }
  codes.push(`new Date(NaN).${method}()`, attempt(`Date.prototype.${method}.call({})`), `Date.prototype.${method}.length`);
}
codes.push(
  attempt(`new Date(0).toLocaleDateString('en-US', { timeStyle: 'short' })`), attempt(`new Date(0).toLocaleTimeString('en-US', { dateStyle: 'short' })`), `new Date(${one}).toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' })`, `new Date(${one}).toLocaleTimeString('en-US', { timeStyle: 'short', timeZone: 'UTC' })`, `new Date(${one}).toLocaleString('en-US', { dateStyle: 'medium', timeZone: 'UTC' })`,
);

// ---- RelativeTimeFormat and ListFormat

for (const style of ['long', 'short', 'narrow']) {
  for (const numeric of ['always', 'auto']) {
    for (const unit of ['second', 'minute', 'hours', 'day', 'weeks', 'month', 'quarter', 'years']) {
      codes.push(`[0, -0, 1, -1, 2, -2, 1.5, -1234.5, 1e6].map((n) => new Intl.RelativeTimeFormat('en-US', ${show({ style, numeric })}).format(n, ${show(unit)}))`);
    }
  }
}
codes.push(
  `new Intl.RelativeTimeFormat('en-US').formatToParts(-1234.5, 'day')`, `new Intl.RelativeTimeFormat('en-US').formatToParts(1, 'day')`, `new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' }).formatToParts(1, 'day')`, `new Intl.RelativeTimeFormat('en-US').resolvedOptions()`, attempt(`new Intl.RelativeTimeFormat('en-US').format(NaN, 'day')`), attempt(`new Intl.RelativeTimeFormat('en-US').format(Infinity, 'day')`), attempt(`new Intl.RelativeTimeFormat('en-US').format(1, 'eon')`), attempt(`new Intl.RelativeTimeFormat('en-US').format(1)`), attempt(`Intl.RelativeTimeFormat('en-US')`), attempt(`new Intl.RelativeTimeFormat('en-US', { style: 'x' })`),
);
for (const type of ['conjunction', 'disjunction', 'unit']) {
  for (const style of ['long', 'short', 'narrow']) {
    codes.push(`[[], ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']].map((l) => new Intl.ListFormat('en-US', ${show({ type, style })}).format(l))`);
    codes.push(`new Intl.ListFormat('en-US', ${show({ type, style })}).formatToParts(['x', 'y', 'z'])`);
  }
}
codes.push(`new Intl.ListFormat('en-US').format('abc')`, `new Intl.ListFormat('en-US').format(new Set(['p', 'q']))`, attempt(`new Intl.ListFormat('en-US').format([1])`), attempt(`new Intl.ListFormat('en-US', { type: 'x' })`), attempt(`new Intl.ListFormat('en-US', 'x')`), attempt(`Intl.ListFormat('en-US')`), `new Intl.ListFormat('en-US').resolvedOptions()`);

// ---- Collator and strings

const wordLists = [
  ['co-op', 'coop', 'CO-OP', 'Coop', 'co op', 'résumé', 'resume', 'Resume', 'Résumé', 'résume', 'Zebra', 'apple', 'Apple', 'äpple', 'a', 'B', 'b', 'A', '10', '9', '2', '1', 'file10', 'file9', 'file2', '_x', 'x', '-x', ' x', 'x y', 'xy', 'x-y', "x'y"],
  ['cote', 'côte', 'coté', 'côté', 'COTE', 'Côte'], ['straße', 'strasse', 'Strasse', 'strata', 'æon', 'aeon', 'aeolian', 'œuvre', 'oeuvre', 'øre', 'ore', 'orb', 'łódź', 'lodz', 'đ', 'd', 'e', 'þorn', 'zoo', 'ñandu', 'nandu', 'nz', 'ö', 'o', 'p'],
  [...' !"#$%&\'()*+,-./0123456789:;<=>?@ABC[\\]^_`abc{|}~'], ['é', 'è', 'ê', 'ë', 'e', 'É', 'ē', 'ě', 'f', 'E'], ['привет', 'Привет', 'арбуз', 'йод', 'иск', 'як', 'ω', 'α', 'Α', 'β', 'z', '漢', 'א', 'あ', 'ア', '😀', '$', '1'], ['', ' ', 'a', 'a ', 'a\u0000', 'ab', '\u00ada'], ['v1.10.0', 'v1.9.0', 'v1.2', 'v2', 'a09', 'a9', 'a10', 'a1b2', 'a1b10', '٣', '007', '7', '08'],
  ['Ｆull', 'full', 'Full', 'ﬁne', 'fine', 'fiord', 'x²', 'x2', 'x3', '①', '1', '2'], ['“quoted”', '"quoted"', "'single'", '‘single’', '—dash', '-dash', '…', '...'],
];
const collations = [{}, { numeric: true }, { sensitivity: 'base' }, { sensitivity: 'accent' }, { sensitivity: 'case' }, { caseFirst: 'upper' }, { ignorePunctuation: true }, { numeric: true, sensitivity: 'base' }];
for (const words of wordLists) {
  for (const options of collations) codes.push(`${show(words)}.sort(new Intl.Collator('en-US', ${show(options)}).compare)`);
  codes.push(`${show(words)}.sort((a, b) => a.localeCompare(b))`);
}
for (const [left, right] of [['a', 'A'], ['a', 'á'], ['a', 'b'], ['é', 'É'], ['é', 'e\u0301'], ['ß', 'ss'], ['æ', 'ae'], ['ø', 'o'], ['đ', 'd'], ['ı', 'i'], ['ﬁ', 'fi'], ['Ａ', 'A'], ['', 'a'], ['a', 'a'], ['10', '9'], ['a b', 'ab'], ['co-op', 'coop'], ['and', 'And'], ['z', 'é']]) {
  codes.push(`${show(collations)}.map((options) => ${show(left)}.localeCompare(${show(right)}, 'en-US', options))`);
}
codes.push(
  `'a'.localeCompare()`, `'a'.localeCompare('b', undefined, { sensitivity: 'base' })`, `['b', 'a', 'C'].sort(Intl.Collator().compare)`, `new Intl.Collator('en-US').resolvedOptions()`, `new Intl.Collator('en-US', { numeric: true, caseFirst: 'upper', sensitivity: 'base', usage: 'search', ignorePunctuation: true }).resolvedOptions()`, `new Intl.Collator('en-US-u-kn').compare('a10', 'a9')`, attempt(`new Intl.Collator('en-US', { sensitivity: 'x' })`), attempt(`String.prototype.localeCompare.call(null, 'a')`), `String.prototype.localeCompare.length`,
  `'straße ﬁ'.toLocaleUpperCase()`, `'ÀÉ'.toLocaleLowerCase('en-US')`, `'abc'.toLocaleUpperCase('de-DE')`, `'ABC'.toLocaleLowerCase(['en'])`, attempt(`'a'.toLocaleUpperCase('x')`), attempt(`String.prototype.toLocaleUpperCase.call(undefined)`),
);

// ---- Segmenter

const texts = ['', 'abc', 'e\u0301a', '👨‍👩‍👧‍👦!', '👍🏽👍', '🇩🇪🇫🇷🇺', 'a\r\nb', '한국어', '❤️x', '1️⃣2', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'Z͑ͫ̓ͪ'];
for (const text of texts) codes.push(`Array.from(new Intl.Segmenter('en-US', { granularity: 'grapheme' }).segment(${show(text)}), (s) => [s.segment, s.index])`);
for (const text of ['', 'Hello, world!', "Don't stop at 3.14 or 1,000,000.", 'a  b\tc\n', 'foo_bar x2 2x e.g. i.e.', 'naïve café—über', '“Quoted” (text) [1]', 'user@example.com', "rock 'n' roll", '3D $5.00 50%']) codes.push(`Array.from(new Intl.Segmenter('en-US', { granularity: 'word' }).segment(${show(text)}), (s) => [s.segment, s.index, s.isWordLike])`);
codes.push(`new Intl.Segmenter('en-US').segment('abc').containing(1)`, `new Intl.Segmenter('en-US', { granularity: 'word' }).segment('ab cd').containing(4)`, `new Intl.Segmenter('en-US').segment('abc').containing(9)`, `new Intl.Segmenter('en-US').resolvedOptions()`, attempt(`Intl.Segmenter('en')`), attempt(`new Intl.Segmenter('en', { granularity: 'x' })`));

// ---- the namespace

codes.push(
  `Object.prototype.toString.call(Intl)`, `Intl.getCanonicalLocales('EN-us')`, `Intl.getCanonicalLocales(['zh-hans-cn', 'EN', 'en', 'de-DE-u-co-phonebk'])`, `Intl.getCanonicalLocales()`, attempt(`Intl.getCanonicalLocales('en_US')`), attempt(`Intl.getCanonicalLocales('')`), attempt(`Intl.getCanonicalLocales(null)`), attempt(`Intl.supportedValuesOf('x')`), `Intl.supportedValuesOf('unit')`, attempt(`Intl.getCanonicalLocales('en-u-ca-gregory-u-nu-latn')`), `typeof Intl`, `Object.keys(Intl)`, attempt(`new Intl()`),
);

// Left out everywhere: locales other than en-US, which are a RangeError in a cell; calendars and numbering systems other than
// "gregory" and "latn"; timeZoneName "shortGeneric" and "longGeneric"; the names of rarer currencies; `resolvedOptions` where
// the standard has grown members since Node 20, and the time zone there for zones that Node renames (Asia/Kolkata).
write('intl', codes);
