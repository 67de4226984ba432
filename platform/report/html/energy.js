// SPDX-License-Identifier: Apache-2.0
// Energy and power, from energy.json (schema spica-energy-1) when a run has one.
'use strict';

const energyOf = (run) => run.energy && run.energy.window ? run.energy : null;
const nominal = (interval) => typeof interval === 'number' ? interval : (interval || {}).nominal || 0;

/** Units of the machine with their energy, largest first: [{name, active: {low, nominal, high}, children}]. */
function energyUnits(energy) {
  const named = (node, name) => ((node || {}).children || []).find((child) => child.name === name);
  const soc = named(energy.blocks, 'soc') || energy.blocks;
  const flat = (node) => (node.children || []).flatMap((child) => /^cluster/.test(child.name) ? flat(child) : [child]);
  return flat(soc || {}).filter((node) => nominal(node.active_uj) > 0)
    .sort((a, b) => nominal(b.active_uj) - nominal(a.active_uj));
}

function energyBars(run) {
  const energy = energyOf(run);
  if (!energy) return null;
  const units = energyUnits(energy);
  return {
    type: 'bar',
    data: {labels: units.map((unit) => words(unit.name)), datasets: [
      {label: 'lowest to highest with the ranges of the table', grouped: false, barThickness: 3, order: 0,
        backgroundColor: shade('text'), data: units.map((unit) => [unit.active_uj.low, unit.active_uj.high])},
      {label: 'nominal', grouped: false, maxBarThickness: 26, order: 1, backgroundColor: '#1f77c9',
        data: units.map((unit) => nominal(unit.active_uj))}]},
    options: {indexAxis: 'y', scales: {x: axis('active energy, uJ', {beginAtZero: true}), y: {grid: {display: false}}},
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
  const units = [...new Set(rows.map((row) => row.unit.name))];
  return {rows: rows.length, config: {
    type: 'bar',
    data: {labels: rows.map((row) => row.name), datasets: [{data: rows.map((row) => 100 * nominal(row.part.active_uj) / total),
      backgroundColor: rows.map((row) => seriesColor(units.indexOf(row.unit.name))), maxBarThickness: 20}]},
    options: {indexAxis: 'y', scales: {x: axis('% of active energy', {beginAtZero: true}), y: {grid: {display: false},
      ticks: {autoSkip: false}}}, plugins: {legend: {display: false},
      tooltip: {callbacks: {label: (item) => ` ${percent(item.raw / 100)}, ${number(nominal(rows[item.dataIndex].part.active_uj))} uJ`}}}},
  }};
}

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
  for (const unit of units) series[unit] = spans.map((step) => 1e-3 * step.units_uj[unit] / step.seconds);
  const config = stackedOverTime(run, edges, series, 'mW', undefined, (name, i) => seriesColor(i), 'cycle of the run');
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
