// SPDX-License-Identifier: Apache-2.0
// Ports, slices and channels: what passes them, and the traffic of each pair.
'use strict';

const kSvg = Object.assign(document.createElement('div'), {innerHTML: '<svg></svg>'}).firstChild.namespaceURI;
function shape(tag, attributes, text) {
  const node = document.createElementNS(kSvg, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}
/** Cells {row, column, ratio, text} with a colour each; names of rows at the left, of every `step` columns below. */
function heatMap({rows, columns, cells, title, across}) {
  const left = 10 + 6.6 * Math.max(...rows.map((name) => name.length)), width = 900, cell = (width - left) / columns.length;
  const high = Math.max(6, Math.min(22, cell, 900 / rows.length)), step = Math.ceil(columns.length / 16);
  const rowStep = Math.ceil(13 / high), bottom = rows.length * high;
  const svg = shape('svg', {viewBox: `0 0 ${width} ${bottom + 34}`, class: 'heat', role: 'img', 'aria-label': title});
  rows.forEach((name, i) => {
    if (i % rowStep === 0) svg.append(shape('text', {x: left - 6, y: (i + 0.5) * high + 4, 'text-anchor': 'end'}, name));
  });
  columns.forEach((name, i) => {
    if (i % step === 0) svg.append(shape('text', {x: left + (i + 0.5) * cell, y: bottom + 14, 'text-anchor': 'middle'}, name));
  });
  svg.append(shape('text', {x: (left + width) / 2, y: bottom + 30, 'text-anchor': 'middle'}, across));
  for (const {row, column, ratio, text} of cells) {
    const box = shape('rect', {x: left + column * cell, y: row * high, width: cell + 0.2, height: high + 0.2, fill: heat(ratio)});
    box.append(shape('title', {}, text));
    svg.append(box);
  }
  return svg;
}
const heatScale = (text) => element('div', {class: 'scale'}, '0',
  element('b', {style: `background:linear-gradient(90deg,${[0, 0.25, 0.5, 0.75, 1].map(heat).join(',')})`}), text);
const sum = (list) => list.reduce((total, value) => total + value, 0);

/** Accounts of channels: [{name, reasons: {reason: [cycles of each channel]}, passing: [share]}]. */
function channelSets(run) {
  const sets = [];
  for (const [name, node] of blocksOf(run))
    for (const [key, account] of Object.entries(node)) {
      if (!account || !account.reasons || key === 'activity' || Object.keys(account.reasons)[1] !== 'moving') continue;
      const reasons = Object.fromEntries(Object.entries(reasonsOf(account)).map(([reason, cycles]) => [reason, [cycles].flat()]));
      const [, moving, busy] = Object.values(reasons), each = sum(Object.values(reasons).map((cycles) => cycles[0]));
      if (each > 0 && sum(moving) + sum(busy) > 0)
        sets.push({name: `${label(run, name)}: ${words(key)}`, reasons, passing: moving.map((cycles, i) => (cycles + busy[i]) / each)});
    }
  return sets;
}
const channelRows = (run) => channelSets(run).map(({name, reasons}) =>
  ({name, parts: Object.fromEntries(Object.entries(reasons).map(([reason, cycles]) => [reason, sum(cycles)]))}));
/** How much each port, slice and channel carried. */
function eachChannel(run) {
  const sets = channelSets(run).filter(({passing}) => passing.length > 1);
  if (sets.length === 0) return null;
  const most = Math.max(...sets.map(({passing}) => passing.length));
  return element('div', {}, heatMap({rows: sets.map(({name}) => name), columns: Array.from({length: most}, (_, i) => String(i)),
    cells: sets.flatMap(({name, passing}, row) => passing.map((ratio, column) => ({row, column, ratio, text: `${name} ${column}: ${percent(ratio)}`}))),
    title: 'share of cycles in which each port, slice and channel carried something', across: 'number of the port, slice or channel'}),
  heatScale('all cycles'));
}

/** Bytes of each pair, of the block that counts them. */
function trafficMap(run) {
  const tables = Object.values(run.document.traffic || {});
  if (tables.length === 0) return null;
  return element('div', {}, ...tables.map(({row, column, unit, values}) => {
    const most = Math.max(1, ...values.flat());
    const names = values.map((_, i) => i + 1 === values.length ? 'other' : String(i));
    return element('div', {}, heatMap({rows: names, columns: values[0].map((_, i) => String(i)), title: `${unit} by ${row} and ${column}`, across: `${row} (rows), ${column} (columns)`,
      cells: values.flatMap((line, i) => line.map((value, j) => ({row: i, column: j, ratio: value / most, text: `${row} ${names[i]}, ${column} ${j}: ${whole(value)} ${unit}`})))}),
    heatScale(`${short(most)} ${unit}`));
  }));
}

/** Bytes per cycle of each slice of the level 2 cache over time. */
function slicesOverTime(run) {
  const timeline = run.document.timeline || {edges: [], counters: {}};
  const slices = new Map();
  for (const [path, values] of Object.entries(timeline.counters)) {
    const match = path.match(/^(l2_\d+)\.bytes_/);
    if (match) slices.set(match[1], values.map((value, i) => value + ((slices.get(match[1]) || [])[i] || 0)));
  }
  if (slices.size < 2) return null;
  const names = [...slices.keys()], group = Math.ceil((timeline.edges.length - 1) / 100);
  const edges = timeline.edges.filter((edge, i) => i % group === 0 || i === timeline.edges.length - 1);
  const rates = names.map((name) => edges.slice(1).map((edge, i) => sum(slices.get(name).slice(i * group, (i + 1) * group)) / (edge - edges[i])));
  const most = Math.max(...rates.flat());
  return element('div', {}, heatMap({rows: names, columns: edges.slice(1).map((_, i) => short(edges[i])), title: 'bytes per cycle of each slice over time', across: 'cycle of the run',
    cells: rates.flatMap((line, row) => line.map((rate, column) => ({row, column, ratio: rate / most,
      text: `${names[row]}, cycles ${whole(edges[column])} to ${whole(edges[column + 1])}: ${number(rate)} B/cycle`})))}),
  heatScale(`${number(most)} bytes per cycle`));
}

/** Share of what ports, slices and memory can carry, by window. */
function carriedOverTime(run) {
  const timeline = run.document.timeline || {edges: [], counters: {}}, network = block(run, 'network');
  if (!network) return null;
  const members = (name) => [network[name].reasons.moving].flat().length;
  const ports = members('port_requests'), slices = members('slice_requests');
  const dram = ['main_memory.bytes_read', 'main_memory.bytes_written'];
  const lines = [['ports, requests', ['network.request_packets'], ports], ['slices, requests', ['network.request_packets'], slices],
    ['slices, responses', ['network.response_packets'], slices], ['ports, responses', ['network.response_packets'], ports],
    ['main memory', dram, (run.document.machine || {}).dram_bytes_per_cycle]].filter(([, keys]) => keys.some((key) => timeline.counters[key]));
  if (lines.length === 0) return null;
  const share = (keys, peak) => timeline.edges.slice(1).map((edge, i) =>
    100 * sum(keys.map((key) => (timeline.counters[key] || [])[i] || 0)) / peak / (edge - timeline.edges[i]));
  return {
    type: 'line', plugins: [phases(run)],
    data: {datasets: lines.map(([name, keys, peak], i) => ({label: name, stepped: 'before', pointRadius: 0, borderWidth: 1.5,
      borderColor: seriesColor(i), backgroundColor: seriesColor(i), data: steps(timeline.edges, share(keys, peak))}))},
    options: {interaction: {mode: 'index', intersect: false},
      scales: {x: timeAxis(timeline.edges, 'cycle of the run'), y: axis('% of what they can carry', {min: 0, suggestedMax: 100})},
      plugins: {legend: legendBelow, tooltip: {callbacks: {title: (items) => span(items, timeline.edges),
        label: (item) => ` ${item.dataset.label}: ${number(item.raw.y)} %`}}}},
  };
}
