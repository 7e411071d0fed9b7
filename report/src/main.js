// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {digits, drawCurves, drawRoute, drawTimes} from './charts.js';
import {chooser} from './groups.js';
import {paper} from './paper.js';

const {runs} = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');

// Everything from a run goes in as text, never as markup.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const several = runs.length > 1;
const label = (run, variant) => several ? `${run.name} · ${variant.name}` : variant.name;

function section(id, title, note, ...controls) {
  const head = make('div', {class: 'head'}, make('h2', {}, title), ...controls);
  const element = make('section', {id}, head);
  if (note) element.append(make('p', {class: 'note'}, note));
  page.append(element);
  return {element, head, append: (...children) => element.append(...children)};
}

function saveButton(id) {
  const button = make('button', {type: 'button', class: 'save'}, 'Save SVG');
  button.addEventListener('click', () => {
    const {chart} = document.querySelector(`#${id} .chart`);
    const svg = chart.svgForPrint();
    const url = URL.createObjectURL(new Blob([svg], {type: 'image/svg+xml'}));
    const link = make('a', {href: url, download: `${id}.svg`});
    link.click();
    URL.revokeObjectURL(url);
  });
  return button;
}

function showRuns() {
  page.append(make('h1', {}, 'looptree report'),
              make('p', {class: 'lead'}, runs.map((run) => `${run.protocol} on ${run.dataset}`).join('; ')));
  const rows = runs.map((run) => make('tr', {},
      make('td', {}, run.name), make('td', {}, run.protocol), make('td', {}, run.dataset),
      make('td', {}, Object.entries(run.facts).map(([k, v]) => `${k} ${digits(v, 6)}`).join(', ')),
      make('td', {}, `${run.machine}; commit ${run.commit}`), make('td', {}, make('code', {}, run.command))));
  const head = make('tr', {}, ...['run', 'protocol', 'data', 'facts', 'measured on', 'command'].map((t) => make('th', {}, t)));
  section('runs', 'Runs').append(make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'runs'}, make('table', {class: 'runs'}, head, ...rows)));
}

function showCurves() {
  const series = runs.flatMap((run) => run.variants.filter((v) => v.curve.length > 0)
      .map((v) => ({name: label(run, v), points: v.curve})));
  if (series.length === 0) return;
  const box = make('div', {class: 'chart'});
  const {head} = section('curves', 'Precision and recall',
          'Each point believes every match of at least its threshold. Hover for the threshold; click a name to hide it.',
          saveButton('curves'));
  document.getElementById('curves').append(box);
  const choice = chooser(series, (lines) => {
    box.chart?.dispose();
    drawCurves(box, lines);
  });
  if (choice) head.append(choice);
}

// The quality a time was had at; a time is never shown without it.
const quality = (v) => ['recall', 'score', 'map'].filter((m) => m in v.metrics)
    .map((m) => `${m} ${digits(v.metrics[m])}`)[0];

function showTimes() {
  const series = runs.flatMap((run) => run.variants.filter((v) => v.times.length > 1 && quality(v))
      .map((v) => ({name: label(run, v), points: v.times.map((t) => [...t, `, ${quality(v)}`])})));
  if (series.length === 0) return;
  const box = make('div', {class: 'chart'});
  const log = make('input', {type: 'checkbox', id: 'log'});
  const {head} = section('times', 'Query time against database size',
          'Median over the queries at a size, all passes; hover for the quartiles and the recall it was had at.',
          make('label', {for: 'log'}, log, ' logarithmic'), saveButton('times'));
  document.getElementById('times').append(box);
  let shown = [];
  const redraw = () => {
    box.chart?.dispose();
    drawTimes(box, shown, log.checked);
  };
  log.addEventListener('change', redraw);
  const choice = chooser(series, (lines) => {
    shown = lines;
    redraw();
  });
  if (choice) head.append(choice);
}

const kColumns = [
  ['closures', 'closures'],
  ['recall', 'recall'], ['score', 'score'], ['map', 'mAP'], ['speedup', 'speed-up (ms per 1k)'],
  ['rate_ms_per_1k', 'ms per 1k'], ['mean_ms', 'mean ms'], ['p95_ms', 'p95 ms'],
  ['precision', 'precision'], ['average_precision', 'AP'],
  ['recall_at_full_precision', 'recall at 100% precision'], ['hits_kept', 'hits kept'],
  ['same_answers', 'same answers'], ['false_alarms', 'false alarms'],
  ['positive_rate_ms_per_1k', 'positive ms per 1k'],
  ['positive_speedup', 'positive speed-up (ms per 1k)'], ['negative_rate_ms_per_1k', 'negative ms per 1k'],
  ['negative_speedup', 'negative speed-up (ms per 1k)'],
];
const isTime = (name) => /_ms|speedup/.test(name);

function cell(entry, name, measured) {
  const value = entry.metrics[name];
  if (value === undefined || (measured && isTime(name) && !quality(entry))) return make('td', {}, '–');
  const low = entry.metrics[`${name}_low`];
  const high = entry.metrics[`${name}_high`];
  const spread = low === undefined ? '' : ` (${digits(low, 3)}..${digits(high, 3)})`;
  return make('td', {}, digits(value) + (isTime(name) ? spread : ''));
}

function showTable(run, index) {
  if (run.variants.length === 0) return;
  const published = (paper[run.protocol] ?? []).filter((t) => !t.metric || run.variants.some((v) => t.metric in v.metrics));
  const present = (rows) => kColumns.filter(([name]) => rows.some((row) => name in row.metrics));
  const columns = present([...run.variants, ...published.flatMap((t) => t.rows)]);
  const table = make('table', {}, make('tr', {}, make('th', {}, 'method'), ...columns.map(([, title]) => make('th', {}, title))));
  for (const variant of run.variants) {
    table.append(make('tr', {}, make('td', {}, variant.name), ...columns.map(([name]) => cell(variant, name, true))));
  }
  for (const {title, rows} of published) {
    table.append(make('tr', {class: 'paper'}, make('td', {class: 'title', colspan: columns.length + 1}, title)));
    for (const row of rows) {
      table.append(make('tr', {class: 'paper'}, make('td', {}, row.name),
                        ...columns.map(([name]) => cell(row, name, false))));
    }
  }
  const note = published.length > 0 ?
      'In italics what the paper published, for its own machine, data and structure: compare ratios, not times.' : '';
  section(`table${index}`, `${run.name}: ${run.protocol} on ${run.dataset}`, note)
      .append(make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `numbers of ${run.name}`}, table));
}

function showRoute(run, index) {
  const choices = run.variants.filter((v) => v.closures.length > 0);
  if (run.route.length === 0 || choices.length === 0) return;
  const id = `route${index}`;
  const box = make('div', {class: 'chart route'});
  const select = make('select', {'aria-label': 'method'}, ...choices.map((v) => make('option', {}, v.name)));
  section(id, `${run.name}: the route and its closures`, '', select, saveButton(id)).append(box);
  const redraw = () => {
    box.chart?.dispose();
    drawRoute(box, run.route, choices[select.selectedIndex].closures);
  };
  select.addEventListener('change', redraw);
  redraw();
}

function showPictures(run, index) {
  if (run.pictures.length === 0) return;
  const figures = run.pictures.map(({name, image}) =>
      make('figure', {}, make('img', {src: image, alt: name, loading: 'lazy'}), make('figcaption', {}, name)));
  section(`pictures${index}`, `${run.name}: pictures`).append(make('div', {class: 'pairs'}, ...figures));
}

showRuns();
showCurves();
showTimes();
runs.forEach(showTable);
runs.forEach(showRoute);
runs.forEach(showPictures);
