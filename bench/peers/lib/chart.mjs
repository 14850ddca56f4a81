// The report as a picture: every peer's figures beside hotcell's on a logarithmic scale, and what hostile code did.

import { containment, timed } from '../measurements.mjs';
import { baseline, describe, label } from './tables.mjs';

const WIDTH = 960;
const LABELS = 250; // where the names of rows end
const ROW = 24;
const TOP = 132;
const [LEAST, MOST] = [-3, 4.3]; // powers of ten
const SHORT = {
  cold: 'cold start', create: 'create', life: 'create, run, drop', tiny: 'tiny run, same text', tiny_new: 'tiny run, new text',
  async_call: 'async tool call', sync_call: 'sync tool call', fib: 'fib(30)', loop: 'loop of 10M',
  loop_guarded: 'loop of 10M, counted', json: 'JSON, 1 MB', sort: 'sort of 200k', concat: '1M string appends',
  memory: 'memory per executor', kill: 'kill past the deadline',
};
const HOSTILE = {
  endless: 'while (true) {}', small_blocks: 'memory, small blocks', large_blocks: 'memory, large blocks',
  memory_alone: 'the same, 3 s', regex: 'bad regex', fill: 'Array(1e9).fill(0)',
};

// A colour and a shape each: neither has to be told apart alone. Middle tones, for a light and a dark ground.
const COLOURS = ['#d55e00', '#0a84c6', '#2a9d6f', '#c2569a', '#b58900', '#7a6ff0', '#d03b3b', '#5f8a00', '#008b8b', '#8a6d5a'];
const SHAPES = [
  (x, y) => `<circle cx="${x}" cy="${y}" r="5"`,
  (x, y) => polygon([[x - 5, y - 5], [x + 5, y - 5], [x + 5, y + 5], [x - 5, y + 5]]),
  (x, y) => polygon([[x, y - 6], [x + 6, y + 5], [x - 6, y + 5]]),
  (x, y) => polygon([[x, y - 6.5], [x + 6.5, y], [x, y + 6.5], [x - 6.5, y]]),
  (x, y) => polygon([[x - 6, y - 5], [x + 6, y - 5], [x, y + 6]]),
];
const polygon = (points) => `<polygon points="${points.map((point) => point.join(',')).join(' ')}"`;

const STYLE = `
  .ground { fill: #ffffff } .ink { fill: #1f2328 } .soft { fill: #59636e } .line { stroke: #d1d9e0 } .zero { stroke: #1f2328 }
  .good { fill: #d7f5dd } .poor { fill: #fff1c2 } .bad { fill: #ffd9d6 } .mark { stroke: #ffffff }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .ink { fill: #e6edf3 } .soft { fill: #9198a1 } .line { stroke: #30363d } .zero { stroke: #e6edf3 }
    .good { fill: #12361d } .poor { fill: #3d3100 } .bad { fill: #571815 } .mark { stroke: #0d1117 }
  }
  text { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif }
  .title { font-size: 17px; font-weight: 600 } .small { font-size: 11px }`;

const escape = (text) => text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]);
const write = (x, y, text, classes = 'ink', anchor = 'start') =>
  `<text x="${x}" y="${y}" class="${classes}" text-anchor="${anchor}">${escape(text)}</text>`;
const place = (ratio) => {
  const power = Math.min(MOST, Math.max(LEAST, Math.log10(ratio)));
  return Number((LABELS + ((power - LEAST) / (MOST - LEAST)) * (WIDTH - LABELS - 24)).toFixed(1));
};

export function chart(report) {
  const measured = report.peers.filter(({ missing }) => !missing);
  const others = measured.filter(({ name }) => name !== 'hotcell').map((peer, i) => ({
    ...peer,
    hotcell: baseline(measured, peer.host === 'node' ? ['node'] : ['rust', 'python']),
    mark: (x, y) => `${SHAPES[i % SHAPES.length](x, y)} class="mark" fill="${COLOURS[i % COLOURS.length]}"/>`,
  }));
  const plot = ratios(others);
  const grid = hostile(measured, plot.bottom + 56);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${grid.bottom + 20}" width="${WIDTH}" height="${grid.bottom + 20}" role="img">`,
    '<title>hotcell beside its peers</title>',
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" width="100%" height="100%" rx="6"/>`,
    ...legend(others), ...plot.parts, ...grid.parts, '</svg>', '',
  ].join('\n');
}

function legend(others) {
  const parts = [
    write(24, 34, 'Times hotcell’s figure (logarithmic)', 'ink title'),
    write(WIDTH - 24, 34, 'peers on Node beside the Node package, others beside the crate', 'soft small', 'end'),
  ];
  const columns = 4;
  others.forEach((peer, i) => {
    const x = 32 + (i % columns) * ((WIDTH - 48) / columns);
    const y = 60 + Math.floor(i / columns) * 22;
    parts.push(peer.mark(x, y), write(x + 14, y + 4.5, label(peer)));
  });
  return parts;
}

function ratios(others) {
  const rows = Object.keys(SHORT).filter((id) => id in timed && others.some((peer) => ratio(peer, id)));
  const bottom = TOP + rows.length * ROW;
  const parts = [];
  for (let power = LEAST; power <= MOST; power++) {
    const x = place(10 ** power);
    const times = power < 0 ? `1/${(10 ** -power).toLocaleString('en')}` : (10 ** power).toLocaleString('en');
    parts.push(`<line x1="${x}" x2="${x}" y1="${TOP}" y2="${bottom}" class="${power ? 'line' : 'zero'}"/>`);
    parts.push(write(x, bottom + 17, power ? `${times}×` : 'hotcell', power ? 'soft small' : 'ink small', 'middle'));
  }
  parts.push(write(place(1) - 10, TOP - 8, '← peer is better', 'soft', 'end'), write(place(1) + 10, TOP - 8, 'hotcell is better →', 'soft'));
  rows.forEach((id, i) => {
    const y = TOP + i * ROW + ROW / 2;
    parts.push(`<line x1="${LABELS}" x2="${WIDTH - 24}" y1="${y}" y2="${y}" class="line" stroke-dasharray="1 4"/>`);
    parts.push(write(LABELS - 14, y + 4.5, SHORT[id], 'ink', 'end'));
    for (const peer of others) {
      const times = ratio(peer, id);
      if (times) parts.push(peer.mark(place(times), y));
    }
  });
  return { parts, bottom };
}

function ratio(peer, id) {
  const ours = peer.hotcell?.timed[id]?.median;
  const theirs = peer.timed[id]?.median;
  return ours > 0 && theirs > 0 ? theirs / ours : undefined;
}

function hostile(peers, top) {
  const ids = Object.keys(HOSTILE).filter((id) => id in containment);
  const left = 186;
  const column = (WIDTH - 24 - left) / ids.length;
  const parts = [write(24, top, 'Hostile code: 64 MB and 100 ms allowed', 'ink title')];
  ids.forEach((id, i) => parts.push(write(left + (i + 0.5) * column, top + 28, HOSTILE[id], 'soft small', 'middle')));
  peers.forEach((peer, row) => {
    const y = top + 38 + row * ROW;
    parts.push(write(left - 12, y + 16, label(peer), 'ink', 'end'));
    ids.forEach((id, i) => {
      const { text, grade } = describe(peer.containment[id], containment[id]);
      if (!grade) return;
      const x = left + i * column;
      parts.push(`<rect x="${x + 2}" y="${y + 1}" width="${column - 4}" height="${ROW - 3}" rx="4" class="${grade}"/>`);
      parts.push(write(x + column / 2, y + 15.5, text.replaceAll('**', '').replace(/ \(.*/, ''), 'ink small', 'middle'));
    });
  });
  return { parts, bottom: top + 38 + peers.length * ROW };
}
