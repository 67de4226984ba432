// SPDX-License-Identifier: Apache-2.0
// The results of a sweep: what is in them, and the sections of their page.
'use strict';
const axes = report.axes;        // {name, labels, words}: words of the command line by label
const columns = report.columns;  // names of results
/** One point: a label's index for each axis, its state and reason, results by column. */
const points = report.points.map((row) => ({index: row[0], axes: row[1], state: report.states[row[2]], reason: report.reasons[row[3]] ?? '',
  values: row[4]}));
const good = points.filter((point) => point.state === 'ok');
const column = (name) => columns.indexOf(name);
const valueAt = (point, name) => {
  const value = point.values[column(name)];
  return point.state === 'ok' && typeof value === 'number' ? value : null;
};
const numeric = columns.filter((name) => good.some((point) => valueAt(point, name) !== null));
const varied = axes.filter((axis) => axis.labels.length > 1);
const labelOf = (point, axis) => axis.labels[point.axes[axes.indexOf(axis)]];
const isNumber = (text) => text !== '' && Number.isFinite(Number(text));
const nameOf = (point) => varied.map((axis) => `${axis.name} ${labelOf(point, axis)}`).join(', ');
const quoted = (word) => /^[\w./=:,+@%-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
/** The command line of a point. */
const commandOf = (point) => ['spica', ...report.words, ...axes.flatMap((axis, i) => axis.words[point.axes[i]] ?? [])]
  .map(quoted).join(' ');
const figure = (value) => typeof value !== 'number' ? String(value ?? '') : Number.isInteger(value) ? whole(value) : number(value, 5);
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** A labelled choice; `change` is called with the value, also at once. */
function choice(text, options, chosen, change) {
  const select = element('select', {});
  for (const option of options) select.append(element('option', option === chosen ? {selected: 'selected'} : {}, option));
  select.addEventListener('change', () => change(select.value));
  return element('label', {}, text + ' ', select);
}

function section(id, title, ...children) {
  const main = document.getElementById('main');
  main.append(element('h2', {id}, title), ...children);
  document.getElementById('contents').append(element('a', {href: '#' + id}, title));
}

/** A figure whose body is made anew when a choice changes. `build(chosen)` returns nodes; it may add charts. */
function chooser(caption, choices, build) {
  const body = element('div', {}), chosen = {};
  const begin = charts.length;
  let own = [];
  const draw = () => {
    for (const entry of own) {
      if (entry.chart) entry.chart.destroy();
      charts.splice(charts.indexOf(entry), 1);
    }
    const before = charts.length;
    body.replaceChildren(...build(chosen));
    own = charts.slice(before);
    if (root.dataset.charts) drawAll();
  };
  const controls = choices.map(([key, text, options, first]) => {
    chosen[key] = first;
    return choice(text, options, first, (value) => { chosen[key] = value; draw(); });
  });
  draw();
  return element('figure', {}, element('figcaption', {}, element('p', {}, caption)), element('div', {class: 'choices'}, ...controls), body);
}

function summary() {
  const main = document.getElementById('main');
  main.append(element('p', {class: 'limiter'}, report.summary));
  if (points.length < report.all)
    main.append(element('p', {}, `The charts have ${whole(points.length)} of the ${whole(report.all)} points: the front, and others drawn at random; ` +
      `medians are of these. results.sqlite and spica sweep table have all.`));
  const rows = axes.map((axis) => element('tr', {}, element('td', {}, axis.name), element('td', {class: 'number'}, String(axis.labels.length)),
    element('td', {}, axis.labels.length > 12 ? `${axis.labels[0]} ... ${axis.labels.at(-1)}` : axis.labels.join(', '))));
  main.append(element('div', {class: 'scroll'}, element('table', {}, ...rows)));
}

/** Failures by reason, and where they are. */
function failures() {
  if (!report.failures.length) return;
  const rows = report.failures.map(({state, reason, count, example}) =>
    element('tr', {}, element('td', {class: 'bad'}, state), element('td', {class: 'number'}, whole(count)), element('td', {}, reason),
      element('td', {}, nameOf(points[example])), element('td', {class: 'code'}, commandOf(points[example]))));
  const head = element('tr', {}, ...['state', 'points', 'reason', 'for example', 'command'].map((text) => element('th', {}, text)));
  section('failures', 'Points without a result', element('div', {class: 'scroll'}, element('table', {}, head, ...rows)));
}

function provenance() {
  section('provenance', 'Where this comes from', element('p', {class: 'none'},
    `Sweep ${report.name}, ${report.version}, model ${report.model}. The numbers are those of results.csv in ${report.folder}.`),
    element('details', {}, element('summary', {}, 'sweep file'), element('pre', {}, report.text)));
}

summary();
if (good.length && numeric.length) {
  lines();
  heat();
  pareto();
  parallel();
  tornado();
}
failures();
provenance();
start();
