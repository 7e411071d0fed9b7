// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {make, percent} from './dom.js';
import {listenToKeys, masthead, settings} from './frame.js';
import {Pictures} from './pictures.js';
import {RunPage} from './run_page.js';

const closed = (run) => new Set(run.closures().map((row) => run.frames.number[row]));
const without = (a, b) => new Set([...a].filter((number) => !b.has(number)));

// Two runs side by side: the same view of the same route, the same frame in both. Links that only one has stand out.
export function showCompare(page, runs) {
  const frames = runs.map(closed);
  const only = [without(frames[0], frames[1]), without(frames[1], frames[0])];
  const pictures = runs.map((run) => Pictures.embedded(run.pictures));
  const pages = [];
  let last = 0;
  runs.forEach((run, i) => {
    const other = () => pages[1 - i];
    pages.push(new RunPage(run, pictures[i], {
      only: only[i],
      moved: (view) => other().route.plane.show({...view}, true),
      chosen: (row) => {
        last = i;
        const there = runs[1 - i].rowOf.get(run.frames.number[row]);
        if (there !== undefined) other().select(there, true);
      },
    }));
  });
  const title = `${runs[0].name} and ${runs[1].name}`;
  const both = [...frames[0]].filter((number) => frames[1].has(number)).length;
  page.append(masthead(title, runs[0]), summary(runs, only, both, (i) => {
    const rows = [...only[i]].map((number) => runs[i].rowOf.get(number)).sort((a, b) => a - b);
    pages[i].select(rows.find((row) => row > pages[i].row) ?? rows[0]);
  }));
  const columns = (make_) => make('div', {class: 'columns two'}, ...pages.map(make_));
  page.append(columns((p) => make('div', {}, make('h2', {class: 'run-name'}, p.run.name), p.tiles)),
      columns((p) => p.routeSection(p.run.name)), columns((p) => p.pairSection()),
      ...pages.map((p) => p.lanesSection(`Frame by frame: ${p.run.name}`)), columns((p) => p.evidenceSection()), ...runs.map(settings));
  const first = [...only[0], ...only[1]].sort((a, b) => a - b)[0];
  pages[0].select(runs[0].rowOf.get(first) ?? runs[0].closures()[0] ?? 0);
  listenToKeys((event) => pages[last].key(event));
  return pages;
}

function summary(runs, only, both, next) {
  const row = (i) => make('tr', {}, make('th', {scope: 'row'}, runs[i].name), make('td', {}, String(runs[i].closures().length)),
      make('td', {}, runs[i].truth ? `${runs[i].truth.right_count}` : '–'),
      make('td', {}, runs[i].truth ? percent(runs[i].truth.found, runs[i].truth.revisits) : '–'),
      make('td', {}, `${only[i].size} `, only[i].size > 0 ? make('button', {type: 'button', class: `only-${i}`, onclick: () => next(i)}, 'show next') : ''));
  return make('section', {}, make('h2', {}, 'What one found and the other did not'),
      make('p', {class: 'note'}, `${both} frames are closed in both, and thin and grey below.`),
      make('div', {class: 'scroll'}, make('table', {},
          make('thead', {}, make('tr', {}, ...['run', 'claims', 'right', 'revisits found', 'frames closed here only'].map((t) => make('th', {scope: 'col'}, t)))),
          make('tbody', {}, row(0), row(1)))));
}
