// SPDX-License-Identifier: Apache-2.0
// The page from top to bottom. Every chart says what it shows, in which unit and how to read it.
'use strict';

/** Columns whose title starts with # hold numbers. A cell is text, {code: text} or an element. */
function table(columns, rows) {
  const used = columns.map((column, i) => i === 0 || rows.some((row) => row[i] && (row[i].code ?? row[i]) !== ''));
  if (used.includes(false)) return table(columns.filter((column, i) => used[i]), rows.map((row) => row.filter((cell, i) => used[i])));
  const kind = columns.map((column) => column.startsWith('#') ? 'number' : '');
  const cell = (content, i) => content instanceof Node ? element('td', {class: kind[i]}, content) :
    content && content.code !== undefined ? element('td', {class: 'code'}, content.code) :
    element('td', {class: kind[i]}, content === null || content === undefined ? '' : String(content));
  return element('div', {class: 'scroll'}, element('table', {},
    element('thead', {}, element('tr', {}, ...columns.map((column, i) => element('th', {class: kind[i]}, column.replace(/^#/, ''))))),
    element('tbody', {}, ...rows.map((row) => element('tr', {}, ...row.map(cell))))));
}

const main = document.getElementById('main');
function section(id, title) {
  const heading = element('h2', {id}, title);
  main.append(heading);
  document.getElementById('contents').append(element('a', {href: '#' + id}, title));
}

/** A title, how to read it, and below it what `content(run)` gives for each run, side by side. Nothing when it is
 * null for all of them. */
function figure(title, aid, content, into = main, beside = runs.length > 1) {
  const contents = runs.map(content);
  if (contents.every((node) => node === null)) return;
  const cells = runs.map((run, i) => element('div', {class: 'run'}, runs.length > 1 ? element('h4', {}, run.name) : null,
    contents[i] ?? element('p', {class: 'none'}, 'nothing of this kind in this run')));
  into.append(element('figure', {}, element('figcaption', {}, element('h3', {}, title), element('p', {}, aid)),
    element('div', {class: beside ? 'runs' : ''}, ...cells)));
}
/** The same with one chart per run; `make(run)` gives its configuration or null. */
function chartFigure(title, aid, height, make, into = main, after = () => null) {
  figure(title, aid, (run) => {
    if (make(run) === null) return null;
    const pixels = typeof height === 'function' ? height(run) : height;
    return element('div', {}, canvasFor(() => make(run), pixels, `${title}: ${run.name}`), after(run));
  }, into);
}
const pair = () => {
  const node = element('div', {class: runs.length > 1 ? '' : 'pair'});
  main.append(node);
  return node;
};
const bars = (rows) => 105 + 34 * rows;
const region = runs.some((run) => run.document.region) ? ' Dashed lines: begin and end of the timed region.' : '';
const timed = runs.every((run) => run.document.region) ? 'timed region' : runs.some((run) => run.document.region) ?
  'timed region, or the whole run where the program marks none' : 'whole run';

function overview() {
  section('overview', 'Overview');
  for (const run of runs)
    main.append(element('p', {class: 'limiter'}, runs.length > 1 ? element('b', {}, run.name + ': ') : null,
      run.document.limiter || (run.document.end === 'finished' ? 'No limiter is recorded.' :
        `The run did not finish: ${words(run.document.end || 'unknown end')}.`)));
  const state = (run) => {
    const good = run.document.end === 'finished' && run.document.verified !== false && !run.document.exit_code;
    return element('span', {class: good ? 'good' : 'bad'}, run.document.end !== 'finished' ? words(String(run.document.end)) :
      run.document.verified === true ? 'verified against a reference' : run.document.verified === false ? 'WRONG RESULT' :
      run.document.exit_code ? `program returned ${run.document.exit_code}` : 'finished (nothing to compare with)');
  };
  const clock = (run) => (run.document.machine || {}).clock_mhz;
  const rows = [
    ['program', (run) => run.document.size ? `${run.document.design}, ${run.document.size}` :
      ((run.document.provenance || {}).command_line || '').replace(/^\S*\//, '')],
    ['configuration', (run) => (run.document.configuration || {}).name],
    ['result', state],
    ['cycles of the ' + timed, (run) => whole(run.document.cycles)],
    ['time', (run) => clock(run) ? `${number(run.document.cycles / clock(run), 4)} us at ${clock(run)} MHz` : ''],
    ['cycles simulated', (run) => whole(run.document.simulated_cycles)],
    ['utilisation of the multiplying unit', (run) => typeof run.document.utilisation === 'number' ? percent(run.document.utilisation) : ''],
    ['warp instructions', (run) => whole(run.document.instructions)],
    ['lane instructions', (run) => whole(run.document.thread_instructions)],
    ['multiply-adds per byte of DRAM traffic', (run) => number((((roofline(run) || {}).levels || []).find((level) => level.name === 'DRAM') || {}).intensity)],
    ['active energy', (run) => energyOf(run) ? `${number(nominal(run.energy.window.active_uj))} uJ (${number(run.energy.window.active_uj.low)} to ${number(run.energy.window.active_uj.high)})` : ''],
    ['active power', (run) => energyOf(run) ? `${number(nominal(run.energy.window.active_mw))} mW` : ''],
    ...totalRows(),
  ].map(([name, get]) => [name, ...runs.map((run) => get(run) ?? '')]).filter((row) => row.slice(1).some((cell) => cell !== ''));
  main.append(table(['', ...runs.map((run) => '#' + run.name)], rows));
  if (runs.length > 1) compare();
}

function compare() {
  const grid = element('div', {class: 'small'});
  main.append(element('p', {class: 'aid'}, 'Bars: the same figure of each run; shorter is less.'), grid);
  const bar = (title, unit, get, format = whole) => {
    const values = runs.map(get);
    if (values.every((value) => !value)) return;
    grid.append(element('figure', {}, element('figcaption', {}, element('h3', {}, title)),
      canvasFor(() => comparison(values, unit, format), 70 + 30 * runs.length, title)));
  };
  bar('Cycles', 'cycles of the ' + timed, (run) => run.document.cycles);
  bar('Utilisation', '% of peak multiply-adds', (run) => 100 * (run.document.utilisation || 0), (value) => number(value) + ' %');
  bar('Warp instructions', 'instructions', (run) => run.document.instructions);
  bar('L2 traffic', 'bytes', (run) => traffic(run).l2Read + traffic(run).l2Written);
  bar('DRAM traffic', 'bytes', (run) => traffic(run).dram);
  bar('Total energy', 'uJ: active, idle, DRAM', (run) => energyOf(run) ? nominal((run.energy.total || {}).total_energy_uj) : 0, number);
  bar('Active energy', 'uJ', (run) => energyOf(run) ? nominal(run.energy.window.active_uj) : 0, number);
}

function time() {
  section('time', 'Where time went');
  const both = pair();
  chartFigure('What each core did with its issue slot',
    `Share of cycles, ${timed}. Green: an instruction was issued; any other colour: why not. Grey: nothing to do or waiting for other warps.`,
    (run) => bars(coreRows(run).length) + 45, (run) => coreRows(run).length ? shareBars(run, coreRows(run), '% of cycles') : null, both);
  chartFigure('What units and memories did',
    `Share of cycles, ${timed}, of every unit that did anything. Green: it worked; other colours: what it waited for or prepared.`,
    (run) => bars(unitRows(run).length) + 45, (run) => unitRows(run).length ? shareBars(run, unitRows(run), '% of cycles') : null, both);
  figure('Units over the whole run',
    `Share of each window of time by what a unit did; the height of the green area is how busy it was.${region}` +
    ` Shares beside the charts are of the whole run. ${windows()}`, timelineFor);
}

/** What the program of an experiment measured itself. */
function samples() {
  const measured = runs.filter((run) => histogram(run));
  if (measured.length === 0) return;
  section('samples', 'Samples');
  chartFigure('Histogram', 'How often the program measured what; the same steps in all charts.', 260, histogram);
  main.append(table(['', '#samples', '#smallest', '#median', '#90 % up to', '#largest'], measured.map(({name, measured: of}) =>
    [name, ...[of.samples, of.min, of.median, of.p90, of.max].map((value) => value === undefined ? '' : whole(value))])));
}

function windows() {
  const lengths = [...new Set(runs.map((run) => (run.document.timeline || {}).window_cycles).filter(Boolean))];
  return lengths.length ? `One window is ${lengths.map(whole).join(' or ')} cycles.` : '';
}

function sharedMemory() {
  if (runs.every((run) => sharedMemoryRows(run, false).length === 0)) return;
  section('shared', 'Shared memory');
  const both = pair();
  chartFigure('Words by client', `Words each client read and wrote, ${timed}. The longest bar is the client that fills the banks.`,
    (run) => bars(sharedMemoryRows(run, false).length),
    (run) => sharedMemoryRows(run, false).length ? amountBars((other) => sharedMemoryRows(other, false), run, 'words') : null, both);
  chartFigure('Words by bank', `Words read from and written to each bank, ${timed}. Unequal bars: the data stands in few banks.`,
    (run) => bars(sharedMemoryRows(run, true).length),
    (run) => sharedMemoryRows(run, false).length ? amountBars((other) => sharedMemoryRows(other, true), run, 'words') : null, both);
  const scale = (run) => element('div', {class: 'scale'}, '0', element('b', {style: `background:linear-gradient(90deg,${[0, 0.25, 0.5, 0.75, 1].map(heat).join(',')})`}),
    `${(run.document.machine || {}).bank_words_per_cycle || 'most'} words per cycle (all word banks busy)`);
  chartFigure('Heat map of the banks', 'Words per cycle in each bank (rows) over the run (left to right). Bright: the bank serves all it can; dark: it is idle.',
    (run) => 75 + 30 * bankRates(run).banks.length, bankHeatMap, main, scale);
}

/** What the L2 and DRAM can move at most. */
const limits = () => [...new Set(runs.map((run) => run.document.machine).filter(Boolean).map((machine) =>
  `L2: ${number(machine.l2_bytes_per_cycle)} each way, DRAM: ${number(machine.dram_bytes_per_cycle)} in all`))].join('; ');

function memory() {
  section('memory', 'Memory system');
  const both = pair();
  chartFigure('Roofline', `Diamonds: this run, at the multiply-adds it does per byte of each memory level, ${timed}. ` +
    'On a slanted line that level is the limit; on the flat line the unit is; far below both something else is (see above).', 380, rooflineChart, both);
  chartFigure('Cache accesses', `Share of accesses, ${timed}; all L1 caches of a kind together. Merged: the line was already on its way.`,
    (run) => bars(cacheRows(run).length), (run) => cacheRows(run).length ? shareBars(run, cacheRows(run), '% of accesses') : null, both);
  chartFigure('Memory traffic over time', 'Bytes per cycle through the L2 and to DRAM, by window. A plateau at the limit (' + limits() + ') is a saturated level.',
    280, trafficChart);
}

function energy() {
  if (!runs.some(energyOf)) return;
  section('energy', 'Energy');
  const both = pair();
  chartFigure('Active energy by unit', `${timed[0].toUpperCase() + timed.slice(1)}, without idle power and DRAM. Bar: nominal; thin line: from the lowest to the highest values of the energy table.`,
    (run) => bars(energyOf(run) ? energyUnits(run.energy).length : 1), energyBars, both);
  chartFigure('Inside the units', 'Parts with at least 0.5 % of the active energy; one colour per unit.',
    (run) => bars(energyParts(run).rows * 0.7), (run) => (energyParts(run) || {config: null}).config, both);
  chartFigure('Power over time', `Active power by unit in mW, stacked: the upper edge is the sum.${region}`, 320, powerOverTime);
  figure('Hot lines', 'The source lines with the most energy and those with the most cycles. Energy: nominal, of the cores only as far as instructions cause it. Cycles: issue slots of all cores spent on the line, waiting included.', hotLines,
    main, false);
  for (const kind of ['active_energy', 'total_energy'])
    for (const run of runs.filter((one) => tornado(one, kind)))
      main.append(element('figure', {}, element('figcaption', {},
        element('h3', {}, `What the ratio of ${words(kind)} depends on: ${run.name} / ${run.sensitivity.base}`),
        element('p', {}, 'Each bar: one entry of the energy table at the low and at the high end of its range, all others at their nominal values; prior.NAME: all entries of one prior at once; ' +
          `the ${tornado(run, kind).data.labels.length} strongest. (?): doubtful, the source does not give the value itself. No run is repeated: energies are sums of counts times entries.`)),
      canvasFor(() => tornado(run, kind), 90 + 27 * tornado(run, kind).data.labels.length, `Tornado of ${words(kind)}: ${run.name}`)));
}

function origin() {
  section('configuration', 'Configuration');
  const base = runs.map((run) => (run.document.configuration || {}).base).find(Boolean);
  const keys = new Map();
  runs.forEach((run, i) => ((run.document.configuration || {}).differences || []).forEach((change) => {
    const entry = keys.get(change.key) || {unit: change.unit, base: change.base, values: runs.map(() => undefined)};
    entry.values[i] = change;
    keys.set(change.key, entry);
  }));
  const shown = (value) => value === null || value === undefined ? 'not there' : value;
  if (base && keys.size === 0)
    main.append(element('p', {}, `No value differs from the configuration ${base}.`));
  else if (base)
    main.append(element('p', {class: 'aid'}, `Values that differ from the configuration ${base}, the machine of the paper, and where each was set. Empty: as in ${base}.`),
      table(['parameter', base, ...runs.map((run) => run.name), 'unit'], [...keys].map(([key, entry]) => [key, shown(entry.base),
        ...entry.values.map((change) => change === undefined ? '' : `${shown(change.value)}  (${change.place})`), entry.unit])));
  for (const run of runs)
    if (run.config)
      main.append(element('details', {}, element('summary', {}, `all values in effect${runs.length > 1 ? ': ' + run.name : ''}`), element('pre', {}, run.config)));

  section('provenance', 'Where this comes from');
  const facts = [...new Set(runs.flatMap((run) => Object.keys(run.document.provenance || {})))];
  main.append(table(['', ...runs.map((run) => run.name)], [
    ...facts.map((fact) => [words(fact), ...runs.map((run) => ({code: String((run.document.provenance || {})[fact] ?? '')}))]),
    ['host seconds', ...runs.map((run) => number(run.document.host_seconds))],
    ['simulated cycles per second', ...runs.map((run) => whole(run.document.simulated_cycles_per_second || 0))]]),
  element('p', {class: 'aid'}, `Report written by Spica ${report.version}. The models' differences from the hardware are listed in docs/deviations.md.`));
}

overview();
samples();
time();
sharedMemory();
memory();
energy();
origin();
start();
