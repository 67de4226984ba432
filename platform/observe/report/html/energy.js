// SPDX-License-Identifier: Apache-2.0
// Energy and power, from energy.json (schema spica-energy-1) when a run has one.
'use strict';

const energyOf = (run) => run.energy && run.energy.window ? run.energy : null;
const nominal = (interval) => typeof interval === 'number' ? interval : (interval || {}).nominal || 0;

const kEnergyUnits = ['matrix_unit', 'cores', 'shared_memory', 'tensor_cores', 'l2', 'dma', 'bus', 'peripheral_bus', 'barrier'];
/** Every unit has one colour in all charts and runs. */
function unitColor(name) {
  const place = kEnergyUnits.indexOf(name);
  return seriesColor(place < 0 ? kEnergyUnits.length : place);
}

/** Nodes of the tree of blocks, those that differ in their number only added up: [{name, active_uj, children}]. */
function addedUp(nodes) {
  const groups = new Map();
  for (const node of nodes) {
    const plain = node.name.replace(/_\d+$/, '');
    const name = plain === 'core' || plain === 'tensor_core' ? plain + 's' : plain;
    const group = groups.get(name) || {name, active_uj: {low: 0, nominal: 0, high: 0}, parts: []};
    for (const key of Object.keys(group.active_uj)) group.active_uj[key] += (node.active_uj || {})[key] || 0;
    group.parts.push(...(node.children || []));
    groups.set(name, group);
  }
  return [...groups.values()].map(({parts, ...group}) => ({...group, children: parts.length ? addedUp(parts) : []}));
}

/** Units of the machine with their energy, largest first. */
function energyUnits(energy) {
  const named = (node, name) => ((node || {}).children || []).find((child) => child.name === name);
  const soc = named(energy.blocks, 'soc') || energy.blocks;
  const flat = (node) => (node.children || []).flatMap((child) => /^cluster/.test(child.name) ? flat(child) : [child]);
  return addedUp(flat(soc || {})).filter((node) => nominal(node.active_uj) > 0)
    .sort((a, b) => nominal(b.active_uj) - nominal(a.active_uj));
}

function energyBars(run) {
  const energy = energyOf(run);
  if (!energy) return null;
  const units = energyUnits(energy);
  const most = Math.max(...runs.filter(energyOf).flatMap((other) => energyUnits(other.energy).map((unit) => unit.active_uj.high)));
  return {
    type: 'bar',
    data: {labels: units.map((unit) => words(unit.name)), datasets: [
      {label: 'lowest to highest with the ranges of the table', grouped: false, barThickness: 3, order: 0,
        backgroundColor: shade('text'), data: units.map((unit) => [unit.active_uj.low, unit.active_uj.high])},
      {label: 'nominal', grouped: false, maxBarThickness: 26, order: 1, backgroundColor: units.map((unit) => unitColor(unit.name)),
        data: units.map((unit) => nominal(unit.active_uj))}]},
    options: {indexAxis: 'y', scales: {x: axis('active energy, uJ', {beginAtZero: true, suggestedMax: most}), y: namesAxis()},
      plugins: {legend: legendBelow, tooltip: {callbacks: {label: (item) => Array.isArray(item.raw) ?
        ` ${number(item.raw[0])} to ${number(item.raw[1])} uJ` : ` ${number(item.raw)} uJ`}}}},
  };
}

function energyParts(run) {
  const energy = energyOf(run);
  if (!energy) return null;
  const total = nominal(energy.window.active_uj) || 1;
  const rows = [];
  for (const unit of energyUnits(energy))
    for (const part of unit.children || [])
      if (nominal(part.active_uj) / total >= 0.005) rows.push({name: `${words(unit.name)}: ${words(part.name)}`, part, unit});
  if (rows.length === 0) return null;
  return {names: rows.map((row) => row.name), config: {
    type: 'bar',
    data: {labels: rows.map((row) => row.name), datasets: [{data: rows.map((row) => 100 * nominal(row.part.active_uj) / total),
      backgroundColor: rows.map((row) => unitColor(row.unit.name)), maxBarThickness: 20}]},
    options: {indexAxis: 'y', scales: {x: axis('% of active energy', {beginAtZero: true}), y: namesAxis()}, plugins: {legend: {display: false},
      tooltip: {callbacks: {label: (item) => ` ${percent(item.raw / 100)}, ${number(nominal(rows[item.dataIndex].part.active_uj))} uJ`}}}},
  }};
}

/** In mW. */
const powerOf = (step, unit) => 1e-3 * (step.units_uj[unit] || 0) / step.seconds;
function powerOverTime(run) {
  const energy = energyOf(run);
  const spans = energy && energy.over_time;
  if (!spans || spans.length === 0) return null;
  const edges = [spans[0].begin, ...spans.map((step) => step.end)];
  const sums = {};
  for (const step of spans)
    for (const [unit, value] of Object.entries(step.units_uj)) sums[unit] = (sums[unit] || 0) + value;
  const units = Object.keys(sums).filter((unit) => sums[unit] > 0).sort((a, b) => sums[b] - sums[a]);
  const series = {};
  for (const unit of units) series[unit] = spans.map((step) => powerOf(step, unit));
  const config = stackedOverTime(run, edges, series, 'mW', undefined, unitColor, 'cycle of the run');
  config.options.scales.y.suggestedMax = Math.max(...runs.filter(energyOf).flatMap((other) => (other.energy.over_time || []).map(
    (step) => Object.keys(step.units_uj).reduce((sum, unit) => sum + powerOf(step, unit), 0))));
  config.options.plugins.legend = legendBelow;
  return config;
}

function hotLines(run) {
  const energy = energyOf(run);
  if (!energy || !(energy.lines || []).length) return null;
  const total = nominal(energy.window.active_uj) || 1;
  const cycles = energy.lines.reduce((sum, line) => sum + line.cycles, 0) || 1;
  const first = (by) => [...energy.lines].sort((a, b) => by(b) - by(a)).slice(0, 15);
  const joules = (line) => nominal(line.active_uj);
  const lines = [...new Set([...first(joules), ...first((line) => line.cycles)])]
    .sort((a, b) => joules(b) - joules(a) || b.cycles - a.cycles);
  return table(['line', 'function', 'source', '#cycles', '#share of cycles', '#energy, uJ', '#share of energy', 'most waits for'],
    lines.map((line) => {
      const [stall] = Object.entries(line.stalls || {}).sort((a, b) => b[1] - a[1]);
      return [line.file ? `${line.file.replace(/^.*\/(?=[^/]*\/[^/]*$)/, '')}:${line.line}` : '?', line.function || '',
        {code: (line.text || '').trim()}, whole(line.cycles), percent(line.cycles / cycles), number(nominal(line.active_uj)),
        percent(nominal(line.active_uj) / total), stall ? words(stall[0]) : ''];
    }));
}

/** What the ratio of this run's energy to another's depends on: bars from the ratio to where it goes when one entry of
 * the energy table is at either end of its range. */
function tornado(run, kind) {
  const found = (run.sensitivity || {})[kind];
  if (!found || found.rows.length === 0) return null;
  const rows = found.rows.slice(0, 15);
  const range = (row) => (row.high === null ? `${row.entries} entries together` :
    `${number(row.low)} ... ${number(row.nominal)} ... ${number(row.high)} ${row.unit}`) +
    (row.range === 'table' ? '' : `, moved ${row.range} either way`);
  const bar = (label, key, color) => ({label, grouped: false, maxBarThickness: 18, backgroundColor: color,
    data: rows.map((row) => [found.ratio, row[key]])});
  return {
    type: 'bar',
    data: {labels: rows.map((row) => row.coefficient + (row.doubtful ? ' (?)' : '')), datasets: [
      bar('entry at its low end', 'ratio_at_low', seriesColor(0)), bar('entry at its high end', 'ratio_at_high', seriesColor(1))]},
    options: {indexAxis: 'y', scales: {x: axis(`${words(kind)}: ${run.name} divided by ${run.sensitivity.base}; ${number(found.ratio)} with all entries nominal`, {beginAtZero: false}),
      y: namesAxis()},
      plugins: {legend: legendBelow, tooltip: {callbacks: {label: (item) =>
        ` ${item.dataset.label}: ${number(item.raw[1])} instead of ${number(item.raw[0])}`, afterLabel: (item) => range(rows[item.dataIndex])}}}},
  };
}
