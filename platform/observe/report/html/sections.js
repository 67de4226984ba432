// SPDX-License-Identifier: Apache-2.0
// The page from top to bottom. Every chart says what it shows, in which unit and how to read it.
'use strict';

/** With places for a new line in a key's name. */
const breakable = (text) => text.replace(/[._/](?=\w)/g, '$&\u200b');
/** Columns whose title starts with # hold numbers. A cell is text, {code: text} or an element. */
function table(columns, rows) {
  const used = columns.map((column, i) => i === 0 || rows.some((row) => row[i] && (row[i].code ?? row[i]) !== ''));
  if (used.includes(false)) return table(columns.filter((column, i) => used[i]), rows.map((row) => row.filter((cell, i) => used[i])));
  const kind = columns.map((column) => column.startsWith('#') ? 'number' : '');
  const kindOf = (text, i) => kind[i] || (/[^\s\-_./]{17}/.test(text) ? 'any ' : '') + (text.length > 40 ? 'long' : '');
  const cell = (content, i) => content instanceof Node ? element('td', {class: kind[i]}, content) :
    content && content.code !== undefined ? element('td', {class: 'code'}, content.code) :
    element('td', {class: kindOf(String(content ?? ''), i)}, i === 0 ? breakable(String(content ?? '')) : String(content ?? ''));
  return element('div', {class: 'scroll'}, element('table', {},
    element('thead', {}, element('tr', {}, ...columns.map((column, i) => element('th', {class: kind[i]}, breakable(column.replace(/^#/, '')))))),
    element('tbody', {}, ...rows.map((row) => element('tr', {}, ...row.map(cell))))));
}

let shown = [];  // runs whose details are on the page

/** A title, how to read it, and below it what `content(run)` gives for each run, side by side. Nothing when it is
 * null for all of them. */
function figure(title, aid, content, into = place, beside = runs.length > 1) {
  const contents = shown.map(content);
  if (contents.every((node) => node === null)) return;
  const cells = shown.map((run, i) => element('div', {class: 'run'}, runs.length > 1 ? element('h4', {}, run.name) : null,
    contents[i] ?? element('p', {class: 'none'}, 'nothing of this kind in this run')));
  into.append(element('figure', {}, element('figcaption', {}, element('h3', {}, title), element('p', {}, aid)),
    element('div', {class: beside ? 'runs' : ''}, ...cells)));
}
/** The same with one chart per run; `make(run)` gives its configuration or null. */
function chartFigure(title, aid, height, make, into = place, after = () => null) {
  figure(title, aid, (run) => {
    if (make(run) === null) return null;
    const pixels = typeof height === 'function' ? height(run) : height;  // or a function of the width
    return element('div', {}, canvasFor(() => make(run), pixels, `${title}: ${run.name}`), after(run));
  }, into);
}
const pair = () => {
  const node = element('div', {class: runs.length > 1 ? '' : 'pair'});
  place.append(node);
  return node;
};
const bars = (rows) => barsHeight(rows.map((row) => row.name), 30, 52);
const region = runs.some((run) => run.document.region) ? ' Dashed lines: begin and end of the timed region.' : '';
const timed = runs.every((run) => run.document.region) ? 'timed region' : runs.some((run) => run.document.region) ?
  'timed region, or the whole run where the program marks none' : 'whole run';

/** What was timed, where that is not the usual region in all runs; else nothing. */
function regionNotes() {
  const windows = new Map();
  for (const run of runs) {
    const name = run.document.window;
    if (name) windows.set(name, [...(windows.get(name) ?? []), run]);
  }
  if (windows.size === 0 || (windows.size === 1 && windows.has('results'))) return '';
  const texts = [...windows].map(([name, group]) => `${windows.size > 1 ? group.map((run) => run.name).join(', ') + ' ' : ''}timed ${group[0].document.timed} (${name})`);
  return element('p', {class: windows.size > 1 ? 'limiter bad' : 'limiter'}, (windows.size > 1 ? 'The runs are timed over different regions, so their results do not compare: ' : 'Another region than the usual one is ') +
    texts.join('; ') + '.');
}

/** The cycles before the first load of an operand, where they are 2 % of the region or more in some run. */
function setUpNotes() {
  const parts = runs.filter((run) => run.document.lead_cycles != null && run.document.cycles > 0)
    .map((run) => ({run, percent: 100 * run.document.lead_cycles / run.document.cycles}));
  if (!parts.some((part) => part.percent >= 2)) return '';
  return element('p', {class: 'limiter'}, 'Set-up before the first load of an operand is part of the region: ' + parts.map((part) =>
    `${whole(part.run.document.lead_cycles)} cycles (${part.percent.toFixed(1)} %)${runs.length > 1 ? ' in ' + part.run.name : ''}`).join(', ') + '.');
}

/** Of a single run. */
function overview() {
  const run = runs[0];
  section('overview', 'Overview', element('p', {class: 'limiter'}, limiter(run)), regionNotes(), setUpNotes());
  const program = run.document.size ? `${run.document.design}, ${run.document.size}` : run.document.model ??
    ((run.document.provenance || {}).command_line || '').replace(/^\S*\//, '');
  place.append(table(['', '#' + run.name], [['program', program], ['configuration', (run.document.configuration || {}).name], ['result', stateNode(run)],
    ...[...resultsOf(), sums].map((row) => [row.title, row.text(run)]).filter((row) => row[1] !== '')]));
}

/** One bar for each run: the issue slots of all its cores. */
function slotsOfRuns() {
  const rows = runs.map((run) => ({name: run.name, parts: partsOf(slotRows(run))})).filter((row) => Object.keys(row.parts).length);
  if (rows.length <= kBeside) return;
  const title = 'What the cores of each run did with their issue slots';
  place.append(element('figure', {}, element('figcaption', {}, element('h3', {}, title),
    element('p', {}, `Share of cycles of all cores, ${timed}. Green: an instruction was issued; any other colour: why not.`)),
  canvasFor(() => shareBars(runs[0], rows, '% of cycles'), bars(rows), title)));
}

function time() {
  section('time', 'Where time went');
  slotsOfRuns();
  if (!shown.length) place.append(element('p', {class: 'none'}, 'No run is chosen.'));
  const both = pair();
  chartFigure('What each core did with its issue slot',
    `Share of cycles, ${timed}. Green: an instruction was issued; any other colour: why not. Grey: nothing to do or waiting for other warps.`,
    (run) => bars(coreRows(run)), (run) => coreRows(run).length ? shareBars(run, coreRows(run), '% of cycles') : null, both);
  chartFigure('What units and memories did',
    `Share of cycles, ${timed}, of every unit that did anything. Green: it worked; other colours: what it waited for or prepared.`,
    (run) => bars(unitRows(run)), (run) => unitRows(run).length ? shareBars(run, unitRows(run), '% of cycles') : null, both);
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
  place.append(table(['', '#samples', '#smallest', '#median', '#90 % up to', '#largest'], measured.map(({name, measured: of}) =>
    [name, ...[of.samples, of.min, of.median, of.p90, of.max].map((value) => value === undefined ? '' : whole(value))])));
}

/** What the machine did while each kernel ran; runs without an account by launch have no such section. */
function launches() {
  const with_account = shown.filter((run) => run.document.launch_account);
  if (with_account.length === 0) return;
  section('launches', 'Launches of kernels');
  const bytes = (row, level) => row.bytes && level in row.bytes ? whole(row.bytes[level]) : '';
  const tableOf = (run) => {
    const account = run.document.launch_account, total = account.total.cycles;
    const line = ([name, row]) => [name, row.launches ? whole(row.launches) : '', whole(row.cycles), total ? percent(row.cycles / total) : '',
      whole(row.warp_instructions), percent(row.lane_utilisation), ...['l1', 'shared', 'l2', 'dram'].map((level) => bytes(row, level)),
      row.energy_uj ? number(row.energy_uj.total) : '', row.limiter ?? ''];
    const rows = Object.entries(account.by_name).sort((a, b) => b[1].cycles - a[1].cycles);
    return table(['kernel', '#launches', '#cycles', '#share', '#warp instructions', '#lanes', '#l1, bytes', '#shared, bytes', '#l2, bytes', '#DRAM, bytes', '#energy, uJ', 'limited by'],
      [...rows, ['total', account.total]].map(line));
  };
  figure('By kernel', 'Each time between two launches or ends of kernels belongs to exactly one row: that of the kernels that ran then, so the rows add up to the run. ' +
    'A kernel runs from its launch to the end of its last warp. Lanes: share of active lanes in issued instructions.',
  (run) => run.document.launch_account ? tableOf(run) : null, place, false);
}

function windows() {
  const lengths = [...new Set(runs.map((run) => (run.document.timeline || {}).window_cycles).filter(Boolean))];
  return lengths.length ? `One window is ${lengths.map(whole).join(' or ')} cycles.` : '';
}

function sharedMemory() {
  if (shown.every((run) => sharedMemoryRows(run, false).length === 0)) return;
  section('shared', 'Shared memory');
  const both = pair();
  chartFigure('Words by client', `Words each client read and wrote, ${timed}. The longest bar is the client that fills the banks.`,
    (run) => bars(sharedMemoryRows(run, false)),
    (run) => sharedMemoryRows(run, false).length ? amountBars((other) => sharedMemoryRows(other, false), run, 'words') : null, both);
  chartFigure('Words by bank', `Words read from and written to each bank, ${timed}. Unequal bars: the data stands in few banks.`,
    (run) => bars(sharedMemoryRows(run, true)),
    (run) => sharedMemoryRows(run, false).length ? amountBars((other) => sharedMemoryRows(other, true), run, 'words') : null, both);
  const scale = (run) => element('div', {class: 'scale'}, '0', element('b', {style: `background:linear-gradient(90deg,${[0, 0.25, 0.5, 0.75, 1].map(heat).join(',')})`}),
    `${(run.document.machine || {}).bank_words_per_cycle || 'most'} words per cycle (all word banks busy)`);
  chartFigure('Heat map of the banks', 'Words per cycle in each bank (rows) over the run (left to right). Bright: the bank serves all it can; dark: it is idle.',
    (run) => 75 + 30 * bankRates(run).banks.length, bankHeatMap, place, scale);
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
    (run) => bars(cacheRows(run)), (run) => cacheRows(run).length ? shareBars(run, cacheRows(run), '% of accesses') : null, both);
  chartFigure('Memory traffic over time', 'Bytes per cycle through the L2 and to DRAM, by window. A plateau at the limit (' + limits() + ') is a saturated level.',
    280, trafficChart);
}

function network() {
  if (shown.every((run) => channelRows(run).length === 0)) return;
  section('network', 'Ports, slices and channels');
  chartFigure('What ports, slices and channels did', `Share of cycles of all of a kind, ${timed}. Green: a transfer passed alone; busy: another one waited behind it, so its bandwidth was the limit; ` +
    'other colours: nothing passed although something waited.', (run) => bars(channelRows(run)), (run) => channelRows(run).length ? shareBars(run, channelRows(run), '% of cycles') : null);
  chartFigure('Ports, slices and main memory over time', `Share of what all of a kind can carry, by window. Memory: what it accepts; what is above 100 % waits in its queues.${region}`, 280, carriedOverTime);
  figure('Each port, slice and channel', `Share of cycles in which it carried something, ${timed}. A bright column in a dark row: the load is uneven.`, eachChannel);
  figure('Traffic of each pair', 'Data in both directions, whole run. A bright column: a slice with more than its share. Dark rows: clusters with little work.', trafficMap);
  figure('Slices of the level 2 cache over time', 'Bytes per cycle, read and written, by window.', slicesOverTime);
}

function energy() {
  if (!shown.some(energyOf)) return;
  section('energy', 'Energy');
  const both = pair();
  chartFigure('Active energy by unit', `${timed[0].toUpperCase() + timed.slice(1)}, without idle power and DRAM. Bar: nominal; thin line: from the lowest to the highest values of the energy table.`,
    (run) => bars(energyOf(run) ? energyUnits(run.energy) : []), energyBars, both);
  chartFigure('Inside the units', 'Parts with at least 0.5 % of the active energy; one colour per unit.',
    (run) => barsHeight(energyParts(run).names, 24, 52), (run) => (energyParts(run) || {config: null}).config, both);
  chartFigure('Power over time', `Active power by unit in mW, stacked: the upper edge is the sum.${region}`, 320, powerOverTime);
  figure('Limits of these energies', 'What was scaled from another technology, or extrapolated beyond the sizes a law of the energy table is known for.', (run) => {
    const notes = (energyOf(run) || {}).notes || [];
    return notes.length ? element('ul', {}, ...notes.map((note) => element('li', {}, note))) : null;
  });
  figure('Hot lines', 'The source lines with the most energy and those with the most cycles. Energy: nominal, of the cores only as far as instructions cause it. Cycles: issue slots of all cores spent on the line, waiting included.', hotLines,
    place, false);
  for (const kind of ['active_energy', 'total_energy'])
    for (const run of shown.filter((one) => tornado(one, kind)))
      place.append(element('figure', {}, element('figcaption', {},
        element('h3', {}, `What the ratio of ${words(kind)} depends on: ${run.name} / ${run.sensitivity.base}`),
        element('p', {}, 'Each bar: one entry of the energy table at the low and at the high end of its range, all others at their nominal values; prior.NAME: all entries of one prior at once; ' +
          `the ${tornado(run, kind).data.labels.length} strongest. (?): doubtful, the source does not give the value itself. No run is repeated: energies are sums of counts times entries.`)),
      canvasFor(() => tornado(run, kind), barsHeight(tornado(run, kind).data.labels, 27, 60), `Tornado of ${words(kind)}: ${run.name}`)));
}

function origin() {
  section('configuration', 'Configuration');
  const base = runs.map((run) => (run.document.configuration || {}).base).find(Boolean);
  const changed = givenKeys().filter((key) => key.kind === 'machine');
  const shared = changed.filter((key) => !differs(key.labels));
  if (base && changed.length === 0)
    place.append(element('p', {}, `No value differs from the configuration ${base}.`));
  else if (base && runs.length === 1)
    place.append(element('p', {class: 'aid'}, `Values that differ from the configuration ${base}, the machine of the paper, and where each was set.`),
      table(['parameter', base, runs[0].name, 'unit'], Object.values(changesOf(runs[0])).map((one) => [one.key, one.base ?? 'not there',
        `${one.value ?? 'not there'}  (${one.place})`, one.unit])));
  else if (base)
    place.append(element('p', {class: 'aid'}, `Machines of all runs beside the configuration ${base}, the machine of the paper. Values in which the runs differ stand at the top of this page, too.`),
      folded(`differ between the runs: ${changed.length - shared.length}`, keyTable(changed.filter((key) => differs(key.labels)))),
      folded(`the same in all runs, but not as in ${base}: ${shared.length}`, table(['parameter', 'all runs', 'unit'], shared.map((key) => [key.name, key.labels[0], key.unit]))));
  const all = runs.filter((run) => run.config).map((run) => folded(`all values in effect${runs.length > 1 ? ': ' + run.name : ''}`, element('pre', {}, run.config)));
  place.append(...(all.length > kBeside ? [folded('all values in effect, of each run', ...all)] : all));

  section('provenance', 'Where this comes from');
  const facts = [...new Set(runs.flatMap((run) => Object.keys(run.document.provenance || {})))];
  const fact = (name) => ({title: words(name), left: true, text: (run) => String((run.document.provenance || {})[name] ?? ''),
    node: (run) => element('span', {class: 'code'}, String((run.document.provenance || {})[name] ?? ''))});
  const rows = [...facts.map(fact), {title: 'host seconds', text: (run) => number(run.document.host_seconds)},
    {title: 'simulated cycles per second', text: (run) => whole(run.document.simulated_cycles_per_second || 0)}];
  const {same, other} = runs.length > 1 ? parted(rows) : {same: [], other: rows};
  place.append(tableOfRuns(other), ...(same.length ? [folded(`the same in all runs: ${same.length}`, table(['', 'all runs'], same.map((row) => [row.title, cellOf(row, runs[0])])))] : []),
    element('p', {class: 'aid'}, `Report written by Spica ${report.version}. The models' differences from the hardware are listed in docs/deviations.md.`));
}

/** On what the results rest: known differences, uncertain values. */
function fidelity() {
  const known = runs.filter((run) => run.document.fidelity);
  if (known.length === 0) return;
  section('fidelity', 'What the results rest on');
  for (const run of known) {
    const {deviations, uncertain, sensitivity} = run.document.fidelity;
    const changes = ((sensitivity || {}).changes || []).filter((one) => Math.abs(one.change) >= 0.01);
    const parts = [table(['', 'known difference from the hardware', 'effect'], deviations.map((one) => [one.id, one.title, one.effect])),
      element('p', {class: 'aid'}, `${uncertain.length} parameters have defaults that no source gives. ` + (sensitivity ?
        `At half and twice their value ${changes.length ? 'these move' : 'none moves'} ${sensitivity.design} ${sensitivity.size} by 1 % or more.` : 'By how much they move this result is not measured.')),
      table(['parameter', 'default', 'other value', '#cycles'], changes.map((one) => [one.key, one.from, one.to, `${one.change > 0 ? '+' : ''}${(100 * one.change).toFixed(1)} %`])),
      folded('all of these parameters', table(['parameter', 'value', 'unit', 'source'], uncertain.map((one) => [one.key, one.value, one.unit, one.source])))];
    place.append(folded(`${deviations.length} known differences, ${uncertain.length} uncertain parameters${runs.length > 1 ? ': ' + run.name : ''}`, ...parts));
  }
}

/** What is shown of single runs; of many runs only of those that are chosen. */
function details() {
  if (runs.length <= kBeside) {
    for (const part of [samples, operators, launches, time, sharedMemory, memory, network, energy]) part();
    return;
  }
  const body = element('div', {});
  let own = [];
  const draw = () => {
    removeCharts(own);
    body.replaceChildren();
    place = body;
    own = chartsOf(() => [samples, operators, launches, time, sharedMemory, memory, network, energy].forEach((part) => part()));
    place = main;
    if (root.dataset.charts) drawAll();
  };
  section('details', 'Runs in detail', element('p', {class: 'aid'}, 'Charts below are of the runs chosen here, at first of the one with the fewest cycles and the one with the most.'),
    chooseRuns(draw), body);
  draw();
}

shown = firstShown();
if (runs.length > 1) differences();
else overview();
details();
fidelity();
origin();
start();
