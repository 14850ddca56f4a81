'use strict';
// What code that ran was warned of, in words for its model, where there is no observation.

/** A line for each warning. */
function warnings(diagnostics = []) {
  return diagnostics
    .filter(({ severity }) => severity === 'WARNING')
    .map(({ message, location, fix }) => {
      const place = location === undefined ? '' : ` (line ${location.line}, column ${location.column})`;
      return `${message}${place}${fix === undefined ? '' : `: ${fix}`}`;
    });
}

module.exports = { warnings };
