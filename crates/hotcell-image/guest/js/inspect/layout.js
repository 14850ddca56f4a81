// Where lines break: the entries of an object become one line, several, or columns.
((kit) => {
  'use strict';
  const { widthOf, withoutColours } = kit.inspectText;
  const { lookup } = kit.inspectObjects;
  const { Array, Math } = globalThis;

  const SEPARATOR = 2; // ', '
  const MOST_COLUMNS = 15;
  // A character is about two and a half times as high as wide: with it, columns come out as a rough square.
  const CHARACTER_RATIO = 2.5;

  const lengthOf = (text, state) => (state.colors ? withoutColours(text).length : text.length);

  // Every element a number or a bigint, told by the texts: nothing else prints like that.
  const NUMBERS = /^(?:-?(?:\d[\de.+-]*n?|Infinity|NaN)(?:,|$))+$/;
  const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

  const isNumeric = (value) => typeof value === 'number' || typeof value === 'bigint';

  const areNumeric = (list, from, to) => {
    for (let index = from; index < to; index += 1) {
      if (!isNumeric(lookup(list, index)?.value)) return false;
    }
    return true;
  };

  // One test of the whole list is much cheaper than one of each entry.
  const measure = (state, entries) => {
    const joined = entries.join(',');
    const plain = state.colors ? withoutColours(joined) : joined;
    const isAscii = !state.colors && PRINTABLE_ASCII.test(joined);
    return {
      widths: entries.map(isAscii ? (entry) => entry.length : widthOf),
      areNumbers: NUMBERS.test(plain),
    };
  };

  const columnCount = (state, widths, total, widest, entryCount) => {
    const cell = widest + SEPARATOR;
    const fitsThrice = cell * 3 + state.indent < state.breakLength;
    if (!fitsThrice || !(total / cell > 5 || widest <= 6)) return 1;
    const bias = Math.sqrt(cell - total / entryCount);
    const biasedCell = Math.max(cell - 3 - bias, 1);
    return Math.min(
      Math.round(Math.sqrt(CHARACTER_RATIO * biasedCell * widths.length) / biasedCell),
      Math.floor((state.breakLength - state.indent) / cell),
      state.compact * 4,
      MOST_COLUMNS,
    );
  };

  const widestPerColumn = (widths, columns) => {
    const result = new Array(columns).fill(0);
    for (let index = 0; index < widths.length; index += 1) {
      const column = index % columns;
      if (widths[index] > result[column]) result[column] = widths[index];
    }
    return result;
  };

  // Short entries of a long list, several to a line. Numbers align to the right, but only if all are numbers; Node
  // looks at as many elements as there are entries, counting the note and extra properties.
  const inColumns = (state, entries, list, hasExtras) => {
    // The note "... n more items" stands on its own line.
    const hasNote = state.maxArrayLength < entries.length;
    const cells = hasNote ? entries.slice(0, -1) : entries;
    const { widths, areNumbers } = measure(state, cells);
    let total = 0;
    let widest = 0;
    for (const width of widths) {
      total += width + SEPARATOR;
      if (width > widest) widest = width;
    }
    const columns = columnCount(state, widths, total, widest, entries.length);
    if (columns <= 1) return entries;

    const columnWidths = widestPerColumn(widths, columns);
    const alignRight = hasExtras
      ? areNumeric(list, 0, entries.length)
      : areNumbers && areNumeric(list, cells.length, entries.length);
    const lines = [];
    for (let start = 0; start < cells.length; start += columns) {
      const end = Math.min(start + columns, cells.length);
      let line = '';
      for (let index = start; index < end; index += 1) {
        const padding = ' '.repeat(columnWidths[index - start] - widths[index]);
        const isLast = index === end - 1;
        if (alignRight) line += padding + cells[index] + (isLast ? '' : ', ');
        else line += isLast ? cells[index] : `${cells[index]}, ${padding}`;
      }
      lines[lines.length] = line;
    }
    if (hasNote) lines[lines.length] = entries[entries.length - 1];
    return lines;
  };

  const fits = (state, entries, start, base) => {
    let total = entries.length + start;
    if (total + entries.length > state.breakLength) return false;
    for (const entry of entries) {
      total += lengthOf(entry, state);
      if (total > state.breakLength) return false;
    }
    return base === '' || !base.includes('\n');
  };

  // `compact: true`: everything stays on the line of its brace if it can.
  const layOutTightly = (state, entries, base, open, close) => {
    if (fits(state, entries, 0, base)) {
      return `${open}${base === '' ? '' : ` ${base}`} ${entries.join(', ')} ${close}`;
    }
    const newline = `\n${' '.repeat(state.indent)}`;
    const lead = base === '' && open.length === 1 ? ' ' : `${base === '' ? '' : ` ${base}`}${newline}  `;
    return `${open}${lead}${entries.join(`,${newline}  `)} ${close}`;
  };

  // `shape` is { base, open, close, isList, keys }; `list` is the value whose elements the entries are, if any.
  const layOut = (state, entries, shape, level, list) => {
    const { base, open, close } = shape;
    if (state.compact === true) return layOutTightly(state, entries, base, open, close);
    const lead = base === '' ? '' : `${base} `;
    let lines = entries;
    if (typeof state.compact === 'number' && state.compact >= 1) {
      if (shape.isList && entries.length > 6) {
        const hasExtras = state.showHidden || shape.keys.length > 0;
        lines = inColumns(state, entries, list, hasExtras);
      }
      // An object goes on one line if it holds at most `compact` levels and nothing was put in columns.
      if (state.deepest - level < state.compact && lines === entries) {
        const start = entries.length + state.indent + open.length + base.length + 10;
        if (fits(state, entries, start, base)) {
          const joined = entries.join(', ');
          if (!joined.includes('\n')) return `${lead}${open} ${joined} ${close}`;
        }
      }
    }
    const newline = `\n${' '.repeat(state.indent)}`;
    return `${lead}${open}${newline}  ${lines.join(`,${newline}  `)}${newline}${close}`;
  };

  return { inspectLayout: { layOut } };
})
