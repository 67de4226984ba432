// SPDX-License-Identifier: Apache-2.0
// From one run to another: waterfalls of cycles and of energy.
'use strict';
const found = report.difference;

/** Bars from `before` over each change to `after`; changes below a thousandth of the whole are put together. */
function waterfall(title, unit, before, after, changes) {
  const large = changes.filter((one) => Math.abs(one.delta) >= 1e-3 * Math.max(before, after));
  const rest = after - before - large.reduce((sum, one) => sum + one.delta, 0);
  const rows = [...large.slice(0, 14)];
  const others = rest + large.slice(14).reduce((sum, one) => sum + one.delta, 0);
  if (Math.abs(others) > 1e-6 * Math.max(before, after)) rows.push({name: 'others', delta: others});
  let level = before;
  const bars = [[0, before], ...rows.map((one) => [level, level += one.delta]), [0, after]];
  const colors = [seriesColor(11), ...rows.map((one) => one.delta > 0 ? shade('bad') : shade('good')), seriesColor(0)];
  const labels = [report.before, ...rows.map((one) => words(one.name)), report.after];
  const texts = ['', ...rows.map((one) => one.waits_for ? 'waits for ' + one.waits_for : ''), ''];
  return element('figure', {}, element('figcaption', {}, element('h3', {}, title)), canvasFor(() => ({type: 'bar',
    data: {labels, datasets: [{data: bars, backgroundColor: colors, maxBarThickness: 34}]},
    options: {indexAxis: 'y', scales: {x: axis(unit, {beginAtZero: true}), y: namesAxis()},
      plugins: {legend: {display: false}, tooltip: {callbacks: {label: (item) => {
        const [from, to] = item.raw, inner = item.dataIndex > 0 && item.dataIndex < bars.length - 1;
        return [inner ? `${to > from ? '+' : ''}${number(to - from, 5)} ${unit}` : `${number(to, 6)} ${unit}`, texts[item.dataIndex]].filter(Boolean);
      }}}}}}), barsHeight(labels, 28, 52), title));
}

for (const sentence of report.sentences) main.append(element('p', {class: 'limiter'}, sentence));
main.append(element('h2', {}, 'Cycles'));
const pairs = element('div', {class: 'pair'});
for (const account of found.accounts.filter((one) => one.busy > 0.01))
  pairs.append(waterfall(`${account.name}, mean of the blocks`, 'cycles', found.cycles.before, found.cycles.after, account.reasons));
main.append(pairs);
if (found.energy_uj.before && found.energy_uj.after)
  main.append(element('h2', {}, 'Total energy: active, leakage, clock, DRAM'), element('div', {class: 'pair'},
    waterfall('by part', 'uJ', found.energy_uj.before, found.energy_uj.after, found.energy_parts_uj),
    waterfall('by unit', 'uJ', found.energy_uj.before, found.energy_uj.after, found.units_uj)));
if (found.functions.length) {
  const row = (one) => element('tr', {}, element('td', {class: 'code'}, one.name), ...[one.before, one.after, one.delta].map((value) =>
    element('td', {class: 'number'}, whole(value))));
  main.append(element('h2', {}, 'Cycles of issue slots by function'), element('div', {class: 'scroll'}, element('table', {},
    element('tr', {}, ...['function', report.before, report.after, 'change'].map((text) => element('th', {class: 'number'}, text))),
    ...found.functions.slice(0, 30).map(row))));
}
start();
