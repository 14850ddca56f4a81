// Intl, part 7: DateTimeFormat for en-US, Gregorian calendar.
//
// Supported: dateStyle and timeStyle; weekday, era, year, month, day, dayPeriod, hour, minute, second,
// fractionalSecondDigits; timeZoneName short, long, shortOffset, longOffset; hour12, hourCycle; every IANA zone and fixed
// offsets; format, formatToParts, formatRange, formatRangeToParts, resolvedOptions. The default zone is UTC. `hour12: false`
// means h23, as the current standard has it: midnight is 00:00 (Node 20 says 24:00). Refused: other calendars and
// numbering systems, generic zone names, fractions of a second next to an hour without minutes.
// "Now" is what `Date.now()` says, so that the cell's clock policy holds here too.
((kit) => {
  'use strict';
  const { Date, Math, Number, Object, RangeError, Reflect, String, TypeError } = globalThis;
  const {
    defineService, definedOnly, getBoolean, getNumber, getOption, joinParts, requireOnly, resolveLocale, toOptions,
  } = kit.intlLocale;
  const { findZone, offsetAt, zoneName } = kit.intlZones;
  const { isTwelve, narrowSpace, pattern, rangePattern } = kit.intlDatePattern;

  const owner = 'Intl.DateTimeFormat';
  const getTime = Date.prototype.getTime;

  // ---- options

  const text = ['narrow', 'short', 'long'];
  const digits = ['2-digit', 'numeric'];
  const fieldValues = {
    weekday: text, era: text, year: digits, month: [...digits, ...text], day: digits, dayPeriod: text, hour: digits,
    minute: digits, second: digits, fractionalSecondDigits: undefined, timeZoneName: ['short', 'long', 'shortOffset', 'longOffset'],
  };
  const fieldNames = Object.keys(fieldValues);
  const styles = ['full', 'long', 'medium', 'short'];
  const dateFields = ['weekday', 'year', 'month', 'day'];
  const timeFields = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];

  const dateStyles = {
    full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
    long: { year: 'numeric', month: 'long', day: 'numeric' },
    medium: { year: 'numeric', month: 'short', day: 'numeric' },
    short: { year: '2-digit', month: 'numeric', day: 'numeric' },
  };
  const timeStyles = {
    full: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'long' },
    long: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
    medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
    short: { hour: 'numeric', minute: '2-digit' },
  };

  const readFields = (given) => {
    const fields = {};
    for (const name of fieldNames) {
      const value = name === 'fractionalSecondDigits'
        ? getNumber(given, name, 1, 3, undefined)
        : getOption(owner, given, name, fieldValues[name], undefined);
      if (value !== undefined) fields[name] = value;
    }
    return fields;
  };

  const fromStyles = (fields, dateStyle, timeStyle, required) => {
    const conflict = fieldNames.find((name) => fields[name] !== undefined);
    if (conflict !== undefined) {
      throw new TypeError(`Can't set option ${conflict} when ${dateStyle === undefined ? 'timeStyle' : 'dateStyle'} is used`);
    }
    if (required === 'date' && timeStyle !== undefined) throw new TypeError('Invalid option : timeStyle');
    if (required === 'time' && dateStyle !== undefined) throw new TypeError('Invalid option : dateStyle');
    return { ...dateStyles[dateStyle], ...timeStyles[timeStyle] };
  };

  const withDefaults = (fields, required, defaults) => {
    const decisive = required === 'date' ? dateFields : required === 'time' ? timeFields : [...dateFields, ...timeFields];
    if (decisive.some((name) => fields[name] !== undefined)) return fields;
    const added = {};
    if (defaults !== 'time') Object.assign(added, { year: 'numeric', month: 'numeric', day: 'numeric' });
    if (defaults !== 'date') Object.assign(added, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
    return { ...fields, ...added };
  };

  // What is shown of minutes and seconds does not depend on how they were asked for, only on their neighbours.
  const adjustWidths = (s) => {
    if (s.minute) s.minute = s.hour || s.second || s.fractionalSecondDigits ? '2-digit' : 'numeric';
    if (s.second) s.second = s.minute ? '2-digit' : 'numeric';
    if (s.hour && !isTwelve(s)) s.hour = '2-digit';
    return s;
  };

  const readHourCycle = (hour12, hourCycle, keyword) => {
    if (hour12 !== undefined) return hour12 ? 'h12' : 'h23';
    if (hourCycle !== undefined) return hourCycle;
    return ['h11', 'h12', 'h23', 'h24'].includes(keyword) ? keyword : 'h12';
  };

  const readSettings = (locales, options, required, defaults) => {
    const { locale, keywords } = resolveLocale(locales);
    const given = toOptions(options);
    getOption(owner, given, 'localeMatcher', ['lookup', 'best fit'], 'best fit');
    const calendar = requireOnly(owner, given, 'calendar', 'gregory', keywords.ca);
    const numberingSystem = requireOnly(owner, given, 'numberingSystem', 'latn', keywords.nu);
    const hour12 = getBoolean(given, 'hour12', undefined);
    const hourCycle = getOption(owner, given, 'hourCycle', ['h11', 'h12', 'h23', 'h24'], undefined);
    const zone = findZone(given.timeZone === undefined ? 'UTC' : given.timeZone);
    const asked = readFields(given);
    getOption(owner, given, 'formatMatcher', ['basic', 'best fit'], 'best fit');
    const dateStyle = getOption(owner, given, 'dateStyle', styles, undefined);
    const timeStyle = getOption(owner, given, 'timeStyle', styles, undefined);
    const hasStyle = dateStyle !== undefined || timeStyle !== undefined;
    const fields = hasStyle ? fromStyles(asked, dateStyle, timeStyle, required) : withDefaults(asked, required, defaults);
    if (fields.hour && fields.fractionalSecondDigits && !fields.minute) {
      throw new RangeError(`${owner}: fractionalSecondDigits next to hour needs minute and second too`);
    }
    if (fields.hour) fields.hourCycle = readHourCycle(hour12, hourCycle, keywords.hc);
    adjustWidths(fields);
    return { locale, calendar, numberingSystem, zone, dateStyle, timeStyle, fields, pattern: pattern(fields) };
  };

  // ---- moments

  const toMoment = (value) => {
    let ms;
    if (value === undefined) return Date.now();
    try {
      ms = Reflect.apply(getTime, value, []);
    } catch {
      ms = Number(value); // not a Date
    }
    if (!(Math.abs(ms) <= 8.64e15)) throw new RangeError('Invalid time value');
    return Math.trunc(ms) + 0;
  };

  // Days since 1970-01-01 to [year, month from 1, day], in the Gregorian calendar at all times. Years are counted from March
  // here, so that the leap day is the last day of one.
  const civil = (days) => {
    const shifted = days + 719468;
    const era = Math.floor(shifted / 146097);
    const dayOfEra = shifted - era * 146097;
    const yearOfEra = Math.floor(
      (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
    );
    const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
    const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
    const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
    return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1];
  };

  const dayMs = 86400000;
  const localFields = (ms, zone) => {
    const [offset, abbreviation] = offsetAt(zone, ms);
    const local = ms + Math.round(offset * 60000);
    const days = Math.floor(local / dayMs);
    const rest = local - days * dayMs;
    const [year, month, day] = civil(days);
    return {
      offset, abbreviation, year, month, day,
      weekday: (((days + 4) % 7) + 7) % 7,
      hour: Math.floor(rest / 3600000),
      minute: Math.floor(rest / 60000) % 60,
      second: Math.floor(rest / 1000) % 60,
      millisecond: rest % 1000,
    };
  };

  // ---- fields as text

  const months = 'January February March April May June July August September October November December'.split(' ');
  const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
  const named = (name, style) => (style === 'long' ? name : name.slice(0, style === 'short' ? 3 : 1));
  const two = (number) => String(number).padStart(2, '0');
  const numeric = (number, style) => (style === '2-digit' ? two(number % 100) : String(number));
  const eras = { long: ['Before Christ', 'Anno Domini'], short: ['BC', 'AD'], narrow: ['B', 'A'] };

  const hourText = (hour, { hour: style, hourCycle }) => {
    const shown = { h11: hour % 12, h12: hour % 12 || 12, h23: hour, h24: hour || 24 }[hourCycle];
    return numeric(shown, style);
  };

  const periodText = (local, fields) => {
    const style = fields.dayPeriod;
    if (style === undefined) return local.hour < 12 ? 'AM' : 'PM';
    const isSharp = (!fields.minute || local.minute === 0) && (!fields.second || local.second === 0);
    if (local.hour === 12 && isSharp) return style === 'narrow' ? 'n' : 'noon';
    if (local.hour < 12) return 'in the morning';
    return local.hour < 18 ? 'in the afternoon' : local.hour < 21 ? 'in the evening' : 'at night';
  };

  const fieldText = (name, local, fields, zone) => {
    switch (name) {
      case 'weekday': return named(weekdays[local.weekday], fields.weekday);
      case 'era': return eras[fields.era][local.year > 0 ? 1 : 0];
      case 'year': return numeric(local.year > 0 ? local.year : 1 - local.year, fields.year ?? 'numeric');
      case 'month':
        return text.includes(fields.month) ? named(months[local.month - 1], fields.month) : numeric(local.month, fields.month ?? 'numeric');
      case 'day': return numeric(local.day, fields.day ?? 'numeric');
      case 'hour': return hourText(local.hour, fields);
      case 'minute': return numeric(local.minute, fields.minute);
      case 'second': return numeric(local.second, fields.second ?? '2-digit');
      case 'fractionalSecond': return String(local.millisecond).padStart(3, '0').slice(0, fields.fractionalSecondDigits);
      case 'dayPeriod': return periodText(local, fields);
      default: return zoneName(zone, local, fields.timeZoneName);
    }
  };

  const render = (items, local, { fields, zone }) => {
    const parts = [];
    for (const item of items) {
      const isLiteral = typeof item !== 'string';
      const value = isLiteral ? item[0] : fieldText(item, local, fields, zone);
      if (isLiteral && parts.at(-1)?.type === 'literal') parts.at(-1).value += value;
      else parts.push({ type: isLiteral ? 'literal' : item, value });
    }
    return parts;
  };

  const formatParts = (ms, settings) => render(settings.pattern, localFields(ms, settings.zone), settings);
  const formatText = (ms, settings) => joinParts(formatParts(ms, settings)).replaceAll(narrowSpace, ' ');

  // ---- ranges

  const largestDifference = (start, end) => {
    for (const name of ['year', 'month', 'day']) if (start[name] !== end[name]) return name;
    if (start.hour < 12 !== end.hour < 12) return 'period';
    for (const name of ['hour', 'minute', 'second']) if (start[name] !== end[name]) return name;
    return start.millisecond === end.millisecond ? undefined : 'fraction';
  };

  const from = (source, parts) => parts.map((part) => ({ ...part, source }));

  // A range is written without leading zeros, except for the dates of one between times.
  const rangeFields = (fields) => {
    const shown = { ...fields };
    const hasTime = timeFields.some((name) => fields[name] !== undefined);
    for (const name of hasTime ? ['hour'] : ['month', 'day']) {
      if (shown[name] === '2-digit' && (name !== 'hour' || isTwelve(shown))) shown[name] = 'numeric';
    }
    return shown;
  };

  const rangeParts = (startMs, endMs, settings) => {
    const start = localFields(startMs, settings.zone);
    const end = localFields(endMs, settings.zone);
    const differs = largestDifference(start, end);
    const fields = rangeFields(settings.fields);
    const found = differs === undefined ? undefined : rangePattern(fields, differs);
    if (found === undefined) return from('shared', formatParts(startMs, settings));
    const shown = { ...settings, fields };
    const [before, body, after] = found;
    return [
      ...from('shared', render(before, start, shown)),
      ...from('startRange', render(body, start, shown)),
      ...from('shared', [{ type: 'literal', value: '\u2009–\u2009' }]),
      ...from('endRange', render(body, end, shown)),
      ...from('shared', render(after, end, shown)),
    ];
  };

  const toRangeEnds = (start, end) => {
    if (start === undefined || end === undefined) throw new TypeError('a range needs a start and an end');
    return [toMoment(start), toMoment(end)];
  };

  class DateTimeFormat {
    #settings;
    #format;

    constructor(locales = undefined, options = undefined) {
      this.#settings = readSettings(locales, options, 'any', 'date');
    }

    get format() {
      const settings = this.#settings;
      this.#format ??= (date) => formatText(toMoment(date), settings);
      return this.#format;
    }

    formatToParts(date) {
      const settings = this.#settings;
      return formatParts(toMoment(date), settings);
    }

    formatRange(start, end) {
      const settings = this.#settings;
      const parts = rangeParts(...toRangeEnds(start, end), settings);
      const isOne = parts.every(({ source }) => source === 'shared');
      return isOne ? joinParts(parts).replaceAll(narrowSpace, ' ') : joinParts(parts);
    }

    formatRangeToParts(start, end) {
      const settings = this.#settings;
      return rangeParts(...toRangeEnds(start, end), settings);
    }

    resolvedOptions() {
      const { locale, calendar, numberingSystem, zone, dateStyle, timeStyle, fields } = this.#settings;
      const hasStyle = dateStyle !== undefined || timeStyle !== undefined;
      const { hourCycle } = fields;
      return definedOnly([
        ['locale', locale], ['calendar', calendar], ['numberingSystem', numberingSystem], ['timeZone', zone.name],
        ['hourCycle', hourCycle], ['hour12', hourCycle === undefined ? undefined : isTwelve(fields)],
        ...(hasStyle ? [] : fieldNames.map((name) => [name, fields[name]])),
        ['dateStyle', dateStyle], ['timeStyle', timeStyle],
      ]);
    }
  }

  // For the methods of Date: `required` and `defaults` are what ECMA-402 gives each of them.
  const formatDate = (ms, locales, options, required, defaults) => {
    const settings = readSettings(locales, options, required, defaults);
    return ms === ms ? formatText(ms, settings) : 'Invalid Date';
  };

  return { intlDate: { DateTimeFormat: defineService(DateTimeFormat, { callable: true }), formatDate } };
})
