// The report as Markdown.

import { containment, timed } from '../measurements.mjs';

const GROUPS = [
  { title: 'From Node', hosts: ['node'] },
  { title: 'From Rust and Python', hosts: ['rust', 'python'] },
];

export function tables(report) {
  const measured = report.peers.filter(({ missing }) => !missing);
  const parts = [header(report)];
  for (const { title, hosts } of GROUPS) {
    const peers = measured.filter(({ host }) => hosts.includes(host));
    if (peers.length) parts.push(`### ${title}\n\n${timings(peers, baseline(measured, hosts))}`);
  }
  parts.push(`### Hostile code\n\n${outcomes(measured)}`);
  return parts.join('\n\n') + '\n';
}

const SUMMARY = {
  cold: 'cold start', life: 'create, run, drop', tiny: 'run again', sync_call: 'tool call', kill: 'end past the deadline',
  memory: 'memory each', loop: 'loop of 10M',
};

/** The rows that decide most, a line for each peer. */
export function summary(report) {
  const peers = report.peers.filter(({ missing }) => !missing);
  const rows = [['', ...Object.values(SUMMARY), 'hostile code stopped in time'], ['---', ...Object.keys(SUMMARY).map(() => '---:'), '---:']];
  for (const peer of peers) {
    const figures = Object.keys(SUMMARY).map((id) => cell(peer.timed[id] ?? {}));
    const grades = Object.entries(containment).map(([id, row]) => describe(peer.containment[id], row).grade);
    rows.push([label(peer), ...figures, `${grades.filter((grade) => grade === 'good').length} of ${grades.length}`]);
  }
  return markdown(rows) + '\n';
}

/** The hotcell that others are compared with: of their own kind if there is one. */
export function baseline(peers, hosts) {
  const hotcells = peers.filter(({ name }) => name === 'hotcell');
  return hotcells.find(({ host }) => hosts.includes(host)) ?? hotcells[0];
}

function header({ machine, rounds, peers }) {
  const { processor, cores, memoryGb, kernel, load } = machine;
  const versions = peers.filter(({ missing }) => !missing).map(({ title, version }) => `${title} ${version}`);
  const missing = peers.filter(({ missing }) => missing).map(({ id, missing }) => `${id} (${missing})`);
  return [
    `Machine: ${processor}, ${cores} cores, ${memoryGb} GB, ${kernel}; load when it began: ${load.toFixed(2)}.`,
    `Versions: ${[...new Set(versions)].join(', ')}.`,
    `Medians of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}, each a new process per peer and row.`,
    ...missing.length ? [`Not measured: ${missing.join(', ')}.`] : [],
  ].join('\n');
}

function timings(peers, hotcell) {
  const rows = [['', ...peers.map(({ title }) => title)], ['---', ...peers.map(() => '---:')]];
  for (const [id, { title }] of Object.entries(timed)) {
    const entries = peers.map((peer) => peer.timed[id] ?? {});
    if (!entries.some((entry) => entry.median !== undefined)) continue;
    const best = Math.min(...entries.map(({ median = Infinity }) => median));
    const ours = hotcell?.timed[id]?.median;
    rows.push([title, ...peers.map((peer, i) => cell(entries[i], best, peer === hotcell ? undefined : ours))]);
  }
  return markdown(rows);
}

/** A figure, bold if it is the best of its row, and how many times hotcell's it is. */
function cell({ median, unit, lacks, failed, rounds }, best, ours) {
  if (failed) return 'failed';
  if (median === undefined) return lacks ?? '–';
  // Rounds that differ this much make a figure that should not be quoted.
  const unsteady = Math.max(...rounds) > 2 * Math.min(...rounds);
  const value = `${unsteady ? '~' : ''}${amount(median, unit)}`;
  const ratio = ours === undefined ? '' : ` (${short(median / ours)}×)`;
  return (median === best ? `**${value}**` : value) + ratio;
}

const HOSTS = { node: 'Node', rust: 'Rust', python: 'Python' };

/** The name of a peer where those of all hosts stand together. */
export const label = ({ name, host, title }) => (name === 'hotcell' || host !== 'node' ? `${title} (${HOSTS[host]})` : title);

function outcomes(peers) {
  const rows = [['', ...Object.values(containment).map(({ title }) => title)], ['---', ...Object.keys(containment).map(() => '---')]];
  for (const peer of peers) rows.push([label(peer), ...Object.keys(containment).map((id) => describe(peer.containment[id], containment[id]).text)]);
  return markdown(rows);
}

/** An outcome in words, and whether it is `good`, `poor` (late, or with far more memory than allowed) or `bad`. */
export function describe({ what, ms, exit, peakMb, said } = {}, { timeoutMs }) {
  const memory = peakMb > 512 ? `, ${(peakMb / 1024).toFixed(1)} GB` : '';
  const took = ms >= 1000 ? amount(ms, 'ms') : ms < 1 ? '< 1 ms' : `${Math.round(ms)} ms`;
  const bad = (text) => ({ text: `**${text}**`, grade: 'bad' });
  switch (what) {
    case 'stopped':
    case 'finished': {
      const by = what === 'stopped' ? cause(said) : what;
      return { text: `${by}, ${took}${memory}`, grade: ms < timeoutMs + 900 && !memory ? 'good' : 'poor' };
    }
    case 'blocked': return bad('host blocked > 5 s');
    case 'running': return bad('runs on > 5 s');
    case 'greedy': return bad('took all memory');
    case 'died': return bad(`process died (${exit})`);
    default: return { text: '–' };
  }
}

/** Which limit a peer says ended the run: one that fired first says nothing about the others. */
function cause(said) {
  if (/operations/i.test(said)) return 'counted out';
  if (/memory/i.test(said)) return 'memory';
  return /time|interrupted|terminated|SIGKILL/i.test(said) ? 'deadline' : 'stopped';
}

const LARGER = { µs: ['ms', 1000], ms: ['s', 1000], KiB: ['MiB', 1024] };

/** A value in a unit in which it is easy to read. */
function amount(value, unit) {
  const [larger, size] = LARGER[unit] ?? [];
  return value >= size ? amount(value / size, larger) : `${short(value)} ${unit}`;
}

/** Three significant digits; two below one. */
function short(n) {
  const size = Math.abs(n);
  if (size >= 1000) return Math.round(n).toLocaleString('en');
  if (size >= 1) return n.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
  return String(Number(n.toPrecision(2)));
}

const markdown = (rows) => rows.map((cells) => `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
