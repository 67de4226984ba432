// SPDX-License-Identifier: Apache-2.0
// Accuracy of products, or attention, in several number formats against energy and time.
'use strict';

/** Of points {x, y, run} those that no other is at least as good as in both, by x. */
function paretoFront(list) {
  const sorted = [...list].sort((a, b) => a.x - b.x || a.y - b.y);
  let best = Infinity;
  return sorted.filter((one) => one.y < best && (best = one.y) === one.y);
}

function accuracy(results) {
  const errors = ['rms_error', 'max_error'].filter((name) => runs.every((run) => typeof run.document[name] === 'number'));
  if (runs.length < 3 || !errors.length) return;
  const costs = results.filter((one) => ['pJ', 'cycles', 'uJ'].includes(one.unit) && runs.every((run) => typeof one.get(run) === 'number' && one.get(run) > 0) && differs(runs.map(one.get)));
  if (!costs.length) return;
  const first = costs.find((one) => one.unit === 'pJ') ?? costs[0], titles = costs.map((one) => `${one.title}, ${one.unit}`);
  const stored = ({a_format: a, b_format: b}) => (a ? `, A ${a}` : '') + (b ? `, B ${b}` : '');
  const called = ({document: d}) => `${d.design} ${d.format ?? d.element ?? ''}${stored(d)} ${d.size}`;
  section('pareto', 'Accuracy against energy and time', chooser('A point is a run; orange ones are the front: no other run is as good in both. Down and to the left is better.',
    [['x', 'x', titles, titles[costs.indexOf(first)]], ['y', 'y', errors, errors[0]]],
    (chosen) => {
      const cost = costs[titles.indexOf(chosen.x)];
      const points = runs.map((run) => ({x: cost.get(run), y: run.document[chosen.y], run})), front = paretoFront(points);
      const set = (label, data, color, more) => ({label, data, backgroundColor: color, pointRadius: 5, showLine: false, ...more});
      const chart = {type: 'scatter', data: {datasets: [
        set('front', front, seriesColor(1), {showLine: true, stepped: 'before', borderColor: seriesColor(1), borderWidth: 1.5}),
        set('others', points.filter((one) => !front.includes(one)), seriesColor(0))]},
      options: {scales: {x: axis(chosen.x), y: axis(words(chosen.y), {type: 'logarithmic'})}, plugins: {legend: legendBelow,
        tooltip: {callbacks: {label: (item) => [called(item.raw.run), `${chosen.x}: ${number(item.raw.x)}`, `${words(chosen.y)}: ${number(item.raw.y)}`]}}}}};
      return [canvasFor(() => chart, 420, `${chosen.y} against ${chosen.x}`)];
    }));
}
