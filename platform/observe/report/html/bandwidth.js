// SPDX-License-Identifier: Apache-2.0
// The bandwidth that layers ask of each level of a memory, beside what there is.
'use strict';
const kLevels = {l1: ['Level 1 cache and shared memory', 'GB/s of one multiprocessor'], l2: ['Level 2 cache', 'GB/s'], dram: ['Main memory', 'GB/s']};
const once = (list) => [...new Set(list)];
const machineOf = (row) => `${row.machine}, ${row.unit}`;
const layerOf = (row) => row.layer;
/** Those of which a part was simulated. */
const measuredMachines = (rows) => once(rows.filter((row) => row.measured_gb_per_s != null).map(machineOf));

/** Bars of what layers ask for by machine, and a dashed line at what each machine has. */
function requiredBars(rows, unit) {
  const layers = once(rows.map(layerOf)), machines = once(rows.map(machineOf));
  const find = (layer, machine) => rows.find((row) => layerOf(row) === layer && machineOf(row) === machine);
  const limits = once(rows.map((row) => row.machine)).map((machine) => rows.find((row) => row.machine === machine));
  return {
    type: 'bar',
    data: {labels: layers, datasets: [
      ...machines.map((machine, i) => ({type: 'bar', label: machine, backgroundColor: seriesColor(i), maxBarThickness: 12, order: 1,
        data: layers.map((layer) => find(layer, machine)?.required_gb_per_s ?? null)})),
      ...measuredMachines(rows).map((machine) => ({type: 'bar', label: `${machine}, measured`, machine, backgroundColor: seriesColor(machines.indexOf(machine)) + '33', borderWidth: 2,
        borderColor: seriesColor(machines.indexOf(machine)), maxBarThickness: 12, order: 1,
        data: layers.map((layer) => find(layer, machine)?.measured_gb_per_s ?? null)})),
      ...limits.map((row) => ({type: 'line', label: `${row.machine} has ${number(row.limit_gb_per_s)}`, borderDash: [6, 4], borderWidth: 2,
        borderColor: seriesColor(machines.indexOf(machineOf(row))), backgroundColor: seriesColor(machines.indexOf(machineOf(row))), pointRadius: 0, order: 0,
        data: layers.map(() => row.limit_gb_per_s)})),
    ]},
    options: {indexAxis: 'y',
      scales: {x: {title: {display: true, text: unit}, min: 0, ticks: {callback: short, maxTicksLimit: 7}}, y: namesAxis()},
      plugins: {legend: {display: false, below: true}, tooltip: {callbacks: {
        label: (item) => ` ${item.dataset.label}: ${number(item.raw, 4)}`,
        afterLabel: (item) => {
          const row = find(layers[item.dataIndex], item.dataset.machine ?? machines[item.datasetIndex]);
          if (row && item.dataset.machine) return `of a part, ${row.measured_part}: ${number(row.measured_part_bytes / row.formula_part_bytes, 3)} of the formula`;
          return row ? `${number(row.ratio)} of what there is; tile ${row.tile}, limited by ${words(row.limited_by)}` : '';
        }}}}},
  };
}

for (const [level, [title, unit]] of Object.entries(kLevels)) {
  const rows = report.rows.filter((row) => row.level === level), machines = once(rows.map(machineOf)).length;
  if (rows.length === 0) continue;
  section(level, title, element('figure', {}, element('figcaption', {}, element('p', {},
    'What the products ask for when nothing but the arithmetic takes time. Dashed: what the machine has; a bar beyond its line waits for this level.' +
    (measuredMachines(rows).length ? ' Frames: what a simulated part of the layer makes of it.' : ''))),
    canvasFor(() => requiredBars(rows, unit), barsHeight(once(rows.map(layerOf)), 6 + 12 * (machines + measuredMachines(rows).length), 60), title)));
}
section('provenance', 'Where this comes from', element('p', {class: 'none'},
  `${measuredMachines(report.rows).length ? 'Formulas; frames: a part of each layer, simulated' : 'Formulas, nothing simulated'}; ${report.version}. The numbers are those of results.csv.`));
start();
