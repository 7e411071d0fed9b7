// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {make} from './dom.js';
import {listenToKeys} from './frame.js';
import {kStages, Run} from './model.js';
import {Pictures} from './pictures.js';
import {RunPage} from './run_page.js';
import {address} from './server.js';

const kColumns = ['number', 'name', 'decision', 'match', 'reason', 'score', 'threshold', 'consistent', 'correspondences', 'inliers', 'coverage', 'verified', 'needed_inliers'];
const kRedraw_ms = 120;

const emptyRun = (name) => new Run({name, config: {}, route: null, truth: null, image: null, evidence_: {}, similar_: {},
  frames: {...Object.fromEntries(kColumns.map((column) => [column, []])), stages: Object.fromEntries(kStages.map(([key]) => [key, []]))}});

// A run that is going on: every frame comes as an event, and the page follows the latest closure until somebody looks at
// something else.
export function showLive(page, {path}) {
  const run = emptyRun(path.split('/').filter(Boolean).pop() ?? path);
  const pictures = Pictures.served((number) => address(`/api/frames/${number}/image`));
  const runPage = new RunPage(run, pictures, {chosen: () => { follow.checked = following; }});
  const status = make('span', {class: 'status', role: 'status'}, 'waiting for the first frame');
  const after = make('span', {class: 'after'});
  const follow = make('input', {type: 'checkbox', id: 'follow', checked: true});
  let following = false;
  document.title = `live: ${run.name} · looptree`;
  page.append(make('header', {}, make('h1', {}, `Live: ${run.name}`), make('p', {class: 'lead'}, status, after, ' · ', make('label', {for: 'follow'}, follow, ' follow the latest closure'))),
      runPage.tiles, make('div', {class: 'columns'}, runPage.routeSection(), runPage.pairSection()), runPage.lanesSection(), runPage.evidenceSection());
  listenToKeys((event) => runPage.key(event));

  const delays = [];  // of closures, from the detector to the screen
  let [changed, unseen, latest, counted] = [false, [], -1, 0];
  const redraw = () => {
    if (!changed) return;
    changed = false;
    runPage.route.update();
    if (runPage.route.plane.fitted) runPage.route.plane.fit(runPage.route.bounds());
    else runPage.route.plane.redraw();
    runPage.lanes.redraw();
    runPage.update();
    if (run.closures().length !== counted) {
      counted = run.closures().length;
      runPage.histogram.update();
    }
    if (follow.checked && latest >= 0) {
      following = true;
      runPage.select(latest);
      following = false;
      latest = -1;
    } else if (runPage.row < 0 && run.size > 0) {
      following = true;
      runPage.select(0);
      following = false;
    }
    requestAnimationFrame(() => {
      delays.push(...unseen.map((sent) => Date.now() - sent));
      unseen = [];
    });
  };
  setInterval(redraw, kRedraw_ms);

  const source = new EventSource(address('/api/events'));
  source.onmessage = ({data}) => {
    const frame = JSON.parse(data);
    if (frame.end) {
      status.textContent = 'finished';
      after.textContent = `. With all its pictures, and the truth where there is one: ${frame.next}`;
      source.close();
      return;
    }
    const {sent, image, ...row} = frame;
    if (run.rowOf.has(row.number)) return;  // it came again after a lost connection
    run.image ??= image;
    run.append(row);
    changed = true;
    status.textContent = `running: frame ${row.number}`;
    if (row.decision !== 'closure') return;
    latest = run.size - 1;
    unseen.push(sent);
    // The server ends with the run; what was claimed can be looked at longer.
    for (const number of [row.number, row.match]) if (number >= 0) pictures.get(number);
  };
  source.onerror = () => { status.textContent = source.readyState === EventSource.CLOSED ? 'no longer connected' : 'connecting again'; };
  window.looptree.delays = delays;
  return [runPage];
}
