// How URL and URLSearchParams print: their state is private, so the printer alone would show nothing.
//
// Comes after kinds.js and after the files that export `kit.URL` and `kit.URLSearchParams`; without those it does
// nothing. Values are read through the classes' own getters, which refuse anything that is not genuine.
((kit) => {
  'use strict';
  const { describeInstances } = kit.inspectKinds;
  const { prefixOf, printPrimitive, printProperty } = kit.inspectParts;
  const { withoutColours } = kit.inspectText;
  const { Reflect } = globalThis;
  const { apply, getOwnPropertyDescriptor } = Reflect;

  const URL_PARTS = [
    'href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search',
    'searchParams', 'hash',
  ];

  const describeURLWith = (getters) => (state, facts) => {
    const parts = getters.map(([key, getter]) => [key, { value: apply(getter, facts.value, []), enumerable: true }]);
    const prefix = prefixOf(facts.name, '', 'URL');
    if (facts.level > state.depth) return { done: `${prefix}{}` };
    const body = (level) => parts.map(([key, descriptor]) => printProperty(state, key, descriptor, level, false));
    return { base: '', open: `${prefix}{`, close: '}', isList: false, keys: [], body, list: undefined };
  };

  // Node closes a long list on the line of its last entry.
  const layOutParams = (state, prefix, entries) => {
    if (entries.length === 0) return `${prefix}{}`;
    const line = entries.join(', ');
    if (withoutColours(line).length <= state.breakLength) return `${prefix}{ ${line} }`;
    const indent = ' '.repeat(state.indent);
    return `${prefix}{\n${indent}  ${entries.join(`,\n${indent}  `)} }`;
  };

  const describeParamsWith = (forEach) => (state, facts) => {
    const entries = [];
    apply(forEach, facts.value, [
      (value, key) => {
        entries[entries.length] = `${printPrimitive(state, key)} => ${printPrimitive(state, value)}`;
      },
    ]);
    if (facts.level > state.depth) return { done: state.paint('[Object]', 'special') };
    return { done: layOutParams(state, prefixOf(facts.name, '', 'URLSearchParams'), entries) };
  };

  if (kit.URL !== undefined) {
    const proto = kit.URL.prototype;
    const getters = URL_PARTS.map((key) => [key, getOwnPropertyDescriptor(proto, key).get]);
    describeInstances(proto, describeURLWith(getters));
  }
  if (kit.URLSearchParams !== undefined) {
    const proto = kit.URLSearchParams.prototype;
    describeInstances(proto, describeParamsWith(proto.forEach));
  }

  return {};
})
