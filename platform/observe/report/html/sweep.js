// SPDX-License-Identifier: Apache-2.0
// The results of a sweep: what is in them, and the sections of their page.
'use strict';
const space = new Space(report.axes, report.columns,
  // A point has a label's index for each axis, its state and reason, results by column. Axes have words of the command line, too, by label.
  report.points.map((row) => ({index: row[0], axes: row[1], state: report.states[row[2]], reason: report.reasons[row[3]] ?? '', values: row[4]})));
const {axes, columns, points, good, varied, numeric} = space;
const valueAt = (point, name) => space.value(point, name);
const labelOf = (point, axis) => space.label(point, axis);
const nameOf = (point) => point.name ?? varied.map((axis) => `${axis.name} ${labelOf(point, axis)}`).join(', ');
const quoted = (word) => /^[\w./=:,+@%-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
/** The command line of a point. */
const commandOf = (point) => point.total ? '' : ['spica', ...report.words, ...axes.flatMap((axis, i) => axis.words[point.axes[i]] ?? [])]
  .map(quoted).join(' ');

function summary() {
  main.append(element('p', {class: 'limiter lines'}, report.summary));
  if (points.length < report.all)
    main.append(element('p', {}, `The charts have ${whole(points.length)} of the ${whole(report.all)} points: ${report.front.length < report.front_size ? 'a part of the front' : 'the front'}, and others drawn at random; ` +
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
