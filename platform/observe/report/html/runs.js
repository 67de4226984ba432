// SPDX-License-Identifier: Apache-2.0
// What differs between several runs: what they were given, their machines, their results; and the axes that this makes.
'use strict';

/** Words of a command line as provenance has it. */
const wordsOf = (line) => (line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? []).map((word) => word.replace(/'([^']*)'|\\(.)/g, '$1$2'));
/** What a run of an own program was given: {configuration, program, "argument 1": ...}. */
function programOf(run) {
  const all = wordsOf((run.document.provenance || {}).command_line || '').slice(1), given = {};
  if (run.document.design !== undefined || all[0] !== 'run') return given;
  const [, program] = all.slice(1, 3).filter((word) => !word.startsWith('-'));
  if (program !== undefined) given.program = program.replace(/^.*\//, '').replace(/\.elf$/, '');
  const place = all.findIndex((word) => /^--args(=|$)/.test(word));
  const block = place < 0 ? '' : all[place].includes('=') ? all[place].replace(/^--args=/, '') : all[place + 1] ?? '';
  block.split(',').filter(Boolean).forEach((item, i) => {
    const [, name, value] = item.match(/^([A-Za-z_]\w*)=(.*)$/) ?? ['', String(i + 1), item.replace(/^[a-z]\w*:(?=[^:]*$)/, '')];
    given[`argument ${name}`] = value;
  });
  return given;
}

const kGiven = ['design', 'element', 'exponential', 'size', 'convolution', 'lda', 'ldb', 'ldc', 'batch', 'heads', 'causal', 'sequence', 'queries', 'head_dim', 'spread', 'mode', 'seed'];
/** Keys of a run's machine that are not as in the base: {key: {value, unit, base, place}}. */
const changesOf = (run) => Object.fromEntries(((run.document.configuration || {}).differences || []).map((one) => [one.key, one]));

/** What all runs were given and what their machines are: [{name, unit, labels: [of each run], kind}]. */
function givenKeys() {
  const keys = [];
  const add = (kind, name, get, unit = '') => {
    const labels = runs.map((run) => { const value = get(run); return value === null || value === undefined ? '' : String(value); });
    if (labels.some((label) => label !== '')) keys.push({kind, name, unit, labels});
  };
  const named = (list) => [...new Set(list.flatMap((one) => Object.keys(one)))];
  for (const name of named(runs.map((run) => run.axes || {}))) add('axis', name, (run) => (run.axes || {})[name]);
  for (const name of kGiven) add('given', name, (run) => run.document[name]);
  const programs = runs.map(programOf);
  for (const name of named(programs)) add('given', name, (run) => programs[runs.indexOf(run)][name]);
  const changes = runs.map(changesOf);
  for (const name of named(changes)) {
    const known = changes.find((one) => one[name])[name];
    const own = (i) => changes[i][name] ? changes[i][name].value : known.base;
    add('machine', name, (run) => own(runs.indexOf(run)) ?? 'not there', known.unit);
  }
  add('configuration', 'configuration', (run) => ((run.document.configuration || {}).name || '').replace(/^.*\//, '').replace(/\.yaml$/, ''));
  return keys;
}

const differs = (list) => new Set(list).size > 1;
/** Which runs have the same label, as a text. */
const partition = (labels) => labels.map((label) => labels.indexOf(label)).join();
/** Whether runs of one label in `by` have one label in `labels`. */
const follows = (labels, by) => labels.every((label, i) => label === labels[by.indexOf(by[i])]);

/** A number that a label stands for: itself, the one dimension of a matrix product that varies, or null. */
function numbersOf(key, labels) {
  if (labels.every(isNumber)) return labels.map(Number);
  if (key.name !== 'size') return null;
  const parts = labels.map((label) => /^\d+x\d+x\d+$/.test(label) ? label.split('x').map(Number) : null);
  if (parts.includes(null)) return null;
  if (parts.every(([m, n, k]) => m === n && n === k)) return parts.map(([m]) => m);
  const varied = [0, 1, 2].filter((i) => differs(parts.map((one) => one[i])));
  return varied.length === 1 ? parts.map((one) => one[varied[0]]) : null;
}

/**
 * The axes of the runs: keys in which they differ, those that always change together as one. What follows from the design,
 * the program or the configuration is part of it.
 */
function axesOfRuns(keys) {
  const changed = keys.filter((key) => differs(key.labels));
  const rank = (key) => key.kind === 'axis' ? 0 : ['design', 'program'].includes(key.name) ? 1 : key.kind === 'given' ? 2 :
    key.kind === 'configuration' ? 5 : numbersOf(key, key.labels) ? 3 : 4;
  const groups = new Map();
  for (const key of changed) {
    const same = partition(key.labels);
    groups.set(same, [...(groups.get(same) ?? []), key]);
  }
  const heads = [...groups.values()].map((group) => {
    group.sort((a, b) => rank(a) - rank(b));
    const whole = group.length > 4 && group.find((key) => key.kind === 'configuration');
    const head = rank(group[0]) >= 3 && whole ? whole : group[0];
    return {...head, rank: head === whole ? 1 : rank(head), with: group.filter((key) => key !== head).map((key) => key.name)};
  }).sort((a, b) => a.rank - b.rank);
  const chosen = [];
  for (const head of heads)
    if (!(head.rank === 5 && chosen.length) && !chosen.some((one) => one.rank < 2 && !one.labels.every(isNumber) && follows(head.labels, one.labels)))
      chosen.push(head);
  return chosen.map((head) => {
    const labels = [...new Set(head.labels)], numbers = numbersOf(head, labels);
    const order = numbers && labels.map((label, i) => i).sort((a, b) => numbers[a] - numbers[b]);
    return {name: head.name, unit: head.unit, of: head.labels, with: head.with, labels: order ? order.map((i) => labels[i]) : labels,
      numbers: order ? order.map((i) => numbers[i]) : null};
  });
}

/** What a run came to: [title, number, its text, whether charts show it]. */
function resultsOf() {
  const clock = (run) => (run.document.machine || {}).clock_mhz;
  const clocks = new Set(runs.map(clock)).size;
  const level = (run, name) => (((roofline(run) || {}).levels || []).find((one) => one.name === name) || {}).intensity;
  const range = (value, unit) => value ? `${number(nominal(value))} ${unit} (${number(value.low)} to ${number(value.high)})` : '';
  const window = (run) => energyOf(run) ? run.energy.window : {};
  const total = (run) => (energyOf(run) || {}).total || {};
  const dram = runs.some((run) => total(run).has_dram === false) ? 'DRAM where it has energies' : 'DRAM';
  const energy = (title, get, unit, chart) => ({title, unit, chart, ends: (run) => get(run) ? [get(run).low, get(run).high] : null, get: (run) => get(run) ? nominal(get(run)) : null, text: (run) => range(get(run), unit)});
  const plain = (title, unit, get, chart, text = whole) => ({title, unit, chart, get, text: (run) => typeof get(run) === 'number' ? text(get(run)) : ''});
  const utilisation = (run) => typeof run.document.utilisation === 'number' ? 100 * run.document.utilisation : null;
  return [
    plain('cycles of the ' + timed, 'cycles', (run) => run.document.cycles, 'Cycles'),
    {...plain('time', 'us', (run) => clock(run) ? run.document.cycles / clock(run) : null, clocks > 1 ? 'Time' : ''),
      text: (run) => clock(run) && (clocks > 1 || runs.length <= kBeside) ? `${number(run.document.cycles / clock(run), 4)} us at ${clock(run)} MHz` : ''},
    plain('utilisation of the multiplying unit', '% of peak multiply-adds', utilisation, 'Utilisation', (value) => percent(value / 100)),
    energy(`total energy: active, idle, ${dram}`, (run) => total(run).total_energy_uj, 'uJ', 'Total energy'),
    energy('active energy', (run) => window(run).active_uj, 'uJ', ''),
    energy('leakage energy', (run) => total(run).leakage_energy_uj, 'uJ', ''),
    energy('clock energy', (run) => total(run).clock_energy_uj, 'uJ', ''),
    energy('DRAM energy', (run) => total(run).dram_energy_uj, 'uJ', ''),
    energy('total power', (run) => total(run).total_power_mw, 'mW', ''),
    energy('active power', (run) => window(run).active_mw, 'mW', ''),
    energy('total energy per multiply-add', (run) => total(run).pj_per_mac, 'pJ', ''),
    energy('energy-delay product', (run) => total(run).edp_uj_us, 'uJ us', ''),
    plain('area', 'mm2', (run) => run.document.area_mm2, 'Area', (value) => `${number(value, 4)} mm2`),
    plain('warp instructions', 'instructions', (run) => run.document.instructions, 'Warp instructions'),
    plain('lane instructions', 'instructions', (run) => run.document.thread_instructions, ''),
    plain('bytes through the L2', 'bytes', (run) => traffic(run).l2Read + traffic(run).l2Written, 'L2 traffic'),
    plain('bytes to and from DRAM', 'bytes', (run) => traffic(run).dram, 'DRAM traffic'),
    plain('multiply-adds per byte of DRAM traffic', 'per byte', (run) => level(run, 'DRAM') ?? null, '', (value) => number(value)),
    plain('cycles simulated', 'cycles', (run) => run.document.simulated_cycles, ''),
    ...[...new Set(runs.flatMap((run) => Object.entries({...run.document.printed, ...run.measured})
      .filter(([name, value]) => typeof value === 'number' && !(name in (run.axes || {}))).map(([name]) => name)))]
      .map((name) => plain(words(name), '', (run) => ({...run.document.printed, ...run.measured})[name] ?? null, words(name), (value) => number(value, 6))),
  ];
}

const state = (run) => run.document.end !== 'finished' ? words(String(run.document.end)) :
  run.document.verified === true ? 'verified against a reference' : run.document.verified === false ? 'WRONG RESULT' :
  run.document.exit_code ? `program returned ${run.document.exit_code}` : 'finished (nothing to compare with)';
function stateNode(run) {
  const good = run.document.end === 'finished' && run.document.verified !== false && !run.document.exit_code;
  return element('span', {class: good ? 'good' : 'bad'}, state(run));
}
const limiter = (run) => run.document.limiter || (run.document.end === 'finished' ? 'No limiter is recorded.' :
  `The run did not finish: ${words(run.document.end || 'unknown end')}.`);

/** How the unit adds products, to the bit. */
const sums = {title: 'sums', text: (run) => run.document.numerics ?? '', left: true};

/** Rows {title, text(run)} of the same text for all runs, and the others. */
function parted(rows) {
  const shown = rows.filter((row) => runs.some((run) => row.text(run) !== ''));
  return {same: shown.filter((row) => !differs(runs.map(row.text))), other: shown.filter((row) => differs(runs.map(row.text)))};
}
const kBeside = 3;  // so many runs stand beside each other; more of them below each other
const cellOf = (row, run) => row.node ? row.node(run) : row.text(run);
/** A table of all runs; of few ones with a column for each, else with a line for each. */
function tableOfRuns(rows) {
  if (runs.length <= kBeside) return table(['', ...runs.map((run) => '#' + run.name)], rows.map((row) => [row.title, ...runs.map((run) => cellOf(row, run))]));
  return table(['run', ...rows.map((row) => (row.left ? '' : '#') + row.title)], runs.map((run) => [run.name, ...rows.map((row) => cellOf(row, run))]));
}
const folded = (title, ...children) => element('details', {}, element('summary', {}, title), ...children);
const open = (node) => { node.setAttribute('open', ''); return node; };

/** Runs as points, for charts over an axis; energies with the ends of their intervals. */
function spaceOfRuns(axes, results) {
  const columns = results.flatMap((one) => [[one.title, one.get],
    ...(one.ends ? [0, 1].map((end) => [one.title + ['_low', '_high'][end], (run) => one.ends(run)?.[end] ?? null]) : [])]);
  return new Space(axes, columns.map(([title]) => title), runs.map((run, i) => ({
    state: run.document.verified === false || run.document.end !== 'finished' ? 'wrong' : 'ok',
    axes: axes.map((axis) => axis.labels.indexOf(axis.of[i])), values: columns.map(([, get]) => get(run))})));
}

function overAxes(axes, results) {
  if (runs.length < 3 || !axes.some((axis) => axis.numbers) && axes.length < 2) return;
  const space = spaceOfRuns(axes, results);
  const shown = results.filter((one) => one.chart && space.numeric.includes(one.title) && differs(runs.map(one.get)));
  if (!shown.length) return;
  const titles = Object.fromEntries(shown.map((one) => [one.title, one.chart + (one.unit && one.unit.toLowerCase() !== one.chart.toLowerCase() ? `, ${one.unit}` : '')]));
  const first = firstAxes(space);
  const lines = space.varied.length > 2 ? kEach : first.s;
  const moved = axes.filter((axis) => axis.with.length).map((axis) => ` With ${axis.name}, ${axis.with.length < 4 ? axis.with.join(', ') :
    `${axis.with.length} other keys`} ${axis.with.length === 1 ? 'changes' : 'change'}, too.`).join('');
  const left = runs.length - space.good.length;
  section('axes', 'Over a parameter', axisFigure(space, `Results over a key in which the runs differ, with a line for each value of the others. Bands: intervals of energies.${moved}` +
    (left ? ` ${left} without a right result ${left === 1 ? 'is' : 'are'} left out.` : ''), {x: first.x, s: lines}, shown.map((one) => one.title), titles, 280));
}

/** More runs than stand beside each other go by their axes, not by the order in which they were given. */
function orderRuns() {
  if (runs.length <= kBeside) return;
  const axes = axesOfRuns(givenKeys());
  const key = new Map(runs.map((run, i) => [run, axes.map((axis) => axis.labels.indexOf(axis.of[i]))]));
  runs.sort((a, b) => key.get(a).map((at, i) => at - key.get(b)[i]).find((step) => step !== 0) ?? 0);
}

/** Several runs: first what differs, then charts of it; what is the same is folded. */
function differences() {
  orderRuns();
  const keys = givenKeys(), axes = axesOfRuns(keys), results = resultsOf();
  const rowOf = (key) => ({title: key.name + (key.unit ? `, ${key.unit}` : ''), text: (run) => key.labels[runs.indexOf(run)],
    left: !key.labels.every(isNumber)});
  const heads = axes.map((axis) => keys.find((key) => key.name === axis.name));
  const others = keys.filter((key) => differs(key.labels) && !heads.includes(key));
  const {same, other} = parted([{title: 'result', text: state, node: stateNode, left: true}, ...results, sums, {title: 'limited by', text: limiter, left: true}]);
  const few = runs.length <= kBeside;
  section('differs', 'What differs', regionNotes(), setUpNotes());
  if (few)
    for (const run of runs) place.append(element('p', {class: 'limiter'}, element('b', {}, run.name + ': '), limiter(run)));
  place.append(tableOfRuns([...heads.map(rowOf), ...other.filter((row) => !few || row.title !== 'limited by')]));
  if (others.length) {
    const list = folded(`${others.length} more ${others.length === 1 ? 'key differs' : 'keys differ'}`, keyTable(others));
    place.append(others.length <= 12 && few ? open(list) : list);
  }
  const kept = [...keys.filter((key) => !differs(key.labels)).map(rowOf), ...same];
  place.append(folded(`the same in all ${runs.length} runs: ${kept.length} keys and results`,
    table(['', 'all runs'], kept.map((row) => [row.title, cellOf(row, runs[0])]))));
  accuracy(results);
  overAxes(axes, results);
  comparisons(results);
}

/** Keys as rows with the value of each run and where it was set. */
function keyTable(keys) {
  const changes = runs.map(changesOf);
  const cell = (key, i) => key.labels[i] + (changes[i][key.name] ? `  (${changes[i][key.name].place})` : '');
  return table(['key', ...runs.map((run) => run.name), 'unit'], keys.map((key) => [key.name, ...runs.map((run, i) => cell(key, i)), key.unit]));
}

function comparisons(results) {
  const shown = results.filter((one) => one.chart && differs(runs.map(one.get)));
  if (!shown.length) return;
  const grid = element('div', {class: 'small'});
  section('comparison', 'Run by run', element('p', {class: 'aid'}, 'Bars: the same figure of each run; shorter is less. What is the same in all runs has none. Thin line: the interval of an energy; the entries of one energy table are wrong for all runs in the same way.'), grid);
  for (const one of shown)
    grid.append(element('figure', {}, element('figcaption', {}, element('h3', {}, one.chart)),
      canvasFor(() => comparison(runs.map(one.get), one.unit, (value) => `${number(value, 6)} ${one.unit}`, one.ends ? runs.map(one.ends) : null), barsHeight(runs.map((run) => run.name), 28, 52), one.chart)));
}

/** A box for each run: those whose details are shown. */
function chooseRuns(change) {
  const box = (run, i) => {
    const input = element('input', {type: 'checkbox', ...(shown.includes(run) ? {checked: 'checked'} : {})});
    input.addEventListener('change', () => {
      shown = runs.filter((other) => other === run ? input.checked : shown.includes(other));
      change();
    });
    return element('label', {class: 'box'}, input, run.name);
  };
  return element('div', {class: 'boxes'}, ...runs.map(box));
}
/** All of few runs; of many the first with the fewest cycles and the first with the most. */
function firstShown() {
  if (runs.length <= kBeside) return runs;
  const by = [...runs].sort((a, b) => a.document.cycles - b.document.cycles);
  return runs.filter((run) => run === by[0] || run === by.at(-1));
}
