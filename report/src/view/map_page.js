// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {Coverage, kindsOfPlaces} from './coverage.js';
import {digits, grouped, make, percent} from './dom.js';
import {listenToKeys} from './frame.js';
import {MapView, sessionVariable} from './map_view.js';
import {keepPictures, label, PlacePanel} from './place.js';
import {questionSection} from './question.js';
import {ask} from './server.js';

// More places than these are too many to be told apart on a screen.
const kMostPlaces = 50000;

const megabytes = (bytes) => `${digits(bytes / 1e6, 3)} MB`;

// A map and one chosen place of it.
class MapPage {
  constructor(map, places, closures) {
    Object.assign(this, {map, places, row: -1, closed: new Set(closures.map(([query]) => query))});
    this.tip = make('div', {class: 'tip', role: 'status', hidden: true});
    this.view = new MapView({select: (i) => this.select(i), hover: (i, at) => this.hover(i, at)});
    this.panel = new PlacePanel((id) => this.selectId(id));
    this.view.show(places, closures, map.sessions);
  }
  selectId(id) {
    const i = this.view.at.get(id);
    if (i !== undefined) this.select(i);
  }
  select(i) {
    if (this.places.length === 0) return;
    this.row = Math.max(0, Math.min(this.places.length - 1, i));
    this.view.choose(this.row);
    this.panel.show(this.places[this.row], this.view.closedWith(this.row).map(([other, score, inliers]) => ({place: this.places[other], score, inliers})));
  }
  hover(i, at) {
    this.tip.hidden = i < 0;
    if (i < 0) return;
    const closures = this.view.closedWith(i).length;
    this.tip.textContent = `${label(this.places[i])}${closures > 0 ? `: ${closures} closure${closures > 1 ? 's' : ''}` : ''}`;
    const {plane} = this.view;
    this.tip.style.transform = `translate(${Math.min(at[0] + 14, Math.max(0, plane.width - 260))}px, ${Math.min(at[1] + 14, plane.height - 60)}px)`;
  }
  // Something to look at before anything was clicked: the place in the middle of those that were closed.
  selectClosed() {
    const rows = this.places.flatMap(({id}, i) => this.closed.has(id) ? [i] : []);
    this.select(rows[Math.floor(rows.length / 2)] ?? 0);
  }
  step(by) {
    for (let i = this.row + by; i >= 0 && i < this.places.length; i += by) {
      if (this.closed.has(this.places[i].id)) return this.select(i);
    }
  }
  key(event) {
    const {plane} = this.view;
    const steps = {
      ArrowRight: () => this.select(this.row + (event.shiftKey ? 10 : 1)), ArrowLeft: () => this.select(this.row - (event.shiftKey ? 10 : 1)),
      Home: () => this.select(0), End: () => this.select(this.places.length - 1), n: () => this.step(1), p: () => this.step(-1),
      f: () => plane.fit(), '+': () => plane.zoom(1.5), '=': () => plane.zoom(1.5), '-': () => plane.zoom(1 / 1.5),
    };
    steps[event.key]?.();
    return steps[event.key] !== undefined;
  }
  section() {
    const {plane} = this.view;
    const button = (text, title, action) => make('button', {type: 'button', title, 'aria-label': title, onclick: action}, text);
    const tools = make('div', {class: 'steps'}, button('+', 'Zoom in', () => plane.zoom(1.5)), button('−', 'Zoom out', () => plane.zoom(1 / 1.5)), button('Fit', 'Fit (F)', () => plane.fit()));
    return make('section', {class: 'route-section'}, make('div', {class: 'head'}, make('h2', {}, 'The map'), tools), this.view.legend(),
        make('div', {class: 'stage'}, plane.element, this.tip),
        make('p', {class: 'hint'}, 'Click a place to see it and what it was closed with. ', make('kbd', {}, '←'), ' ', make('kbd', {}, '→'), ' places, ',
            make('kbd', {}, 'N'), ' ', make('kbd', {}, 'P'), ' closed ones, ', make('kbd', {}, 'F'), ' fit'));
  }
  placeSection() { return this.places.length === 0 ? null : make('section', {}, make('h2', {}, 'The place'), this.panel.element); }
}

function coverageSection(map, places, closures) {
  const kinds = kindsOfPlaces(places, closures);
  const counts = new Map(map.sessions.map(({id}) => [id, [0, 0, 0]]));
  places.forEach((place, i) => ++(counts.get(place.session) ?? [0, 0, 0])[kinds[i]]);
  let total = 0;
  const rows = map.sessions.map(({id, name, frames}, i) => {
    total += frames;
    const [other, own, fresh] = counts.get(id);
    return make('tr', {}, make('td', {}, make('span', {class: 'swatch', style: `--c: var(${sessionVariable(i)})`}), `${id} ${name}`),
        ...[grouped(frames), percent(other, frames), percent(own, frames), grouped(fresh), grouped(total)].map((text) => make('td', {}, text)));
  });
  const head = ['session', 'places', 'known from earlier sessions', 'closed within it', 'new', 'in the map by then'];
  return make('section', {}, make('h2', {}, 'Coverage: what each session added'), new Coverage(places, closures, map.sessions).element,
      make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'sessions'}, make('table', {},
          make('thead', {}, make('tr', {}, ...head.map((text) => make('th', {scope: 'col'}, text)))), make('tbody', {}, ...rows))));
}

const kParts = [['words', 'words', '--m0'], ['features', 'features', '--m1'], ['thumbnails', 'pictures', '--m2'], ['vocabulary', 'vocabulary', '--m3'],
  ['other', 'poses, closures, the rest', '--route']];

function storageSection(map) {
  const said = make('p', {class: 'reason', hidden: true, role: 'status'});
  const check = make('button', {type: 'button', onclick: async () => {
    said.hidden = false;
    said.textContent = 'Reading every byte …';
    try {
      const result = await ask('/api/verify', {method: 'POST'});
      said.textContent = result.sound ? `Sound: ${grouped(result.frames)} places.` : result.problems.join(' ');
    } catch (error) {
      said.textContent = error.message;
    }
  }}, 'Verify the file');
  const {storage} = map;
  const parts = kParts.filter(([key]) => storage[key] > 0);
  const bar = make('div', {class: 'parts', role: 'img', 'aria-label': parts.map(([key, name]) => `${name} ${megabytes(storage[key])}`).join(', ')},
      ...parts.map(([key, name, variable]) => make('span', {title: `${name}: ${megabytes(storage[key])}`, style: `flex-grow: ${storage[key]}; background: var(${variable})`})));
  const facts = [...parts.map(([key, name, variable]) => [name, `${megabytes(storage[key])}, ${percent(storage[key], storage.file)}`, variable]), ['file', megabytes(storage.file)],
    ['a place', `${digits((storage.file - storage.vocabulary) / Math.max(1, map.frames) / 1000, 3)} KB`], ['index in memory', megabytes(storage.index_in_memory)]];
  return make('section', {}, make('div', {class: 'head'}, make('h2', {}, 'Storage, part by part'), check), said, bar,
      make('dl', {class: 'numbers wide'}, ...facts.map(([name, value, variable]) => make('div', {}, make('dt', {},
          variable ? make('span', {class: 'swatch', style: `--c: var(${variable})`}) : null, name), make('dd', {}, value)))));
}

async function allPlaces() {
  const places = [];
  let next = 0;
  while (next !== null && places.length < kMostPlaces) {
    const some = await ask(`/api/places?from=${next}&count=1000`);
    places.push(...some.places);
    next = some.next;
  }
  return places;
}

export async function showMap(page, path) {
  const name = path.split('/').pop();
  document.title = `${name} · looptree`;
  const [map, {closures}, places] = await Promise.all([ask('/api/map'), ask('/api/closures'), allPlaces()]);
  keepPictures(map.with_thumbnail > 0);
  const mapPage = new MapPage(map, places, closures);
  const tiles = [[grouped(map.frames), 'places'], [grouped(map.sessions.length), map.sessions.length === 1 ? 'session' : 'sessions'], [grouped(map.closures), 'closures'], [megabytes(map.storage.file), 'on disk']];
  const lead = [path, map.topology, `${grouped(map.words)} words`, map.frames > places.length && `the first ${grouped(places.length)} places are shown`].filter(Boolean);
  page.append(make('header', {}, make('h1', {}, name), make('p', {class: 'lead'}, lead.join(' · '))),
      make('div', {class: 'tiles'}, ...tiles.map(([value, text]) => make('div', {class: 'tile'}, make('b', {}, value), make('span', {}, text)))),
      make('div', {class: 'columns'}, mapPage.section(), make('div', {},
          questionSection({found: (ids) => mapPage.view.mark(ids), select: (id) => mapPage.selectId(id)}), mapPage.placeSection())),
      coverageSection(map, places, closures), storageSection(map));
  mapPage.selectClosed();
  listenToKeys((event) => mapPage.key(event));
  return [mapPage];
}
