// SPDX-License-Identifier: Apache-2.0
// From the statistics of a run to configurations of Chart.js.
'use strict';

const isCounter = (node) => node && typeof node === 'object' && 'value' in node && 'unit' in node;
const isAccount = (node) => node && typeof node === 'object' && 'reasons' in node && 'total' in node;
/** Accounts of equal channels: arrays. */
const isSet = (node) => node && typeof node === 'object' && 'reasons' in node && !('total' in node);
/** In the timed region when there is one. */
const valueOf = (counter) => counter === undefined ? 0 : counter.in_region ?? counter.value;
const reasonsOf = (account) => account.in_region ?? account.reasons;

/** All blocks below `node`: [name, block]. */
function blocks(node, name = '') {
  const result = [];
  const entries = Object.entries(node || {});
  if (name && entries.some(([, value]) => isCounter(value) || isAccount(value))) result.push([name, node]);
  for (const [key, value] of entries)
    if (value && typeof value === 'object' && !isCounter(value) && !isAccount(value) && !isSet(value))
      result.push(...blocks(value, name ? `${name}.${key}` : key));
  return result;
}
const blocksOf = (run) => run.blocks ??= blocks(run.document.stats);
const block = (run, name) => (blocksOf(run).find(([path]) => path === name) || [])[1];
/** A block's name without its cluster when there is only one. */
function label(run, name) {
  const clusters = Object.keys(run.document.stats).filter((key) => key.startsWith('cluster_')).length;
  return words(clusters > 1 ? name.replace('.', ' ') : name.replace(/^cluster_\d+\./, ''));
}
const cyclesOf = (run) => run.document.cycles || 1;
const meaning = (run, reason) => (run.document.reasons || {})[reason];

const axis = (title, more = {}) => ({title: {display: true, text: title}, ...more});
const legendBelow = {display: false, below: true};  // keysOf() writes it

/** How often a program measured what: a bar per step of the histogram, the same steps for all runs. */
function histogram(run) {
  const samples = (other) => (other.measured || {}).histogram || [];
  if (samples(run).length === 0) return null;
  const steps = [...new Set(runs.flatMap((other) => samples(other).map(([from]) => from)))].sort((a, b) => a - b);
  const counts = new Map(samples(run));
  const all = samples(run).reduce((sum, [, count]) => sum + count, 0);
  return {
    type: 'bar',
    data: {labels: steps.map(whole), datasets: [{label: 'share', backgroundColor: seriesColor(0), barPercentage: 1, categoryPercentage: 0.95,
      data: steps.map((from) => 100 * (counts.get(from) || 0) / all)}]},
    options: {
      scales: {x: axis('from so many on; a step is an eighth of a power of two', {grid: {display: false}}), y: axis('% of samples')},
      plugins: {legend: {display: false}, tooltip: {callbacks: {
        label: (item) => ` ${percent(item.raw / 100)}, ${whole(counts.get(steps[item.dataIndex]) || 0)} samples`}}},
    },
  };
}

/** Horizontal bars of 100 %: one per row {name, parts: {part: amount}}, coloured by part. */
function shareBars(run, rows, unit) {
  const totals = rows.map((row) => Object.values(row.parts).reduce((sum, value) => sum + value, 0) || 1);
  const sums = {};
  for (const row of rows)
    for (const [part, value] of Object.entries(row.parts)) sums[part] = (sums[part] || 0) + value;
  const parts = inOrder(sums).filter((part) => sums[part] > 0);
  return {
    type: 'bar',
    data: {
      labels: rows.map((row) => row.name),
      datasets: parts.map((part) => ({
        label: words(part), backgroundColor: colorOf(part), maxBarThickness: 30,
        data: rows.map((row, i) => 100 * (row.parts[part] || 0) / totals[i]),
      })),
    },
    options: {
      indexAxis: 'y',
      scales: {x: axis(unit, {stacked: true, min: 0, max: 100}), y: namesAxis({stacked: true})},
      plugins: {
        legend: legendBelow,
        tooltip: {callbacks: {
          label: (item) => {
            const part = parts[item.datasetIndex];
            return ` ${words(part)}: ${percent(item.raw / 100)}, ${whole(rows[item.dataIndex].parts[part] || 0)}`;
          },
          afterLabel: (item) => meaning(run, parts[item.datasetIndex]) ?
            'waits for ' + meaning(run, parts[item.datasetIndex]) : '',
        }},
      },
    },
  };
}

/** More rows of a kind than anybody reads one by one, as on a whole chip. */
const kMany = 40;
const kindOf = (name) => name.replace(/ \d+/g, '');
const byKind = (rows) => rows.reduce((kinds, row) => kinds.set(kindOf(row.name), [...kinds.get(kindOf(row.name)) || [], row]), new Map());
/** The parts of all these rows together. */
function partsOf(rows) {
  const parts = {};
  for (const row of rows)
    for (const [reason, cycles] of Object.entries(row.parts)) parts[reason] = (parts[reason] || 0) + cycles;
  return parts;
}
const atRest = (reason) => /^(idle|no_warp)$/.test(reason);
/** Of a kind with many blocks: all together, and those that worked most and least. */
function summarised(rows) {
  const atWork = (row) => Object.entries(row.parts).reduce((sum, [reason, cycles]) => sum + (atRest(reason) ? 0 : cycles), 0);
  return [...byKind(rows)].flatMap(([kind, all]) => {
    if (all.length <= kMany) return all;
    const ordered = [...all].sort((a, b) => atWork(b) - atWork(a));
    return [{name: `${kind}, all ${all.length}`, parts: partsOf(all)},
      {...ordered[0], name: `${ordered[0].name}, most at work`}, {...ordered.at(-1), name: `${ordered.at(-1).name}, least`}];
  });
}

const kOnly = ['cycles', 'issue', 'dot_product', 'activity'];  // of blocks with one account
function accountRows(run, accepts) {
  const rows = [];
  for (const [name, node] of blocksOf(run))
    for (const [key, account] of Object.entries(node))
      if (isAccount(account) && accepts(name, key)) {
        const parts = reasonsOf(account);
        const busy = Object.entries(parts).some(([reason, cycles]) => cycles > 0 && reason !== 'idle');
        rows.push({name: label(run, name) + (kOnly.includes(key) ? '' : ' ' + words(key)), parts, busy});
      }
  return rows;
}
const slotRows = (run) => accountRows(run, (name, key) => key === 'issue');
const coreRows = (run) => summarised(slotRows(run));
const rank = (row) => ['matrix unit', 'decoupled tensor', 'tensor core', 'dma', 'shared memory', 'l2'].findIndex((kind) => row.name.includes(kind));
/** The reasons that mean work have many names; in a chart of many units they are one. */
function withWork(row) {
  const parts = {};
  for (const [reason, cycles] of Object.entries(row.parts)) {
    const name = kWorking.includes(reason) ? 'working' : reason;
    parts[name] = (parts[name] || 0) + cycles;
  }
  return {...row, parts};
}
/** Blocks say which of their accounts and counters are shown over time; of memories, that is their traffic. */
function shownOverTime(run, name, key) {
  const {accounts = {}, counters = {}} = run.document.timeline || {};
  return `${name}.${key}` in accounts ||
    (key === 'activity' && Object.keys(counters).some((counter) => counter.startsWith(name + '.')));
}
const unitRows = (run) => summarised(accountRows(run, (name, key) => key !== 'issue' && shownOverTime(run, name, key))
  .filter((row) => row.busy).map(withWork))
  .sort((a, b) => (rank(a) < 0) - (rank(b) < 0) || rank(a) - rank(b));

/** Bars of amounts: rows {name, parts}, stacked by part; the axis ends where that of every other run does. */
function amountBars(rowsOf, run, unit) {
  const rows = rowsOf(run);
  const most = Math.max(...runs.flatMap((other) =>
    rowsOf(other).map((row) => Object.values(row.parts).reduce((sum, value) => sum + value, 0))));
  const parts = [...new Set(rows.flatMap((row) => Object.keys(row.parts)))];
  return {
    type: 'bar',
    data: {labels: rows.map((row) => row.name),
      datasets: parts.map((part) => ({label: words(part), backgroundColor: colorOf(part), maxBarThickness: 26,
        data: rows.map((row) => row.parts[part] || 0)}))},
    options: {indexAxis: 'y',
      scales: {x: axis(unit, {stacked: true, suggestedMax: most, ticks: {callback: short, maxTicksLimit: 7}}),
        y: namesAxis({stacked: true})},
      plugins: {legend: legendBelow,
        tooltip: {callbacks: {label: (item) => ` ${item.dataset.label}: ${whole(item.raw)}`}}}},
  };
}

/** Words by who asked for them ('client') or where they are ('bank'). */
function sharedMemoryRows(run, banks) {
  const rows = [];
  for (const [name, node] of blocksOf(run)) {
    if (!/(^|\.)shared_memory$/.test(name)) continue;
    const before = label(run, name) === 'shared memory' ? '' : label(run, name).replace(' shared memory', ' ');
    for (const key of Object.keys(node)) {
      const match = key.match(/^(.*)_words_read$/);
      if (!match || banks !== /^bank_\d+$/.test(match[1])) continue;
      const parts = {read: valueOf(node[key]), written: valueOf(node[match[1] + '_words_written'])};
      if (banks || parts.read + parts.written > 0) rows.push({name: before + words(match[1]), parts});
    }
  }
  return rows;
}

function cacheRows(run) {
  const groups = {};
  for (const [name, node] of blocksOf(run)) {
    if (!node.read_hits) continue;
    const group = name === 'l2' ? 'L2' : name.replace(/^.*\./, '').replace(/_\d+$/, '').replace('icache', 'L1 instruction')
      .replace('dcache', 'L1 data');
    const parts = groups[group] ??= {hits: 0, merged: 0, misses: 0};
    for (const kind of ['hits', 'merged', 'misses'])
      parts[kind] += valueOf(node['read_' + kind]) + valueOf(node['write_' + kind]);
  }
  return Object.entries(groups).filter(([, p]) => p.hits + p.merged + p.misses > 0)
    .map(([name, parts]) => ({name, parts}));
}

function traffic(run) {
  const l2 = block(run, 'l2') || {}, memory = block(run, 'main_memory') || {};
  return {l2Read: valueOf(l2.bytes_read), l2Written: valueOf(l2.bytes_written),
    dram: valueOf(memory.bytes_read) + valueOf(memory.bytes_written)};
}

/** Labels of a logarithmic axis. */
const decades = (value) => Math.abs(Math.log10(value) % 1) < 1e-9 ? number(value) : '';

/** What a roofline needs, or null when no unit multiplied. */
function roofline(run) {
  const machine = run.document.machine;
  if (!machine) return null;
  const used = machine.units.filter((unit) => unit.macs > 0);
  const macs = used.reduce((sum, unit) => sum + unit.macs, 0);
  if (macs === 0) return null;
  const bytes = traffic(run);
  return {
    peak: used.reduce((sum, unit) => sum + unit.macs_per_cycle, 0), unit: used.map((unit) => label(run, unit.name)).join(' + '),
    rate: macs / cyclesOf(run),
    levels: [
      {name: 'DRAM', bandwidth: machine.dram_bytes_per_cycle, bytes: bytes.dram, color: '#e07b1f'},
      {name: 'L2 reads', bandwidth: machine.l2_bytes_per_cycle, bytes: bytes.l2Read, color: '#1f77c9'},
    ].filter((level) => level.bytes > 0 && level.bandwidth > 0)
      .map((level) => ({...level, intensity: macs / level.bytes})),
  };
}

function rooflineChart(run) {
  const roof = roofline(run);
  if (!roof || roof.levels.length === 0) return null;
  const all = runs.map(roofline).filter((other) => other);
  const interest = all.flatMap((other) =>
    other.levels.flatMap((level) => [level.intensity, other.peak / level.bandwidth]));
  const min = 10 ** Math.floor(Math.log10(Math.min(...interest) / 3));
  const max = 10 ** Math.ceil(Math.log10(Math.max(...interest) * 3));
  const top = Math.max(...all.map((other) => other.peak)) * 2;
  const bottom = Math.min(...all.flatMap((other) => [other.rate / 3, ...other.levels.map((level) => min * level.bandwidth)]));
  const lines = roof.levels.map((level) => ({
    label: `${level.name} limit, ${number(level.bandwidth)} B/cycle`, showLine: true, pointRadius: 0, borderWidth: 2,
    borderColor: level.color, backgroundColor: level.color,
    data: [{x: min, y: min * level.bandwidth}, {x: roof.peak / level.bandwidth, y: roof.peak}],
  }));
  lines.push({label: `peak of ${roof.unit}, ${number(roof.peak)} MAC/cycle`, showLine: true, pointRadius: 0, borderWidth: 2,
    borderColor: shade('text'), backgroundColor: shade('text'),
    data: [{x: roof.peak / Math.max(...roof.levels.map((level) => level.bandwidth)), y: roof.peak},
      {x: max, y: roof.peak}]});
  const points = roof.levels.map((level) => ({
    label: `this run at ${level.name}`, pointRadius: 7, pointHoverRadius: 8, pointStyle: 'rectRot',
    borderColor: shade('text'), backgroundColor: level.color, data: [{x: level.intensity, y: roof.rate}],
  }));
  return {
    type: 'scatter', data: {datasets: [...points, ...lines]},
    options: {
      scales: {
        x: axis('multiply-adds per byte moved', {type: 'logarithmic', min, max, ticks: {callback: decades}}),
        y: axis('multiply-adds per cycle', {type: 'logarithmic', min: bottom, max: top,
          ticks: {callback: (value) => [1, 2, 5].includes(Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9))) ? number(value) : ''}}),
      },
      plugins: {legend: legendBelow,
        tooltip: {callbacks: {label: (item) =>
          ` ${item.dataset.label}: ${number(item.raw.x)} MAC/B, ${number(item.raw.y)} MAC/cycle`}}},
    },
  };
}

/** One bar per run. */
function comparison(values, unit, format, ends = null) {
  const interval = ends ? [{data: ends, grouped: false, barThickness: 3, order: 0, backgroundColor: shade('text')}] : [];
  return {
    type: 'bar',
    data: {labels: runs.map((run) => run.name), datasets: [...interval, {data: values, grouped: false, maxBarThickness: 24, order: 1,
      backgroundColor: runs.map((run, i) => seriesColor(i))}]},
    options: {indexAxis: 'y', scales: {x: axis(unit, {beginAtZero: true, ticks: {callback: short, maxTicksLimit: 5}}),
      y: namesAxis()},
    plugins: {legend: {display: false}, tooltip: {callbacks: {label: (item) => ' ' + (Array.isArray(item.raw) ? item.raw.map(format).join(' to ') : format(item.raw))}}}},
  };
}
