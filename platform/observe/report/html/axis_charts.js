// SPDX-License-Identifier: Apache-2.0
// Results over what was varied: for the points of a sweep and for runs that differ in some of their keys.
'use strict';

const isNumber = (text) => text !== '' && Number.isFinite(Number(text));
const shownValue = (value) => typeof value !== 'number' ? String(value ?? '') : Number.isInteger(value) ? whole(value) : number(value, 5);
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/**
 * Points and what was varied between them. An axis is {name, labels}, with `numbers` where its labels stand for some, `unit`
 * and `title` where the name is not all. A point is {axes: [a label's index for each axis], state, values: [a result for each
 * of `columns`]}; its values count when its state is ok.
 */
class Space {
  constructor(axes, columns, points) {
    Object.assign(this, {axes, columns, points});
    for (const axis of axes)
      axis.numbers ??= axis.labels.every(isNumber) ? axis.labels.map(Number) : null;
    this.good = points.filter((point) => point.state === 'ok');
    this.varied = axes.filter((axis) => axis.labels.length > 1);
    // Ends of intervals are shown with what they are ends of.
    const isEnd = (name) => /_(low|high)$/.test(name) && columns.includes(name.replace(/_(low|high)$/, ''));
    this.numeric = columns.filter((name) => !isEnd(name) && this.good.some((point) => this.value(point, name) !== null));
  }
  value(point, name) {
    const value = point.values[this.columns.indexOf(name)];
    return point.state === 'ok' && typeof value === 'number' ? value : null;
  }
  axis(name) { return this.axes.find((axis) => axis.name === name); }
  indexOn(point, axis) { return point.axes[this.axes.indexOf(axis)]; }
  label(point, axis) { return axis.labels[this.indexOn(point, axis)]; }
  /** Points by the label of an axis, in the order of labels. */
  byLabel(list, axis) {
    const groups = axis.labels.map((label) => [label, []]);
    for (const point of list) groups[this.indexOn(point, axis)]?.[1].push(point);
    return groups.filter(([, group]) => group.length);
  }
}

/** A labelled choice; `change` is called with the value. */
function choice(text, options, chosen, change) {
  const select = element('select', {});
  for (const option of options) select.append(element('option', option === chosen ? {selected: 'selected'} : {}, option));
  select.addEventListener('change', () => change(select.value));
  return element('label', {}, text + ' ', select);
}

/**
 * A figure whose body is made anew when a choice changes. `build(chosen)` returns nodes; it may add charts. `idle(chosen)`
 * gives the keys of choices that mean nothing beside the others; they are hidden.
 */
function chooser(caption, choices, build, idle = () => []) {
  const body = element('div', {}), chosen = {};
  let own = [];
  const draw = () => {
    removeCharts(own);
    own = chartsOf(() => body.replaceChildren(...build(chosen)));
    if (root.dataset.charts) drawAll();
    const hidden = idle(chosen);
    controls.forEach((control, i) => { control.hidden = hidden.includes(choices[i][0]); });
  };
  const controls = choices.map(([key, text, options, first]) => {
    chosen[key] = first;
    return choice(text, options, first, (value) => { chosen[key] = value; draw(); });
  });
  draw();
  return element('figure', {}, element('figcaption', {}, element('p', {}, caption)), element('div', {class: 'choices'}, ...controls), body);
}

/**
 * Whether points at different places of a chart can be compared: those of one place must differ from those of another in
 * nothing but the place. `placeOf(point)` is the place, `restOf(point)` the labels of all axes that are not part of it.
 * Returns {kept, places, all}: the points whose rest is there at each place if that is half of all, else at each of as many
 * places as make most points; how many places and points there are.
 */
function matched(list, placeOf, restOf) {
  const places = new Map();
  for (const point of list) {
    const at = placeOf(point), rest = restOf(point);
    if (!places.has(at)) places.set(at, new Map());
    const group = places.get(at);
    if (!group.has(rest)) group.set(rest, []);
    group.get(rest).push(point);
  }
  const groups = [...places.values()].sort((a, b) => b.size - a.size);
  let common = null, best = {size: 0, rests: new Set(), places: 0};
  groups.forEach((group, i) => {
    common = common === null ? new Set(group.keys()) : new Set([...common].filter((rest) => group.has(rest)));
    if (common.size * (i + 1) >= (i + 1 < groups.length ? best.size : Math.min(best.size, list.length / 2))) best = {size: common.size * (i + 1), rests: common, places: i + 1};
  });
  const chosen = new Set(groups.slice(0, best.places));
  const inside = (group) => [...group].filter(([rest]) => best.rests.has(rest)).flatMap(([, found]) => found);
  return {kept: [...chosen].flatMap(inside), places: places.size, all: list.length};
}

const kAll = 'all (median)', kNone = 'none', kEach = 'each combination';
const kMatched = 'matched', kEvery = 'all';

/** The axes that neither `used` nor a chosen label says. */
const leftAxes = (space, chosen, used) => space.varied.filter((axis) => !used.includes(axis.name) &&
  (chosen['hold ' + axis.name] ?? kAll) === kAll);
/** The other axes are held at one label each. */
const held = (space, list, chosen, used) => list.filter((point) => space.varied.every((axis) => used.includes(axis.name) ||
  (chosen['hold ' + axis.name] ?? kAll) === kAll || space.label(point, axis) === chosen['hold ' + axis.name]));
const holdChoices = (space) => space.varied.length < 2 ? [] : space.varied.map((axis) =>
  ['hold ' + axis.name, axis.name, [kAll, ...axis.labels.slice(0, 200)], kAll]);

/** The points of a chart, those of each line, and a sentence on what stands beside what. */
function comparable(space, list, x, lineAxes, rest, kind) {
  const at = (axes) => (point) => axes.map((axis) => space.indexOn(point, axis)).join();
  const placeOf = at([x, ...lineAxes]), restOf = at(rest);
  const varied = rest.filter((axis) => new Set(list.map((point) => space.indexOn(point, axis))).size > 1).map((axis) => axis.name).join(', ');
  if (!varied) return {list, said: ''};
  const found = matched(list, placeOf, restOf), per = found.all / found.places;
  if (found.kept.length === found.all)
    return {list, said: per > 1 ? `A mark is the median of ${whole(per)} points, which differ in ${varied}; the same ones at every place.` : ''};
  const along = (points) => new Set(points.map((point) => space.indexOn(point, x))).size;
  if (kind === kMatched && found.kept.length * 2 >= found.all && along(found.kept) > 1)
    return {list: found.kept, said: `Matched: ${whole(found.kept.length)} of ${whole(found.all)} points, those that are there with the same ${varied} ` +
      'at every place shown. The others have no counterpart.'};
  return {list, said: `Not matched: points at one place and at another differ in ${varied}, too${per > 1 ? '; a mark is their median' : ''}. ` +
    (kind === kMatched ? `Too few points have a counterpart everywhere; choose a value of ${varied} to compare like with like.` : ''), unmatched: true};
}

const kMostLines = 24;
/** Positions of an axis: numbers, on a logarithmic axis when the largest is at least eight times the smallest, or names. */
function positions(axis, labels) {
  const numbers = axis.numbers && labels.map((label) => axis.numbers[axis.labels.indexOf(label)]);
  if (!numbers || new Set(numbers).size < labels.length) return null;
  const low = Math.min(...numbers), high = Math.max(...numbers);
  return {numbers, logarithmic: low > 0 && high / low >= 8};
}

const axisTitle = (axis) => (axis.title ?? axis.name) + (axis.unit ? `, ${axis.unit}` : '');
const kDashes = [undefined, [6, 3]];  // of the second dozen of lines

/** Which of the lines a point is on; and all lines of points, in the order of labels. */
const lineOf = (space, lineAxes) => (point) => lineAxes.map((axis) => space.indexOn(point, axis)).join();
function linesOf(space, list, lineAxes) {
  const order = (key) => key.split(',').map(Number);
  return [...new Set(list.map(lineOf(space, lineAxes)))].sort((a, b) => {
    const [left, right] = [order(a), order(b)], i = left.findIndex((one, at) => one !== right[at]);
    return i < 0 ? 0 : left[i] - right[i];
  });
}

/** The ends of the intervals of bars, which datasets have as `ends`. */
const whiskers = {id: 'whiskers', afterDatasetsDraw(chart) {
  const context = chart.ctx, y = chart.scales.y;
  context.save();
  context.strokeStyle = shade('text');
  chart.data.datasets.forEach((set, i) => {
    if (!set.ends || !chart.isDatasetVisible(i)) return;
    chart.getDatasetMeta(i).data.forEach((bar, at) => {
      const [low, high] = set.ends.map((end) => end[at]), half = Math.min(5, bar.width / 3);
      if (low === null || high === null || low === high) return;
      context.beginPath();
      for (const [from, to] of [[[bar.x, low], [bar.x, high]], [[bar.x - half, low], [bar.x + half, low]], [[bar.x - half, high], [bar.x + half, high]]]) {
        context.moveTo(from[0], y.getPixelForValue(from[1]));
        context.lineTo(to[0], y.getPixelForValue(to[1]));
      }
      context.stroke();
    });
  });
  context.restore();
}};

/**
 * Over numbers lines, over names bars, between which nothing is. `lineAxes`: a line, or a bar of each group, for each
 * combination of their labels; `all`: those of all charts, which have one colour everywhere.
 */
function lineChart(space, list, x, lineAxes, all, name, title = name) {
  const labels = x.labels.filter((label, i) => list.some((point) => space.indexOn(point, x) === i));
  const scale = positions(x, labels);
  const lines = new Map(), of = lineOf(space, lineAxes);
  for (const point of list) {
    if (!lines.has(of(point))) lines.set(of(point), []);
    lines.get(of(point)).push(point);
  }
  const keys = all.slice(0, kMostLines).filter((key) => lines.has(key)), place = (key) => all.indexOf(key);
  const order = (key) => key.split(',').map(Number);
  const nameOf = (key) => lineAxes.map((axis, i) => lineAxes.length === 1 && axis.numbers === null ? axis.labels[order(key)[i]] :
    `${axis.title ?? axis.name} ${axis.labels[order(key)[i]]}`).join(', ') || title;
  const values = (group, of) => labels.map((label, i) => {
    const found = group.filter((point) => space.label(point, x) === label).map((point) => space.value(point, of)).filter((one) => one !== null);
    const y = found.length ? median(found) : null;
    return scale ? {x: scale.numbers[i], y} : y;
  }).sort((a, b) => scale ? a.x - b.x : 0);
  const datasets = keys.map((key) => ({label: nameOf(key), data: values(lines.get(key), name), borderColor: seriesColor(place(key)),
    backgroundColor: seriesColor(place(key)), borderDash: kDashes[Math.floor(place(key) / kSeries.length)], borderWidth: scale ? 2 : 0, clip: 8, spanGaps: true, tension: 0}));
  const band = [['_min', '_max'], ['_low', '_high']].find(([end]) => space.columns.includes(name + end));
  if (band && !scale) datasets.forEach((set, i) => { set.ends = band.map((end) => values(lines.get(keys[i]), name + end)); });
  else if (band)
    keys.forEach((key) => {
      for (const [end, fill] of [[band[0], false], [band[1], '-1']])
        datasets.push({label: '', data: values(lines.get(key), name + end), borderWidth: 0, pointRadius: 0, fill, backgroundColor: seriesColor(place(key)) + '33'});
    });
  const ends = datasets.flatMap((set) => set.ends?.[1] ?? []).filter((one) => one !== null);
  const ticks = scale && [...scale.numbers].sort((a, b) => a - b);
  const along = scale ? {type: scale.logarithmic ? 'logarithmic' : 'linear', min: ticks[0], max: ticks.at(-1),
    afterBuildTicks: (one) => { one.ticks = ticks.map((value) => ({value})); }, ticks: {callback: short, maxRotation: 45}} :
    {grid: {display: false}, ticks: {callback(value) { return inLines(this.getLabelForValue(value), Math.max(8, Math.floor(this.chart.width / labels.length / kLetter))); }}};
  return {type: scale ? 'line' : 'bar', data: {...(scale ? {} : {labels}), datasets}, plugins: scale ? [] : [whiskers], options: {
    ...(scale ? {} : {datasets: {bar: {maxBarThickness: 46, borderWidth: 0}}}),
    scales: {x: axis(axisTitle(x) + (scale?.logarithmic ? ' (logarithmic)' : ''), along), y: axis(title, {beginAtZero: true, suggestedMax: ends.length ? Math.max(...ends) : undefined, ticks: {callback: short}})},
    plugins: {legend: lineAxes.length ? legendBelow : {display: false}, tooltip: {callbacks: {
      title: (items) => items.length ? `${x.title ?? x.name} ${scale ? number(items[0].raw.x, 6) : items[0].label}` : '',
      label: (item) => item.dataset.label ? ` ${item.dataset.label}: ${shownValue(scale ? item.raw.y : item.raw)}` : ''}}}}};
}

/** Charts of `names` over an axis; `titles` says what they are called beside the axis. */
function overAnAxis(space, list, chosen, names, titles, height) {
  const x = space.axis(chosen.x), others = leftAxes(space, chosen, [chosen.x, chosen.m]);
  const lineAxes = chosen.s === kEach ? others : chosen.s === kNone || chosen.s === chosen.x ? [] : [space.axis(chosen.s)];
  const rest = others.filter((axis) => !lineAxes.includes(axis));
  const lines = linesOf(space, list, lineAxes);
  const many = chosen.m === kNone ? [['', list]] : space.byLabel(list, space.axis(chosen.m));
  return [element('div', {class: many.length * names.length > 1 ? 'pair' : ''}, ...many.slice(0, 24).flatMap(([label, group]) => names.map((name) => {
    const found = comparable(space, group.filter((point) => space.value(point, name) !== null), x, lineAxes, rest, chosen.p);
    const said = found.said + (lines.length > kMostLines ? ` The first ${kMostLines} of ${whole(lines.length)} lines.` : '');
    return element('div', {class: 'run'}, label === '' ? null : element('h4', {}, `${chosen.m} ${label}`),
      canvasFor(() => lineChart(space, found.list, x, lineAxes, lines, name, titles[name] ?? name), height, `${titles[name] ?? name} over ${x.title ?? x.name}`),
      said ? element('p', {class: found.unmatched ? 'balance bad' : 'balance'}, said.trim()) : null);
  })))];
}

/** What is over what at first, where nothing says what matters: the last axis of numbers, lines by the first other axis of few labels. */
function firstAxes(space) {
  const few = [...space.varied].sort((a, b) => a.labels.length - b.labels.length);
  const numbers = space.varied.filter((axis) => axis.numbers && axis.labels.length <= 100);
  const x = (numbers.at(-1) ?? few.at(-1)).name;
  return {x, s: space.varied.find((axis) => axis.name !== x && axis.labels.length <= 12)?.name ?? kNone};
}

/**
 * A figure with charts over an axis that the reader chooses; `first`: what is over what at first, `columns`: results of which
 * each has a chart, or null where one is chosen.
 */
function axisFigure(space, caption, {x, s}, columns, titles, height, firstColumn) {
  const names = space.varied.map((axis) => axis.name);
  const choices = [...(columns ? [] : [['y', 'value', space.numeric, firstColumn]]), ['x', 'over', names, x],
    ...(names.length < 2 ? [] : [['s', 'lines', [kNone, ...names, ...(names.length > 2 ? [kEach] : [])], s], ['m', 'charts', [kNone, ...names], kNone],
      ['p', 'points', [kMatched, kEvery], kMatched], ...holdChoices(space)])];
  const whole = (chosen) => ({s: kNone, m: kNone, p: kMatched, ...chosen});
  const used = ({x, s, m}) => [x, m, ...(s === kEach ? [] : [s])];
  return chooser(caption, choices, (chosen) => {
    const all = whole(chosen);
    return overAnAxis(space, held(space, space.good, all, used(all)), all, columns ?? [all.y], titles, height);
  }, (chosen) => {
    const all = whole(chosen), taken = used(all);
    const medians = all.s !== kEach && leftAxes(space, all, taken).length > 0;
    return [...taken.map((name) => 'hold ' + name), ...(medians ? [] : ['p'])];
  });
}
