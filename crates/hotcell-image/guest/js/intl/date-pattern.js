// Intl, part 6: the order in which en-US writes the fields of a date. A pattern is a list of field names and literals; a
// literal is a string in an array of its own: ['month', ['/'], 'day'].
((kit) => {
  'use strict';
  const { Object } = globalThis;

  // Between a time and its AM or PM, English has a narrow space that never breaks. `format` replaces it by an ordinary
  // space, as engines do since programs broke on it; parts and ranges keep it.
  const narrowSpace = '\u202f';

  const isText = (month) => month === 'short' || month === 'long' || month === 'narrow';
  const when = (condition, ...items) => (condition ? items : []);

  const coreDate = (s) => {
    if (s.month && s.day) {
      const separator = isText(s.month) ? [' '] : ['/'];
      const beforeYear = isText(s.month) ? [', '] : ['/'];
      return [...when(s.weekday, 'weekday', [', ']), 'month', separator, 'day', ...when(s.year, beforeYear, 'year')];
    }
    if (s.month) {
      return ['month', ...when(s.year, isText(s.month) ? [' '] : ['/'], 'year'), ...when(s.weekday, [' '], 'weekday')];
    }
    if (s.day) {
      if (s.weekday) return ['day', [' '], 'weekday', ...when(s.year, [' '], 'year')];
      return s.year ? ['year', [' (day: '], 'day', [')']] : ['day'];
    }
    if (s.year) return ['year', ...when(s.weekday, [' '], 'weekday')];
    return when(s.weekday, 'weekday');
  };

  const datePattern = (s) => {
    const core = coreDate(s);
    return [...core, ...when(s.era && core.length > 0, [' ']), ...when(s.era, 'era')];
  };

  const isTwelve = (s) => s.hourCycle === 'h11' || s.hourCycle === 'h12';

  // [the digits, what follows them: AM/PM or a longer day period]
  const timePattern = (s) => {
    const fraction = when(s.fractionalSecondDigits, ['.'], 'fractionalSecond');
    const needsSecond = s.second || (s.minute && s.fractionalSecondDigits);
    const period = !s.hour ? when(s.dayPeriod, 'dayPeriod') : isTwelve(s) ? [[s.dayPeriod && !s.timeZoneName ? ' ' : narrowSpace], 'dayPeriod'] : [];
    if (s.hour && s.minute) return [['hour', [':'], 'minute', ...when(needsSecond, [':'], 'second', ...fraction)], period];
    if (s.hour) return [['hour'], [...period, ...when(s.second, [' (second: '], 'second', ...fraction, [')'])]];
    if (s.minute) return [['minute', ...when(needsSecond, [':'], 'second', ...fraction)], period];
    if (s.second) return [['second', ...fraction], period];
    return [when(s.fractionalSecondDigits, 'fractionalSecond'), period];
  };

  const joinDateTime = (s, date, time) => {
    if (date.length === 0 || time.length === 0) return [...date, ...time];
    const weekdayOnly = date.length === 1 && s.weekday && s.hour && !s.timeZoneName && (isTwelve(s) || s.minute);
    return [...date, [weekdayOnly ? ' ' : s.month === 'long' ? ' at ' : ', '], ...time];
  };

  const zonePattern = (s, time) => {
    if (!s.timeZoneName) return [];
    // A lone 24-hour "15" before a zone would not be seen to be an hour.
    const bareHour = time.length === 1 && time[0] === 'hour' && !isTwelve(s);
    return [...when(bareHour, ['h']), ...when(time.length > 0, [' ']), 'timeZoneName'];
  };

  const pattern = (s) => {
    const time = timePattern(s).flat();
    return joinDateTime(s, datePattern(s), [...time, ...zonePattern(s, time)]);
  };

  // ---- ranges: [what both ends share, what differs, what both share again], or undefined if the ends look the same.
  // `differs` is the largest field in which the two moments differ.

  const numericDate = { year: 'numeric', month: 'numeric', day: 'numeric' };
  const whole = (s) => [[], pattern(s), []];

  // A field that makes the difference is shown even if nobody asked for it: "Jan 5, 2024 – Mar 9, 2025".
  const withField = (s, differs, hasTime) => {
    const hasDate = s.weekday || s.year || s.month || s.day || s.era;
    if (!hasDate) return { ...s, ...numericDate };
    const shown = { ...s };
    if (hasTime && !s.weekday && differs === 'day') shown.day ??= 'numeric';
    if (shown.day && differs !== 'day') shown.month ??= 'numeric';
    if (shown.day && differs === 'year') shown.year ??= 'numeric';
    return shown;
  };

  const dateRange = (s, differs) => {
    const shown = withField(s, differs, false);
    if (!shown.day && !shown.weekday && differs === 'day') return undefined;
    if (!shown.month && !shown.day && !shown.weekday && differs === 'month') return undefined;
    if (!isText(shown.month) || shown.era || differs === 'year') return whole(shown);
    const year = when(shown.year, shown.day ? [', '] : [' '], 'year');
    if (!shown.day) return shown.weekday ? whole(shown) : [[], ['month'], year];
    if (shown.weekday) return [[], ['weekday', [', '], 'month', [' '], 'day'], year];
    return differs === 'day' ? [['month', [' ']], ['day'], year] : [[], ['month', [' '], 'day'], year];
  };

  const timeRange = (s, differs) => {
    const smallest = s.fractionalSecondDigits ? 'fraction' : s.second ? 'second' : s.minute ? 'minute' : s.hour || s.dayPeriod ? 'period' : 'day';
    const order = ['period', 'hour', 'minute', 'second', 'fraction'];
    const limit = smallest === 'period' ? 'hour' : smallest;
    if (order.indexOf(differs) > order.indexOf(limit)) return undefined;
    const date = datePattern(s);
    const before = [...date, ...when(date.length > 0, [', '])];
    const [digits, period] = timePattern(s);
    const zone = zonePattern(s, [...digits, ...period]);
    if (s.second || s.fractionalSecondDigits) return [before, [...digits, ...period, ...zone], []];
    return differs === 'period' ? [before, [...digits, ...period], zone] : [before, digits, [...period, ...zone]];
  };

  const rangePattern = (s, differs) => {
    const hasTime = s.hour || s.minute || s.second || s.fractionalSecondDigits || s.dayPeriod;
    const isDate = differs === 'year' || differs === 'month' || differs === 'day';
    if (!hasTime) return isDate ? dateRange(s, differs) : undefined;
    return isDate ? whole(withField(s, differs, true)) : timeRange(s, differs);
  };

  return { intlDatePattern: Object.freeze({ isTwelve, narrowSpace, pattern, rangePattern }) };
})
