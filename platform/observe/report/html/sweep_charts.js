// SPDX-License-Identifier: Apache-2.0
// Charts over the axes of a sweep.
'use strict';
const objectives = report.objectives;  // {column, maximise}
const firstValue = () => objectives.length ? objectives[0].column : numeric.includes('cycles') ? 'cycles' : numeric[0];
const axisNamed = (name) => space.axis(name);
const theFront = () => new Set(report.front.map((place) => points[place]));

/** Text of a tooltip: the point, its results of interest, its command. */
const about = (point, names) => [nameOf(point), ...names.map((name) => `${name}: ${shownValue(valueAt(point, name))}`), commandOf(point)];

const kMostPlaces = 100;  // of an axis at first
/** The axes by what they do to the first value, the largest effect first; those of many labels last. */
function byEffect() {
  const ranked = tornadoRows(firstValue()).map((row) => axisNamed(row.axis));
  const all = [...ranked, ...varied.filter((axis) => !ranked.includes(axis))];
  return [...all.filter((axis) => axis.labels.length <= kMostPlaces), ...all.filter((axis) => axis.labels.length > kMostPlaces)];
}
function firstByEffect() {
  const [x, ...others] = byEffect();
  return {x: x.name, s: others.find((axis) => axis.labels.length <= 12)?.name ?? kNone};
}

function lines() {
  if (!varied.length) return;
  section('lines', 'Over an axis', axisFigure(space, 'A value over one axis, which is at first the one with the largest effect; a line or bar for each value of a second, a chart for each of a third. ' +
    'Where several points are left, their median, of points that have a counterpart at every place (matched) or of all; a band, or a line through a bar, from the smallest to the largest where a point ran several times, and of an energy over its interval.',
    firstByEffect(), null, {}, 340, firstValue()));
}

/** From a light yellow to a dark blue, 0..1: each darker than the one before, so that the order is seen without colours, too. */
const kHeat = [[255, 247, 204], [196, 226, 190], [110, 190, 192], [47, 130, 178], [34, 68, 138], [20, 28, 84]];
function heatColor(share) {
  const at = share * (kHeat.length - 1), low = Math.min(Math.floor(at), kHeat.length - 2);
  return `rgb(${kHeat[low].map((from, i) => Math.round(from + (kHeat[low + 1][i] - from) * (at - low))).join(' ')})`;
}
const heatText = (share) => share > 0.52 ? '#ffffff' : '#1b1f24';
/** What the colours mean. */
const heatScale = (name, low, high) => high > low ? element('p', {class: 'heat-scale'}, `${name}: ${shownValue(low)} `,
  element('i', {style: `background:linear-gradient(90deg, ${kHeat.map((color) => `rgb(${color.join(' ')})`).join(', ')})`}), ` ${shownValue(high)}`) :
  element('p', {class: 'heat-scale'}, `${name}: ${shownValue(low)} in all cells`);

function heat() {
  if (varied.length < 2) return;
  const names = varied.map((axis) => axis.name);
  const [columns, rows] = byEffect().slice(0, 2).sort((a, b) => a.labels.length - b.labels.length);
  section('heat', 'Over two axes', chooser('A cell is the best of the points that belong to it, or their median; hatched cells have none, and say why.',
    [['y', 'value', numeric, firstValue()], ['r', 'rows', names, rows.name], ['c', 'columns', names, columns.name],
      ['how', 'of several', ['smallest', 'median', 'largest'], 'smallest']],
    (chosen) => {
      const rAxis = axisNamed(chosen.r), cAxis = axisNamed(chosen.c), cells = new Map();
      for (const point of points) {
        const key = labelOf(point, rAxis) + '\n' + labelOf(point, cAxis);
        cells.set(key, [...(cells.get(key) ?? []), point]);
      }
      const pick = {smallest: (list) => Math.min(...list), largest: (list) => Math.max(...list), median}[chosen.how];
      const value = (list) => {
        const found = list.map((point) => valueAt(point, chosen.y)).filter((one) => one !== null);
        return found.length ? pick(found) : null;
      };
      const all = [...cells.values()].map(value).filter((one) => one !== null);
      const low = Math.min(...all), high = Math.max(...all);
      const cell = (rLabel, cLabel) => {
        const list = cells.get(rLabel + '\n' + cLabel) ?? [], shown = value(list);
        if (shown === null)
          return element('td', {class: list.length ? 'number missing' : 'number', title: list.length ? `${list[0].state}: ${list[0].reason}` : 'no such point'}, list.length ? list[0].state : '');
        const share = high > low ? (shown - low) / (high - low) : 0, style = `background:${heatColor(share)};color:${heatText(share)}`;
        return element('td', {class: 'number filled', style, title: `${chosen.y}: ${shownValue(shown)}, of ${list.length} points`}, shownValue(shown));
      };
      return [element('div', {class: 'scroll'}, element('table', {class: 'heat'},
        element('tr', {}, element('th', {}, `${chosen.r} \\ ${chosen.c}`), ...cAxis.labels.slice(0, 60).map((label) => element('th', {class: 'number'}, label))),
        ...rAxis.labels.slice(0, 100).map((rLabel) => element('tr', {}, element('th', {}, rLabel), ...cAxis.labels.slice(0, 60).map((cLabel) => cell(rLabel, cLabel)))))),
      ...(all.length ? [heatScale(chosen.y, low, high)] : [])];
    }));
}

/** Whether a result has the ends of an interval, and those of a point. */
const hasEnds = (name) => columns.includes(name + '_low') && columns.includes(name + '_high');
const endsOf = (point, name) => hasEnds(name) ? [valueAt(point, name + '_low'), valueAt(point, name + '_high')] : null;

/** Lines over the intervals of the points of a scatter chart. */
const intervalLines = (xName, yName) => ({id: 'intervals', beforeDatasetsDraw(chart) {
  const context = chart.ctx, kMost = 400;
  context.save();
  chart.data.datasets.forEach((set, i) => {
    if (set.data.length > kMost || chart.getDatasetMeta(i).hidden) return;
    context.strokeStyle = set.backgroundColor;
    context.globalAlpha = 0.55;
    for (const {x, y, point} of set.data)
      for (const [name, scale, from] of [[xName, chart.scales.x, (end) => [end, chart.scales.y.getPixelForValue(y)]], [yName, chart.scales.y, (end) => [chart.scales.x.getPixelForValue(x), end]]]) {
        const ends = endsOf(point, name);
        if (!ends || ends.includes(null)) continue;
        context.beginPath();
        context.moveTo(...from(scale.getPixelForValue(ends[0])));
        context.lineTo(...from(scale.getPixelForValue(ends[1])));
        context.stroke();
      }
  });
  context.restore();
}});

function scatterChart(xName, yName, {list, kept, outside, others}) {
  const place = (point) => ({x: valueAt(point, xName), y: valueAt(point, yName), point});
  const reach = (name) => {
    const ends = hasEnds(name) && list.length <= 1000 ? list.flatMap((point) => endsOf(point, name)).filter((one) => one !== null) : [];
    return ends.length ? {suggestedMin: Math.min(...ends), suggestedMax: Math.max(...ends)} : {};
  };
  const groups = [['front', list.filter((point) => kept.has(point)), seriesColor(1), 5],
    ['others', list.filter((point) => !kept.has(point) && !outside.has(point)), seriesColor(0), 2.5],
    ['miss a constraint', list.filter((point) => outside.has(point)), shade('idle'), 2.5]];
  const datasets = groups.filter(([, group]) => group.length).map(([label, group, color, radius]) =>
    ({label, data: group.map(place).filter((one) => one.x !== null && one.y !== null), backgroundColor: color, pointRadius: radius, showLine: false}));
  const line = datasets.find((set) => set.label === 'front');
  if (line && objectives.length === 2) {
    line.data.sort((a, b) => a.x - b.x);
    Object.assign(line, {showLine: true, stepped: 'before', borderColor: seriesColor(1), borderWidth: 1.5});
  }
  const texts = (point) => [...about(point, [...new Set([xName, yName])]).filter(Boolean),
    ...[...new Set([xName, yName])].filter(hasEnds).map((name) => `${name}: ${endsOf(point, name).map(shownValue).join(' to ')}`),
    ...(others.get(point) ?? []).slice(0, 5).map((other) => `not distinct from ${nameOf(other)}`)];
  return {type: 'scatter', data: {datasets}, plugins: [intervalLines(xName, yName)], options: {scales: {x: axis(xName, reach(xName)), y: axis(yName, reach(yName))},
    onClick: (event, items, chart) => {
      if (items.length) navigator.clipboard?.writeText(commandOf(chart.data.datasets[items[0].datasetIndex].data[items[0].index].point));
    },
    plugins: {legend: legendBelow, tooltip: {callbacks: {label: (item) => texts(item.raw.point)}}}}};
}

/** The points of a work, those of its front, and by point the others that it cannot be distinguished from. */
function pointsOf(work) {
  const own = work.rows ? work.rows.map((row) => ({name: row.name, state: row.state, values: row.values, total: true})) :
    work.places ? work.places.map((place) => points[place]) : points;
  const at = (place) => work.rows ? own[place] : points[place];
  const others = new Map(work.front.map((place, i) => [at(place), (work.not_apart[i] ?? []).map(at)]).filter(([, list]) => list.length));
  return {list: own.filter((point) => point.state === 'ok'), kept: new Set(work.front.map(at)), outside: new Set(work.outside.map(at)), others};
}

/** What a front is, and what its intervals leave open. */
function frontText(work, {kept, others}) {
  if (!objectives.length) return '';
  const complete = kept.size < work.front_size ? `${whole(kept.size)} of the ${whole(work.front_size)} points of the front are drawn; spica sweep pareto lists all.` :
    `${whole(kept.size)} ${kept.size === 1 ? 'point is' : 'points are'} the front.`;
  const open = others.size ? ` ${whole(others.size)} of them cannot be distinguished from another one: ${[...others].slice(0, 6).map(([point, list]) => `${nameOf(point)} from ${nameOf(list[0])}`).join('; ')}.` : '';
  const worse = work.open ? ` ${whole(work.open)} of the ${whole(work.worse)} worse ones may be as good, within the intervals of energies.` : '';
  return complete + open + worse + (objectives.some((one) => hasEnds(one.column)) ? ' ' + report.intervals : '') +
    (work.text ? ' ' + work.text : '');
}

function pareto() {
  if (numeric.length < 2) return;
  const works = report.works.length ? report.works : [{name: '', front: [], front_size: 0, outside: [], not_apart: [], open: 0}];
  const names = works.map((work) => work.name);
  const x = objectives[0]?.column ?? firstValue(), y = objectives[1]?.column ?? numeric.find((name) => name !== x);
  section('pareto', 'One value against another', chooser((objectives.length ? `The front is that of ${objectives.map((one) => `${one.column} (${one.maximise ? 'max' : 'min'})`).join(', ')}` +
    (works.length > 1 ? ', of points that compute the same and are timed alike.' : '.') : 'The file names no objectives, so there is no front.') + ' A click copies the command of a point.',
    [...(works.length > 1 ? [['w', 'work', names, names[0]]] : []), ['x', 'x', numeric, x], ['y', 'y', numeric, y]],
    (chosen) => {
      const work = works[Math.max(0, names.indexOf(chosen.w))], found = pointsOf(work);
      return [canvasFor(() => scatterChart(chosen.x, chosen.y, found), 420, `${chosen.y} against ${chosen.x}`), element('p', {class: 'balance'}, frontText(work, found))];
    }));
}

/** Parallel coordinates: axes of the sweep and its objectives; dragging on one of them chooses a part of it. */
function parallel() {
  const scales = [...varied.map((axis) => ({name: axis.name, low: 0, high: axis.labels.length - 1,
    at: (point) => point.axes[axes.indexOf(axis)], text: (value) => axis.labels[Math.round(value)]})),
  ...(objectives.length ? objectives.map((one) => one.column) : [firstValue()]).filter((name) => numeric.includes(name)).map((name) => {
    const values = good.map((point) => valueAt(point, name)).filter((one) => one !== null);
    const [low, high] = values.reduce(([a, b], one) => [Math.min(a, one), Math.max(b, one)], [Infinity, -Infinity]);
    return {name, low, high, at: (point) => valueAt(point, name), text: (value) => shownValue(Number(value.toPrecision(4)))};
  })];
  if (scales.length < 2) return;
  const list = good, canvas = element('canvas', {class: 'parallel', role: 'img', 'aria-label': 'parallel coordinates', style: `min-width:${100 + 62 * (scales.length - 1)}px`});
  const words = element('p', {class: 'none'}), brushes = new Map();
  let above = 30, below = 30;  // pixels for the names of ends and axes
  const place = (scale, value, height) => above + (height - above - below) * (scale.high > scale.low ? 1 - (value - scale.low) / (scale.high - scale.low) : 0.5);
  const draw = () => {
    const width = canvas.clientWidth || 900, scaleOf = devicePixelRatio || 1;
    const letters = Math.floor(Math.min(100, (width - 100) / (scales.length - 1) - 6) / kLetter), kStep = 13;
    const ends = scales.map((scale) => [scale.high, scale.low].map((value) => inLines(scale.text(value), letters)));
    const most = (lists) => Math.max(...lists.map((lines) => lines.length));
    const names = scales.map((scale) => inLines(scale.name, letters));
    above = 17 + kStep * most(ends.map(([high]) => high));
    const lowLines = most(ends.map(([, low]) => low));
    below = 8 + kStep * (lowLines + most(names));
    const height = 260 + above + below;
    canvas.style.height = `${height}px`;
    canvas.width = width * scaleOf;
    canvas.height = height * scaleOf;
    const context = canvas.getContext('2d');
    context.scale(scaleOf, scaleOf);
    const x = (i) => 50 + i * (width - 100) / (scales.length - 1);
    const inside = (point) => [...brushes].every(([i, [from, to]]) => {
      const at = place(scales[i], scales[i].at(point), height);
      return at >= from && at <= to;
    });
    const chosen = list.filter(inside), kept = theFront();
    const paint = (group, color, alpha) => {
      context.strokeStyle = color;
      context.globalAlpha = alpha;
      for (const point of group) {
        context.beginPath();
        scales.forEach((scale, i) => context[i ? 'lineTo' : 'moveTo'](x(i), place(scale, scale.at(point), height)));
        context.stroke();
      }
    };
    if (chosen.length < list.length) paint(list, shade('idle'), 0.3);
    paint(chosen, seriesColor(0), Math.max(0.08, Math.min(0.8, 60 / chosen.length)));
    paint(chosen.filter((point) => kept.has(point)), seriesColor(1), 0.9);
    context.globalAlpha = 1;
    context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    context.textAlign = 'center';
    scales.forEach((scale, i) => {
      context.strokeStyle = shade('dim');
      context.fillStyle = shade('text');
      context.beginPath();
      context.moveTo(x(i), above);
      context.lineTo(x(i), height - below);
      context.stroke();
      const write = (lines, y) => lines.forEach((line, at) => context.fillText(line, x(i), y + kStep * at));
      const [high, low] = ends[i];
      write(high, above - 6 - kStep * (high.length - 1));
      write(low, height - below + kStep);
      write(names[i], height - below + kStep * (lowLines + 1) + 2);
      if (brushes.has(i)) {
        const [from, to] = brushes.get(i);
        context.globalAlpha = 0.25;
        context.fillStyle = shade('accent');
        context.fillRect(x(i) - 8, from, 16, to - from);
        context.globalAlpha = 1;
      }
    });
    words.textContent = `${whole(chosen.length)} points.` + (chosen.length && chosen.length <= 5 ? ' ' + chosen.map(nameOf).join('; ') : '');
    canvas.dataset.chosen = chosen.length;
    canvas.dataset.values = list.length;
  };
  let begin = null;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return {i: Math.round((event.clientX - box.left - 50) / ((box.width - 100) / (scales.length - 1))), y: event.clientY - box.top};
  };
  canvas.addEventListener('pointerdown', (event) => { begin = at(event); canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener('pointerup', (event) => {
    if (!begin) return;
    const end = at(event), [from, to] = [Math.min(begin.y, end.y), Math.max(begin.y, end.y)];
    if (to - from < 4) brushes.delete(begin.i);
    else brushes.set(begin.i, [from, to]);
    begin = null;
    draw();
  });
  section('parallel', 'All axes at once', element('figure', {}, element('figcaption', {}, element('p', {},
    'A line is a point, orange ones are the front. Drag along an axis to choose a part of it, click it to choose all again.')), element('div', {class: 'scroll'}, canvas), words));
  new ResizeObserver(draw).observe(canvas);
  new MutationObserver(draw).observe(root, {attributes: true, attributeFilter: ['data-theme']});
  draw();
}

/**
 * What the values of each axis do to the median. Points are compared that differ in this axis only, as far as there are such
 * for all of its values; else (in a sample) all points with a value. Returns {axis, low, high, held}.
 */
function tornadoRows(name) {
  const all = good.filter((point) => valueAt(point, name) !== null);
  return varied.map((axis) => {
    const at = axes.indexOf(axis), groups = new Map();
    for (const point of all) {
      const key = point.axes.map((label, i) => i === at ? '' : label).join();
      groups.set(key, [...(groups.get(key) ?? []), point]);
    }
    const labels = new Set(all.map((point) => point.axes[at])).size;
    const held = [...groups.values()].filter((group) => group.length === labels).flat();
    const medians = space.byLabel(held.length ? held : all, axis).map(([label, group]) => [label, median(group.map((point) => valueAt(point, name)))]);
    if (medians.length < 2) return null;
    const low = medians.reduce((a, b) => b[1] < a[1] ? b : a), high = medians.reduce((a, b) => b[1] > a[1] ? b : a);
    return {axis: axis.name, low, high, held: held.length > 0};
  }).filter((row) => row !== null).sort((a, b) => (b.high[1] - b.low[1]) - (a.high[1] - a.low[1]));
}

function tornado() {
  if (!varied.length) return;
  section('tornado', 'What matters most', chooser('The median for each value of an axis, all others held: from the lowest to the highest. In a sample, where nothing is held, over all points with that value.',
    [['y', 'value', numeric, firstValue()]],
    (chosen) => {
      const rows = tornadoRows(chosen.y);
      return [canvasFor(() => ({type: 'bar',
        data: {labels: rows.map((row) => row.axis), datasets: [{label: chosen.y, backgroundColor: seriesColor(0), maxBarThickness: 26,
          data: rows.map((row) => [row.low[1], row.high[1]])}]},
        options: {indexAxis: 'y', scales: {x: axis(chosen.y), y: namesAxis()},
          plugins: {legend: {display: false}, tooltip: {callbacks: {label: (item) => {
            const row = rows[item.dataIndex];
            return [row.held ? 'others held' : 'others not held', `${row.axis} ${row.low[0]}: ${shownValue(row.low[1])}`, `${row.axis} ${row.high[0]}: ${shownValue(row.high[1])}`];
          }}}}}}), barsHeight(rows.map((row) => row.axis), 34, 52), `range of ${chosen.y} by axis`)];
    }));
}
