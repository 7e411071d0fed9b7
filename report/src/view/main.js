// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {make} from './dom.js';
import {showCompare} from './compare.js';
import {showLive} from './live_page.js';
import {showMap} from './map_page.js';
import {readRun} from './model.js';
import {Pictures} from './pictures.js';
import {RunPage} from './run_page.js';
import {listenToKeys, masthead, settings} from './frame.js';

function showRun(page, run) {
  const runPage = new RunPage(run, Pictures.embedded(run.pictures));
  page.append(masthead(`${run.name}`, run), runPage.tiles,
      make('div', {class: 'columns'}, runPage.routeSection(), runPage.pairSection()),
      runPage.lanesSection(), runPage.evidenceSection(), settings(run));
  const closures = run.closures();
  runPage.select(closures[Math.floor(closures.length / 2)] ?? 0);
  listenToKeys((event) => runPage.key(event));
  return runPage;
}

const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
const runs = (data.runs ?? []).map(readRun);
// For tests, and for whoever looks from the console.
window.looptree = {runs};
async function show() {
  if (data.map) return showMap(page, data.map);
  if (data.live) return showLive(page, data.live);
  return runs.length === 2 ? showCompare(page, runs) : runs.map((run) => showRun(page, run));
}
show().then((pages) => {
  window.looptree.pages = pages;
}, (error) => {
  page.append(make('h1', {}, 'looptree'), make('p', {class: 'reason'}, error.message));
}).then(() => {
  document.documentElement.dataset.ready = 'yes';
});
