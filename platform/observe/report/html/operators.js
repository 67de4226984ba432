// SPDX-License-Identifier: Apache-2.0
// The operators of a neural network (spica network): cycles, energy, roofline, time, layers, nodes.
'use strict';

const operatorsOf = (run) => run.document.operators || [];
/** Types of operators in all runs, the one with most cycles first; its place is its colour. */
function operatorTypes() {
  const sums = {};
  for (const run of runs)
    for (const one of operatorsOf(run)) sums[one.type] = (sums[one.type] || 0) + one.cycles;
  return Object.keys(sums).sort((a, b) => sums[b] - sums[a]);
}
const tiny = (value) => value === 0 ? '0' : value.toExponential(1);
const dramOf = (one) => (one.bytes || {}).dram;
const operatorLine = (one) => ` ${one.name}: ${one.type} ${one.extents}, ${whole(one.cycles)} cycles (${percent(one.share)})` +
  `${one.energy_uj ? `, ${number(one.energy_uj.total)} uJ` : ''}${one.limiter ? ', limited by ' + one.limiter : ''}`;

/** A bar for each operator, in order; `parts` are {label, color, data}. */
function operatorBars(run, parts, unit, text) {
  const operators = operatorsOf(run);
  return {
    type: 'bar',
    data: {labels: operators.map((one) => one.name),
      datasets: parts.map((part) => ({label: words(part.label), backgroundColor: part.color, data: part.data, barPercentage: 1, categoryPercentage: 0.9}))},
    options: {
      scales: {x: {stacked: true, grid: {display: false}, ticks: {maxRotation: 60, autoSkip: true, callback(value) {
        const name = this.getLabelForValue(value);
        return name.length > 22 ? '…' + name.slice(-21) : name;
      }}}, y: axis(unit, {stacked: true, min: 0, ticks: {callback: short}})},
      plugins: {legend: legendBelow, tooltip: {filter: (item) => item.raw > 0, callbacks: {title: () => '', label: (item) => text(operators[item.dataIndex], item)}}},
    },
  };
}

function operatorCycles(run) {
  const operators = operatorsOf(run);
  if (!operators.length) return null;
  const parts = operatorTypes().map((type, i) => ({label: type, color: seriesColor(i),
    data: operators.map((one) => one.type === type ? one.cycles : 0)})).filter((part) => part.data.some((value) => value > 0));
  return operatorBars(run, parts, run.document.mode === 'fast' ? 'estimated cycles' : 'cycles', operatorLine);
}

function operatorEnergy(run) {
  const operators = operatorsOf(run);
  if (!operators.some((one) => one.energy_uj)) return null;
  const of = (one, unit) => unit === 'idle' ? one.energy_uj.idle : unit === 'DRAM' ? one.energy_uj.dram : one.energy_uj.units[unit] || 0;
  const units = [...new Set(operators.flatMap((one) => one.energy_uj ? Object.keys(one.energy_uj.units) : []))];
  const parts = [...units, 'DRAM', 'idle'].map((unit, i) => ({label: unit, color: unit === 'idle' ? shade('idle') : seriesColor(i),
    data: operators.map((one) => one.energy_uj ? of(one, unit) : 0)})).filter((part) => part.data.some((value) => value > 0));
  return operatorBars(run, parts, 'energy, uJ', (one, item) => ` ${one.name}: ${item.dataset.label} ${number(item.raw)} of ${number(one.energy_uj.total)} uJ`);
}

/** A point for each product and convolution under the limits of the machine. */
function operatorRoofline(run) {
  const machine = run.document.machine, points = operatorsOf(run).filter((one) => one.multiply_adds > 0 && dramOf(one) > 0 && one.cycles > 0)
    .map((one) => ({x: one.multiply_adds / dramOf(one), y: one.multiply_adds / one.cycles, one}));
  if (!machine || !points.length) return null;
  const units = machine.units.filter((unit) => unit.macs > 0 || machine.units.length === 1);
  const peak = units.reduce((sum, unit) => sum + unit.macs_per_cycle, 0), slope = machine.dram_bytes_per_cycle;
  const xs = [...points.map((point) => point.x), ...(peak ? [peak / slope] : [])];
  const min = 10 ** Math.floor(Math.log10(Math.min(...xs) / 2)), max = 10 ** Math.ceil(Math.log10(Math.max(...xs) * 2));
  const line = (label, color, data) => ({label, showLine: true, pointRadius: 0, borderWidth: 2, borderColor: color, backgroundColor: color, data});
  const end = peak ? peak / slope : max;
  const types = operatorTypes();
  return {
    type: 'scatter',
    data: {datasets: [
      ...types.map((type, i) => ({label: words(type), pointRadius: 5, backgroundColor: seriesColor(i), borderColor: shade('text'),
        data: points.filter((point) => point.one.type === type)})).filter((set) => set.data.length),
      line(`DRAM limit, ${number(slope)} B/cycle`, '#e07b1f', [{x: min, y: min * slope}, {x: end, y: end * slope}]),
      ...(peak ? [line(`peak of ${units.map((unit) => label(run, unit.name)).join(' + ')}, ${number(peak)} MAC/cycle`, shade('text'), [{x: end, y: peak}, {x: max, y: peak}])] : [])]},
    options: {
      scales: {x: axis('multiply-adds per byte of DRAM traffic', {type: 'logarithmic', min, max, ticks: {callback: decades}}),
        y: axis('multiply-adds per cycle', {type: 'logarithmic', ticks: {callback: decades}})},
      plugins: {legend: legendBelow, tooltip: {callbacks: {label: (item) => item.raw.one ?
        `${operatorLine(item.raw.one)}, ${number(item.raw.x)} MAC/B, ${number(item.raw.y)} MAC/cycle` : ' ' + item.dataset.label}}},
    },
  };
}

/** When each operator ran: a row for each type. */
function operatorTimeline(run) {
  const ran = operatorsOf(run).filter((one) => one.end !== undefined);
  if (!ran.length) return null;
  const types = operatorTypes().filter((type) => ran.some((one) => one.type === type));
  return {
    type: 'bar',
    data: {labels: types.map(words), datasets: operatorTypes().map((type, i) => ({label: words(type), grouped: false, backgroundColor: seriesColor(i), minBarLength: 1,
      data: ran.filter((one) => one.type === type).map((one) => ({x: [one.begin, one.end], y: words(type), one}))})).filter((set) => set.data.length)},
    options: {indexAxis: 'y', scales: {x: axis('cycle', {min: 0, ticks: {callback: short}}), y: namesAxis()},
      plugins: {legend: {display: false}, tooltip: {callbacks: {title: () => '', label: (item) => `${operatorLine(item.raw.one)}, cycles ${whole(item.raw.one.begin)} to ${whole(item.raw.one.end)}`}}}},
  };
}

const sumLine = (name, sum) => [name, whole(sum.operators), whole(sum.cycles), percent(sum.share), sum.multiply_adds ? whole(sum.multiply_adds) : '',
  sum.dram_bytes === undefined ? '' : whole(sum.dram_bytes), sum.energy_uj === undefined ? '' : number(sum.energy_uj)];
const kSumColumns = ['#operators', '#cycles', '#share', '#multiply-adds', '#DRAM, bytes', '#energy, uJ'];
const totalLine = (run) => sumLine('total', {...run.document.totals, share: 1});
const typeTable = (run) => table(['type', ...kSumColumns], [...Object.entries(run.document.by_type).sort((a, b) => b[1].cycles - a[1].cycles)
  .map(([type, sum]) => sumLine(words(type), sum)), totalLine(run)]);
const layerTable = (run) => run.document.by_layer ? table(['layer', ...kSumColumns], [...run.document.by_layer
  .map((sum) => sumLine('\u2003'.repeat(sum.depth) + sum.name, sum)), totalLine(run)]) : null;

function operatorTable(run) {
  const line = (one) => [one.name, words(one.type), one.extents, one.kernel, one.state === 'reused' ? 'reused' : '', whole(one.cycles), percent(one.share),
    dramOf(one) === undefined ? '' : whole(dramOf(one)), one.energy_uj ? number(one.energy_uj.total) : '',
    one.difference ? tiny(one.difference.error) : '', one.difference ? tiny(one.difference.allowed) : '', one.limiter ?? ''];
  const {operators, totals} = run.document, rest = (all, of) => all === undefined ? undefined : all - operators.reduce((sum, one) => sum + of(one), 0);
  const between = rest(totals.cycles, (one) => one.cycles), dram = rest(totals.dram_bytes, (one) => dramOf(one) || 0);
  const energy = rest(totals.energy_uj, (one) => one.energy_uj ? one.energy_uj.total : 0);
  const last = (name, cycles, bytes, uj) => [name, '', '', '', '', whole(cycles), percent(cycles / totals.cycles), bytes === undefined ? '' : whole(bytes), uj === undefined ? '' : number(uj)];
  return table(['operator', 'type', 'extents', 'kernel', 'state', '#cycles', '#share', '#DRAM, bytes', '#energy, uJ', '#largest error', '#allowed', 'limited by'],
    [...operators.map(line), last('between operators', between, dram, energy), last('total', totals.cycles, totals.dram_bytes, totals.energy_uj)]);
}

/** Sections of runs of `spica network`; others have none. */
function operators() {
  if (!shown.some((run) => operatorsOf(run).length)) return;
  section('operators', 'Operators of the network', ...shown.filter((run) => run.document.blocks).map(({document: of, name}) => element('p', {class: 'limiter'},
    `${runs.length > 1 ? name + ': ' : ''}${of.blocks.count} equal blocks of ${of.blocks.length} operators. The first two were simulated; later ones take the cycles and energy of the second and are marked reused.`)));
  chartFigure('Cycles by operator', 'In the order of execution, coloured by type.', 320, operatorCycles);
  chartFigure('Energy by operator', 'In the same order, by the unit that takes it. Idle: leakage and clocks of all units while the operator ran.', 320, operatorEnergy);
  chartFigure('Roofline of products and convolutions', 'Each point is one of them. On the slope it is limited by DRAM, on the level line by the units; far below both by something else, which the table names.', 380, operatorRoofline);
  chartFigure('When operators ran', 'From the first launch of an operator to the end of its last one. Operators that were reused did not run.', (run) => 60 + 30 * operatorTypes().length, operatorTimeline);
  figure('By type', 'Sums over operators.', (run) => run.document.by_type ? typeTable(run) : null, place, false);
  figure('By layer', 'Groups of node names; a group contains its parts.', (run) => run.document.by_layer ? folded(`${run.document.by_layer.length} groups`, layerTable(run)) : null, place, false);
  figure('Operators', 'Errors are those of the element with the largest error relative to its bound. All rows add up to the total.', (run) => operatorsOf(run).length ? operatorTable(run) : null, place, false);
  figure('Nodes of the model', 'What became of each node of the file.', (run) => run.document.nodes ? folded(`${run.document.nodes.length} nodes`,
    table(['node', 'ONNX operator', 'becomes'], run.document.nodes.map((node) => [node.name, node.type, node.becomes]))) : null, place, false);
}
