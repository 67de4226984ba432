// SPDX-License-Identifier: Apache-2.0
// What all charts share: data, colours, texts, and the list of charts, which are drawn anew in other colours.
'use strict';
const report = JSON.parse(document.getElementById('data').textContent);
const runs = report.runs;
const root = document.documentElement;
window.addEventListener('error', (event) => { root.dataset.error = String(event.message); });

const darkQuery = matchMedia('(prefers-color-scheme: dark)');
function chosenTheme() {
  const asked = new URLSearchParams(location.hash.slice(1)).get('theme');
  return asked || (darkQuery.matches ? 'dark' : 'light');
}
const shade = (name) => getComputedStyle(root).getPropertyValue('--' + name).trim();

// Reasons of the cycle accounts. Green: work is done. Blue: memory. Grey: nothing to do.
const kColors = {
  working: '#2e9e5b', issued: '#2e9e5b', computing: '#2e9e5b', issuing: '#2e9e5b', serving: '#2e9e5b', busy: '#2e9e5b', hits: '#2e9e5b',
  fetch: '#8e63ce', control: '#c58adf', unit_busy: '#e0a800', tensor: '#e07b1f', shared_load: '#4aa3e8',
  global_load: '#1f5fbf', peripheral: '#17a2a2', memory_queue: '#86c1f0', fence: '#7a5c3e', drain: '#b58863',
  alu_result: '#e57373', fpu_result: '#b3362b', register_port: '#f2a6a6', barrier: '#8b95a1',
  loading: '#1f5fbf', load_wait: '#4aa3e8', storing: '#e07b1f', store_wait: '#e0a800', operand_wait: '#8e63ce',
  preloading: '#17a2a2', draining: '#b58863', commands: '#e57373', translating: '#17a2a2', waiting_for_ids: '#e0a800',
  bus_held: '#b3362b', waiting_for_data: '#1f5fbf', writing_rows: '#86c1f0', waiting_for_rows: '#8e63ce',
  waiting_for_acknowledges: '#b58863', waiting_operands: '#8e63ce', waiting_a: '#4aa3e8', waiting_b: '#1f5fbf',
  waiting_accumulator: '#8e63ce', result_blocked: '#b3362b', read: '#1f5fbf', written: '#e07b1f', merged: '#e0a800',
  misses: '#b3362b', waiting: '#1f5fbf', blocked: '#b3362b', serialising: '#e0a800', bank_conflict: '#b3362b',
  moving: '#2e9e5b', port_busy: '#e0a800', slice_busy: '#e07b1f', channel_busy: '#e07b1f', port_wait: '#86c1f0', slice_wait: '#4aa3e8',
  slice_full: '#b3362b', queue_full: '#b3362b', max_outstanding: '#b3362b', target_held: '#7a5c3e', banks: '#8e63ce',
};
const kSeries = ['#1f77c9', '#e07b1f', '#2e9e5b', '#8e63ce', '#b3362b', '#17a2a2', '#e0a800', '#c58adf', '#7a5c3e',
  '#86c1f0', '#e57373', '#8b95a1'];
const seriesColor = (index) => kSeries[index % kSeries.length];
function colorOf(reason) {
  if (reason === 'idle' || reason === 'no_warp') return shade('idle');
  if (kColors[reason]) return kColors[reason];
  let sum = 0;
  for (const letter of reason) sum += letter.codePointAt(0);
  return seriesColor(sum);
}

const kWorking = ['working', 'issued', 'computing', 'issuing', 'serving', 'busy', 'hits', 'read', 'moving'];
const kResting = ['idle', 'no_warp', 'barrier'];
/** Reasons {reason: amount}: work first, rest last, between them the largest first. */
const inOrder = (sums) => Object.keys(sums).sort((a, b) => kWorking.includes(b) - kWorking.includes(a) ||
  kResting.includes(a) - kResting.includes(b) || sums[b] - sums[a]);

const number = (value, digits = 3) => value === null || value === undefined ? '' :
  Number(value).toLocaleString('en', {maximumSignificantDigits: Math.max(digits, 1)});
const whole = (value) => Number(value).toLocaleString('en', {maximumFractionDigits: 0});
const percent = (ratio) => (100 * ratio).toFixed(1) + ' %';
const words = (name) => name.replace(/_/g, ' ');
const short = (value) => Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 4}).format(value);

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== '') node.setAttribute(key, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const main = document.getElementById('main');
let place = main;  // where sections and figures go
/** A heading with an entry in the contents, and what stands below it. */
function section(id, title, ...children) {
  place.append(element('h2', {id}, title), ...children);
  const contents = document.getElementById('contents');
  if (!contents.querySelector(`[href="#${id}"]`)) contents.append(element('a', {href: '#' + id}, title));
}

const charts = [];  // {canvas, keys, fit, make, chart}
/**
 * A chart of `height` pixels, a number or a function of its width; `make()` gives its configuration in the colours of the
 * moment. What its colours mean stands below it as text, which takes the lines it needs at any width.
 */
function canvasFor(make, height, label) {
  const canvas = element('canvas', {role: 'img', 'aria-label': label}), keys = element('div', {class: 'keys'});
  const box = element('div', {class: 'canvas'}, canvas);
  const fit = () => { box.style.height = `${typeof height === 'function' ? height(box.clientWidth) : height}px`; };
  fit();
  if (typeof height === 'function') new ResizeObserver(() => requestAnimationFrame(fit)).observe(box);
  charts.push({canvas, keys, fit, make, chart: null});
  return element('div', {}, box, keys);
}
/** Calls `build` and returns the charts that it added. */
function chartsOf(build) {
  const before = charts.length;
  build();
  return charts.slice(before);
}
function removeCharts(list) {
  for (const entry of list) {
    if (entry.chart) entry.chart.destroy();
    charts.splice(charts.indexOf(entry), 1);
  }
}

/** A button for each series with a name, which hides and shows it. */
function keysOf({chart, keys}) {
  const asked = chart.options.plugins.legend.below;
  keys.replaceChildren(...(asked ? chart.data.datasets : []).map((set, i) => {
    if (!set.label) return null;
    const color = [set.backgroundColor].flat()[0] ?? set.borderColor;
    const mark = element('i', {class: set.borderDash ? 'dashed' : set.pointStyle === 'rectRot' ? 'turned' : '', style: `--color:${color}`});
    const button = element('button', {type: 'button', class: 'key', 'aria-pressed': 'true'}, mark, set.label);
    button.addEventListener('click', () => {
      const visible = !chart.isDatasetVisible(i);
      chart.setDatasetVisibility(i, visible);
      chart.update();
      button.setAttribute('aria-pressed', String(visible));
    });
    return button;
  }).filter(Boolean));
}

const kBreak = /[^\s\-_./:=,]*[\s\-_./:=,]?/g;
/** A text in lines of at most `letters`, of about the same length, cut at spaces and behind - _ . / : = or, if need be, anywhere. */
function inLines(text, letters) {
  const cut = (most) => {
    const lines = [''];
    for (const piece of String(text).match(kBreak).flatMap((one) => one.match(new RegExp(`.{1,${most}}`, 'g')) ?? []))
      if ((lines.at(-1) + piece).trimEnd().length <= most) lines[lines.length - 1] += piece;
      else lines.push(piece);
    return lines.map((line) => line.trim());
  };
  const lines = cut(letters);
  const longest = Math.max(...String(text).match(kBreak).map((one) => one.length));
  for (let fewer = Math.max(longest, Math.ceil(String(text).length / lines.length)); fewer < letters; ++fewer) {
    const shorter = cut(fewer);
    if (shorter.length === lines.length) return shorter;
  }
  return lines;
}
const kLetter = 6.6, kLine = 15;  // pixels of the font of charts
/** Letters of a name beside bars in a chart of so many pixels: names have at most two fifths of it. */
const lettersBeside = (width) => Math.max(9, Math.floor(0.4 * width / kLetter));
/** An axis of names beside horizontal bars: none left out, none cut. */
const namesAxis = (more = {}) => ({grid: {display: false}, ...more, ticks: {autoSkip: false, callback(value) {
  const lines = inLines(this.getLabelForValue(value), lettersBeside(this.chart.width));
  return lines.length > 1 ? lines : lines[0];
}}});
/** Height of a chart of horizontal bars with these names, of `bar` pixels each if no name has several lines; axis: `more`. */
const barsHeight = (names, bar, more) => (width) => more + names.length *
  Math.max(bar, 5 + kLine * Math.max(1, ...names.map((name) => inLines(name, lettersBeside(width)).length)));

function drawAll() {
  Chart.defaults.color = shade('dim');
  Chart.defaults.borderColor = shade('grid');
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12;
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  for (const entry of charts) {
    if (entry.chart) entry.chart.destroy();
    entry.fit();
    entry.chart = new Chart(entry.canvas, entry.make());
    keysOf(entry);
    entry.canvas.dataset.values =
      entry.chart.data.datasets.reduce((sum, set) => sum + set.data.length, 0);
  }
  root.dataset.charts = charts.length;
}

function setTheme(theme) {
  root.dataset.theme = theme;
  drawAll();
}

/** With #check in the address: counts the painted pixels of each chart, for tests. */
function check() {
  if (!new URLSearchParams(location.hash.slice(1)).has('check')) return;
  for (const {canvas} of charts) {
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let painted = 0;
    for (let i = 3; i < pixels.length; i += 4) painted += pixels[i] !== 0;
    canvas.dataset.painted = painted;
  }
}

function start() {
  document.getElementById('theme').addEventListener('click',
    () => setTheme(root.dataset.theme === 'dark' ? 'light' : 'dark'));
  darkQuery.addEventListener('change', () => setTheme(chosenTheme()));
  let before = 'light';
  window.addEventListener('beforeprint', () => { before = root.dataset.theme; setTheme('light'); });
  window.addEventListener('afterprint', () => setTheme(before));
  setTheme(chosenTheme());
  check();
}
