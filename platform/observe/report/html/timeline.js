// SPDX-License-Identifier: Apache-2.0
// Charts over time: units, banks, memory traffic.
'use strict';

/** Vertical lines where the timed region begins and ends. */
const phases = (run) => ({
  id: 'phases',
  afterDatasetsDraw(chart) {
    const region = run.document.region;
    if (!region) return;
    const {ctx, chartArea: area, scales} = chart;
    ctx.save();
    ctx.strokeStyle = shade('text');
    ctx.setLineDash([4, 3]);
    for (const cycle of [region.begin_marker ?? region.begin, region.end_marker ?? region.end]) {
      const x = scales.x.getPixelForValue(cycle);
      ctx.beginPath();
      ctx.moveTo(x, area.top);
      ctx.lineTo(x, area.bottom);
      ctx.stroke();
    }
    ctx.restore();
  },
});

const timeAxis = (edges, title) => ({type: 'linear', min: 0, max: edges[edges.length - 1], grid: {display: false},
  title: {display: Boolean(title), text: title || ''}, ticks: {callback: short, maxTicksLimit: 9, maxRotation: 0}});
/** A value per window as a line with steps: each counts up to the next edge. */
const steps = (edges, values) =>
  [...values.map((y, i) => ({x: edges[i], y})), {x: edges[edges.length - 1], y: values[values.length - 1]}];
const span = (items, edges) => {
  const x = items[0].raw.x, next = edges.find((edge) => edge > x) ?? x;
  return `cycles ${whole(x)} to ${whole(next)}`;
};

/** Areas stacked by series {name: [value per window]}; `top` ends the axis. */
function stackedOverTime(run, edges, series, unit, top, color, title) {
  return {
    type: 'line', plugins: [phases(run)],
    data: {datasets: Object.entries(series).map(([name, values], i) => ({
      label: words(name), data: steps(edges, values), stepped: 'before', fill: i === 0 ? 'origin' : '-1',
      backgroundColor: color(name, i), borderWidth: 0, pointRadius: 0, pointHitRadius: 4}))},
    options: {
      interaction: {mode: 'index', intersect: false},
      scales: {x: timeAxis(edges, title),
        y: {stacked: true, min: 0, max: top, title: {display: true, text: unit}, ticks: {maxTicksLimit: 5},
          afterFit: (scale) => { scale.width = 64; }}},
      plugins: {legend: {display: false}, tooltip: {filter: (item) => item.raw.y > 0, callbacks: {
        title: (items) => items.length ? span(items, edges) : '',
        label: (item) => ` ${item.dataset.label}: ${number(item.raw.y)} ${unit}`}}},
    },
  };
}

/** Rows of the timeline: [{name, series: {reason: [percent per window]}}]; blocks of a kind become one row when
 * there is one per core, or when they are many. */
function timelineRows(run) {
  const timeline = run.document.timeline;
  if (!timeline || timeline.edges.length < 2) return [];
  const named = Object.keys(timeline.accounts).map((path) => ({name: label(run, path.replace(/\.[^.]*$/, ''))}));
  const kinds = byKind(named);
  const rowOf = (name) => {
    const all = kinds.get(kindOf(name)).length;
    return all > kMany ? `${kindOf(name)}, mean of ${all}` : name;
  };
  const lengths = timeline.edges.slice(1).map((edge, i) => edge - timeline.edges[i]);
  const rows = new Map();
  for (const [path, reasons] of Object.entries(timeline.accounts)) {
    const [, name, account] = path.match(/^(.*)\.([^.]*)$/);
    if (!Object.keys(reasons).some((reason) => reason !== 'idle')) continue;
    const row = account === 'issue' ? 'issue slots of all cores' : account === 'dot_product' ? 'tensor cores' :
      rowOf(label(run, name)) + (account === 'cycles' ? '' : ' ' + account);
    if (!rows.has(row)) rows.set(row, {name: row, members: 0, sums: {}});
    const entry = rows.get(row);
    ++entry.members;
    for (const [reason, cycles] of Object.entries(reasons)) {
      entry.sums[reason] ??= lengths.map(() => 0);
      cycles.forEach((value, i) => { entry.sums[reason][i] += value; });
    }
  }
  const order = (row) => /matrix/.test(row.name) ? 0 : /tensor/.test(row.name) ? 1 : /slots/.test(row.name) ? 3 : 2;
  return [...rows.values()].sort((a, b) => order(a) - order(b)).map((row) => {
    const total = (reason) => row.sums[reason].reduce((sum, value) => sum + value, 0);
    const reasons = inOrder(Object.fromEntries(Object.keys(row.sums).map((reason) => [reason, total(reason)])));
    const series = {}, shares = {};
    for (const reason of reasons) {
      series[reason] = row.sums[reason].map((value, i) => 100 * value / lengths[i] / row.members);
      shares[reason] = total(reason) / row.members / timeline.edges[timeline.edges.length - 1];
    }
    return {name: row.name, series, shares};
  });
}

/** A list of colours, names and shares beside a chart; parts below 0.1 % are left out. */
function legend(entries) {
  return element('ul', {class: 'legend'}, ...entries.filter(([, , share]) => share === undefined || share >= 0.001).map(
    ([name, color, share]) => element('li', {}, element('i', {style: `background:${color}`}),
      words(name) + (share === undefined ? '' : ' ' + percent(share)))));
}

function timelineFor(run) {
  const rows = timelineRows(run);
  if (rows.length === 0) return null;
  const edges = run.document.timeline.edges;
  return element('div', {class: runs.length > 1 ? 'narrow' : ''}, ...rows.map((row, i) => {
    const last = i === rows.length - 1;
    return element('div', {class: 'row'}, element('h4', {}, row.name),
      canvasFor(() => stackedOverTime(run, edges, row.series, '% of time', 100, colorOf, last ? 'cycle of the run' : ''),
        last ? 140 : 118, `${row.name} over time`),
      legend(Object.keys(row.series).map((reason) =>
        [reason, atRest(reason) ? 'var(--idle)' : colorOf(reason), row.shares[reason]])));
  }));
}

const kHeat = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];  // viridis
function heat(ratio) {
  const place = Math.min(Math.max(ratio, 0), 1) * (kHeat.length - 1);
  const low = Math.min(Math.floor(place), kHeat.length - 2), part = place - low;
  return `rgb(${kHeat[low].map((c, i) => Math.round(c + part * (kHeat[low + 1][i] - c))).join(',')})`;
}

/** Words per cycle of each shared-memory bank, or null: {edges, banks, rates: [bank][window]}. */
function bankRates(run) {
  const timeline = run.document.timeline;
  if (!timeline) return null;
  const sums = new Map();
  for (const [path, values] of Object.entries(timeline.counters)) {
    const match = path.match(/^(.*\.?shared_memory\.bank_\d+)_words_/);
    if (!match) continue;
    const name = label(run, match[1]).replace('shared memory.', '').replace(/shared memory /, '');
    const before = sums.get(name);
    sums.set(name, before ? before.map((value, i) => value + values[i]) : values);
  }
  if (sums.size === 0) return null;
  const most = 100, group = Math.ceil((timeline.edges.length - 1) / most);
  const edges = timeline.edges.filter((edge, i) => i % group === 0 || i === timeline.edges.length - 1);
  const banks = [...sums.keys()];
  const rates = banks.map((bank) => edges.slice(1).map((edge, i) =>
    sums.get(bank).slice(i * group, (i + 1) * group).reduce((sum, value) => sum + value, 0) / (edge - edges[i])));
  return {edges, banks, rates};
}

function bankHeatMap(run) {
  const banks = bankRates(run);
  if (!banks) return null;
  const peak = (run.document.machine || {}).bank_words_per_cycle || Math.max(...banks.rates.flat());
  return {
    type: 'bar', plugins: [phases(run)],
    data: {labels: banks.banks, datasets: banks.edges.slice(1).map((edge, i) => ({
      data: banks.banks.map(() => edge - banks.edges[i]), barPercentage: 1, categoryPercentage: 0.94, borderWidth: 0,
      backgroundColor: banks.rates.map((rates) => heat(rates[i] / peak))}))},
    options: {indexAxis: 'y',
      scales: {x: {...timeAxis(banks.edges, 'cycle of the run'), stacked: true}, y: namesAxis({stacked: true})},
      plugins: {legend: {display: false}, tooltip: {callbacks: {
        title: (items) => items[0].label,
        label: (item) => ` cycles ${whole(banks.edges[item.datasetIndex])} to ${whole(banks.edges[item.datasetIndex + 1])}: ` +
          `${number(banks.rates[item.dataIndex][item.datasetIndex])} words/cycle of ${peak}`}}}},
  };
}

const kTraffic = [[/^l2(_\d+)?\.bytes_read$/, 'L2, read', '#1f77c9'], [/^l2(_\d+)?\.bytes_written$/, 'L2, written', '#86c1f0'],
    [/^main_memory\.bytes_read$/, 'DRAM, read', '#e07b1f'], [/^main_memory\.bytes_written$/, 'DRAM, written', '#b3362b']];
/** [name, colour, bytes per cycle by window] of each of them that is there; slices together. */
function trafficLines(run) {
  const timeline = run.document.timeline || {edges: [0, 1], counters: {}}, keys = Object.keys(timeline.counters);
  return kTraffic.map(([pattern, name, color]) => [name, color, keys.filter((key) => pattern.test(key))]).filter(([, , of]) => of.length)
    .map(([name, color, of]) => [name, color, timeline.edges.slice(1).map((edge, i) =>
      of.reduce((bytes, key) => bytes + timeline.counters[key][i], 0) / (edge - timeline.edges[i]))]);
}

function trafficChart(run) {
  const timeline = run.document.timeline;
  if (!timeline) return null;
  const lines = trafficLines(run);
  if (lines.length === 0) return null;
  const most = Math.max(...runs.flatMap((other) => trafficLines(other).flatMap(([, , rates]) => rates)));
  return {
    type: 'line', plugins: [phases(run)],
    data: {datasets: lines.map(([name, color, rates]) => ({label: name, stepped: 'before', pointRadius: 0, borderWidth: 1.5,
      borderColor: color, backgroundColor: color,
      data: steps(timeline.edges, rates)}))},
    options: {interaction: {mode: 'index', intersect: false},
      scales: {x: timeAxis(timeline.edges, 'cycle of the run'), y: axis('bytes per cycle', {beginAtZero: true, suggestedMax: most})},
      plugins: {legend: legendBelow, tooltip: {callbacks: {title: (items) => span(items, timeline.edges),
        label: (item) => ` ${item.dataset.label}: ${number(item.raw.y)} B/cycle`}}}},
  };
}
