// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {colour} from './colours.js';
import {digits, grouped, make, percent} from './dom.js';
import {Plane} from './plane.js';
import {ground} from './route.js';
import {address, ask} from './server.js';

const kColours = ['--right', '--accent', '--geometry', '--missed', '--consistency', '--wrong', '--soft'];
// More places than these are too many to be told apart on a screen.
const kMostPlaces = 50000;

const megabytes = (bytes) => `${digits(bytes / 1e6, 3)} MB`;

// The sessions of a map in one frame, or a line each where there are no poses; closures between them.
class MapView {
  constructor(select) {
    this.select = select;
    [this.places, this.points, this.closures, this.found, this.hovered] = [[], [], [], [], -1];
    this.plane = new Plane({class: 'route', 'aria-label': 'The sessions of the map and the closures between them'}, {
      paint: (context) => this.paint(context),
      hover: (at) => this.hover(at),
      click: (at) => this.nearest(at) >= 0 && this.select(this.places[this.nearest(at)]),
    });
  }
  show(places, closures, sessions) {
    Object.assign(this, {places, closures, sessions});
    this.order = new Map(sessions.map((session, i) => [session.id, i]));
    this.metric = places.length > 0 && places.every((place) => place.place);
    const flat = this.metric ? ground(places.map((place) => place.place)) : null;
    const lengths = new Map();
    const gap = 0.12 * Math.max(1, places.length / Math.max(1, sessions.length));
    this.points = places.map((place, i) => {
      if (flat) return flat[i];
      const along = lengths.get(place.session) ?? 0;
      lengths.set(place.session, along + 1);
      return [along, -gap * this.order.get(place.session)];
    });
    this.at = new Map(places.map((place, i) => [place.id, i]));
    this.routes = sessions.map(() => new Path2D());
    let before = null;
    places.forEach((place, i) => {
      const route = this.routes[this.order.get(place.session)];
      if (place.session === before) route.lineTo(...this.points[i]);
      else route.moveTo(...this.points[i]);
      before = place.session;
    });
    this.links = new Path2D();
    for (const [query, match] of closures) {
      const [a, b] = [this.at.get(query), this.at.get(match)];
      if (a === undefined || b === undefined) continue;
      this.links.moveTo(...this.points[a]);
      this.links.lineTo(...this.points[b]);
    }
    const [xs, ys] = [this.points.map((p) => p[0]), this.points.map((p) => p[1])];
    const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
    if (places.length > 0) this.plane.fit([least(xs), least(ys), -least(xs.map((x) => -x)), -least(ys.map((y) => -y))]);
  }
  // The places that a query found, best first.
  mark(ids) {
    this.found = ids.map((id) => this.at.get(id)).filter((i) => i !== undefined);
    this.plane.redraw();
  }
  paint(context) {
    const {plane} = this;
    plane.inWorld(context, (pixel) => {
      context.lineJoin = context.lineCap = 'round';
      this.routes?.forEach((route, i) => {
        [context.strokeStyle, context.lineWidth] = [colour(kColours[i % kColours.length]), 3 * pixel];
        context.stroke(route);
      });
      if (this.links) {
        [context.strokeStyle, context.lineWidth, context.globalAlpha] = [colour('--ink'), pixel, 0.4];
        context.stroke(this.links);
        context.globalAlpha = 1;
      }
    });
    const dot = (i, style, radius) => {
      context.beginPath();
      context.arc(plane.x(this.points[i][0]), plane.y(this.points[i][1]), radius, 0, 7);
      context.fillStyle = style;
      context.fill();
      [context.lineWidth, context.strokeStyle] = [2.5, colour('--card')];
      context.stroke();
    };
    [...this.found].reverse().forEach((i, rank) => dot(i, colour('--accent'), rank === this.found.length - 1 ? 9 : 5));
    if (this.hovered >= 0) dot(this.hovered, colour('--ink'), 5);
  }
  nearest(at) {
    let [best, least] = [-1, 200];
    this.points.forEach(([x, y], i) => {
      const far = (this.plane.x(x) - at[0]) ** 2 + (this.plane.y(y) - at[1]) ** 2;
      if (far < least) [best, least] = [i, far];
    });
    return best;
  }
  hover(at) {
    const i = at ? this.nearest(at) : -1;
    if (i === this.hovered) return;
    this.hovered = i;
    this.plane.redraw();
  }
}

const label = (place) => `${place.name || `place ${place.id}`} of session ${place.session}`;

function picture(place) {
  const image = make('img', {alt: label(place), src: address(`/api/places/${place.id}/thumbnail`), loading: 'lazy', onerror: () => image.replaceWith(make('span', {class: 'none'}, 'no picture'))});
  return image;
}

// "Where was this?": an image dropped, pasted or chosen is looked up.
function questionSection(view) {
  const answers = make('div', {class: 'answers', 'aria-live': 'polite'});
  const given = make('div', {});
  const look = async (file) => {
    given.replaceChildren(make('img', {class: 'given', alt: 'the image asked about', src: URL.createObjectURL(file)}));
    answers.textContent = 'Looking …';
    try {
      const {features, matches} = await ask('/api/query', {method: 'POST', headers: {'Content-Type': file.type || 'image/jpeg'}, body: file});
      answers.replaceChildren(make('p', {class: 'reason'}, sentence(features, matches)), ...matches.map(answer));
      view.mark(matches.map((match) => match.id));
    } catch (error) {
      answers.replaceChildren(make('p', {class: 'reason'}, error.message));
    }
  };
  const input = make('input', {type: 'file', accept: 'image/png,image/jpeg,image/webp', id: 'image', onchange: () => input.files[0] && look(input.files[0])});
  const zone = make('div', {class: 'zone'}, make('label', {for: 'image'}, 'Drop an image here, or choose one: '), input, given);
  for (const name of ['dragover', 'drop']) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.toggle('over', name === 'dragover');
      if (name === 'drop' && event.dataTransfer.files[0]) look(event.dataTransfer.files[0]);
    });
  }
  document.addEventListener('paste', (event) => event.clipboardData.files[0] && look(event.clipboardData.files[0]));
  return make('section', {class: 'question'}, make('h2', {}, 'Where was this?'), zone, answers);
}

function sentence(features, matches) {
  if (features === 0) return 'The image has no features to know it by.';
  if (matches.length === 0) return 'No place of the map shares a word with it.';
  const [best] = matches;
  if (best.verified) return `At ${label(best)}: ${best.inliers} inliers of ${best.correspondences} correspondences over ${Math.round(100 * best.coverage)}% of the image.`;
  if (best.verified === null) return `It looks most like ${label(best)}, whose features the map did not keep: geometry could not check.`;
  return 'Geometry found it to be none of the places that look most like it.';
}

const answer = (match) => make('figure', {}, picture(match), make('figcaption', {},
    make('b', {}, match.verified ? 'verified ' : match.verified === null ? 'unchecked ' : 'only similar '), `${label(match)} · score ${digits(match.score, 3)} · ${match.inliers} inliers`));

function sessionsTable(map, places, closures) {
  const session = new Map(places.map((place) => [place.id, place.session]));
  const seen = new Map(map.sessions.map(({id}) => [id, [new Set(), new Set()]]));
  for (const [query, match] of closures) {
    const own = session.get(query);
    if (own !== undefined) seen.get(own)?.[session.get(match) === own ? 0 : 1].add(query);
  }
  let total = 0;
  const rows = map.sessions.map(({id, name, frames}, i) => {
    total += frames;
    const [own, other] = seen.get(id);
    return make('tr', {}, make('td', {}, make('span', {class: 'swatch', style: `--c: var(${kColours[i % kColours.length]})`}), `${id} ${name}`),
        ...[grouped(frames), grouped(total), percent(own.size, frames), percent(other.size, frames)].map((text) => make('td', {}, text)));
  });
  const head = ['session', 'places', 'in the map by then', 'closed within it', 'known from earlier sessions'];
  return make('section', {}, make('h2', {}, 'Sessions, and what each added'), make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'sessions'}, make('table', {},
      make('thead', {}, make('tr', {}, ...head.map((text) => make('th', {scope: 'col'}, text)))), make('tbody', {}, ...rows))));
}

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
  const {file, vocabulary, index_in_memory: index} = map.storage;
  const facts = [['file', megabytes(file)], ['of it the vocabulary', megabytes(vocabulary)], ['places, words, features', megabytes(file - vocabulary)],
    ['a place', `${digits((file - vocabulary) / Math.max(1, map.frames) / 1000, 3)} KB`], ['index in memory', megabytes(index)]];
  return make('section', {}, make('div', {class: 'head'}, make('h2', {}, 'Storage'), check), said,
      make('dl', {class: 'numbers'}, ...facts.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value)))));
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
  const chosen = make('div', {class: 'chosen', 'aria-live': 'polite'});
  const view = new MapView((place) => {
    chosen.replaceChildren(make('figure', {}, picture(place), make('figcaption', {}, label(place))));
    view.mark([place.id]);
  });
  const tiles = [[grouped(map.frames), 'places'], [grouped(map.sessions.length), 'sessions'], [grouped(map.closures), 'closures'], [megabytes(map.storage.file), 'on disk']];
  page.append(make('header', {}, make('h1', {}, name), make('p', {class: 'lead'}, `${path} · ${map.topology} · ${grouped(map.words)} words`)),
      make('div', {class: 'tiles'}, ...tiles.map(([value, text]) => make('div', {class: 'tile'}, make('b', {}, value), make('span', {}, text)))),
      make('div', {class: 'columns'}, make('section', {class: 'route-section'}, make('h2', {}, 'The map'), make('div', {class: 'stage'}, view.plane.element), chosen), questionSection(view)),
      sessionsTable(map, places, closures), storageSection(map));
  view.show(places, closures, map.sessions);
  return [view];
}
