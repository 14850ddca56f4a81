// console.table: rows and columns in box-drawing characters.
((kit) => {
  'use strict';
  const { inspect, native } = kit;
  const { classOf, hasOwn, isObject, read, toText, unwrap } = kit.inspectObjects;
  const { widthOf } = kit.inspectText;
  const { Infinity, Map, Math, Object, Reflect, Set, TypeError } = globalThis;
  const { apply } = Reflect;
  const mapEntries = Map.prototype.entries;
  const setValues = Set.prototype.values;

  const INDEX = '(index)';
  const ITERATION = '(iteration index)';

  const printCell = (value) => {
    const target = isObject(value) ? unwrap(value) : null;
    // Larger objects are named only: a cell is one line.
    const isLarge = typeof target === 'object' && target !== null && classOf(target) !== 'Array' &&
      Object.keys(target).length > 2;
    return inspect(value, { depth: isLarge ? -1 : 0, maxArrayLength: 3, breakLength: Infinity });
  };

  const pad = (text, width) => `${text}${' '.repeat(width - widthOf(text))}`;

  const drawRow = (cells, widths) => `│ ${cells.map((cell, index) => pad(cell, widths[index])).join(' │ ')} │`;

  const drawRule = (widths, left, middle, right) =>
    left + widths.map((width) => '─'.repeat(width + 2)).join(middle) + right;

  // `columns` are { title, cells }; a cell that is missing is blank.
  const draw = (columns, rowCount) => {
    const widths = columns.map(({ title, cells }) => {
      let width = widthOf(title);
      for (let row = 0; row < rowCount; row += 1) width = Math.max(width, widthOf(cells[row] ?? ''));
      return width;
    });
    const lines = [
      drawRule(widths, '┌', '┬', '┐'),
      drawRow(columns.map(({ title }) => title), widths),
      drawRule(widths, '├', '┼', '┤'),
    ];
    for (let row = 0; row < rowCount; row += 1) {
      lines[lines.length] = drawRow(columns.map(({ cells }) => cells[row] ?? ''), widths);
    }
    lines[lines.length] = drawRule(widths, '└', '┴', '┘');
    return lines.join('\n');
  };

  const counted = (items) => items.map((item, index) => `${index}`);

  const drawPairs = (pairs) =>
    draw(
      [
        { title: ITERATION, cells: counted(pairs) },
        { title: 'Key', cells: pairs.map((pair) => printCell(pair[0])) },
        { title: 'Values', cells: pairs.map((pair) => printCell(pair[1])) },
      ],
      pairs.length,
    );

  const inPairs = (flat) => {
    const pairs = [];
    for (let at = 0; at < flat.length; at += 2) pairs[pairs.length] = [flat[at], flat[at + 1]];
    return pairs;
  };

  const drawItems = (items) =>
    draw(
      [
        { title: ITERATION, cells: counted(items) },
        { title: 'Values', cells: items.map(printCell) },
      ],
      items.length,
    );

  const ownKeys = (value) => (isObject(value) ? Object.keys(value) : []);

  const drawRows = (data, only) => {
    const rows = Object.keys(data);
    // Without a prototype, and ordered as Node's columns are: numbers first.
    const byKey = Object.create(null);
    const values = [];
    let hasValues = false;
    rows.forEach((rowKey, row) => {
      const given = read(data, rowKey);
      const item = isObject(given) ? unwrap(given) : given;
      if (only === undefined && !isObject(item)) {
        hasValues = true;
        values[row] = printCell(given);
        return;
      }
      for (const key of only ?? ownKeys(item)) {
        byKey[key] ??= [];
        byKey[key][row] = isObject(item) && hasOwn(item, key) ? printCell(read(item, key)) : '';
      }
    });
    const columns = Object.keys(byKey).map((key) => ({ title: key, cells: byKey[key] }));
    if (hasValues) columns[columns.length] = { title: 'Values', cells: values };
    return draw([{ title: INDEX, cells: rows }, ...columns], rows.length);
  };

  const received = (value) => {
    if (value === null) return 'null';
    if (typeof value === 'function') return `function ${toText(read(value, 'name'))}`;
    return typeof value === 'object' ? inspect(value, { depth: -1 }) : `type ${typeof value} (${inspect(value)})`;
  };

  // The names of the columns to show, or undefined for all.
  const columnsFrom = (properties) => {
    if (properties === undefined) return undefined;
    const list = isObject(properties) ? unwrap(properties) : null;
    if (list === null || classOf(list) !== 'Array') {
      throw new TypeError(`The "properties" argument must be an instance of Array. Received ${received(properties)}`);
    }
    return Object.keys(list).map((index) => toText(read(list, index)));
  };

  // The table as text; undefined if the data are no rows and are to be logged as they are.
  const drawTable = (data, properties) => {
    if (typeof data !== 'object' || data === null) return undefined;
    const only = columnsFrom(properties);
    const target = unwrap(data);
    if (target === null) return undefined;
    switch (classOf(target)) {
      case 'Map':
        return drawPairs([...apply(mapEntries, target, [])]);
      case 'Set':
        return drawItems([...apply(setValues, target, [])]);
      case 'Map Iterator':
      case 'Set Iterator': {
        const preview = native.previewEntries(target);
        // Node lists both halves of a Set's entries one after the other.
        if (!preview.isKeyValue || classOf(target) === 'Set Iterator') return drawItems(preview.entries);
        return drawPairs(inPairs(preview.entries));
      }
      default:
        return drawRows(target, only);
    }
  };

  return { drawTable };
})
