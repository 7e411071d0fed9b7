// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {colour} from './colours.js';
import {Canvas, grouped, make} from './dom.js';
import {sessionName} from './map_view.js';

const kLeft = 46;
const kKinds = [['known from earlier sessions', '--right'], ['closed within its session', '--consistency'], ['new', '--route']];

// Of each place in order: 0 known from an earlier session, 1 closed within its own, 2 new.
export function kindsOfPlaces(places, closures) {
  const session = new Map(places.map((place) => [place.id, place.session]));
  const kind = new Map();
  for (const [query, match] of closures) {
    if (!session.has(query) || !session.has(match)) continue;
    kind.set(query, Math.min(kind.get(query) ?? 2, session.get(match) === session.get(query) ? 1 : 0));
  }
  return places.map((place) => kind.get(place.id) ?? 2);
}

// How much of what the camera saw was known, place after place as they came in.
export class Coverage {
  constructor(places, closures, sessions) {
    Object.assign(this, {places, kinds: kindsOfPlaces(places, closures), sessions: new Map(sessions.map((s) => [s.id, s]))});
    const shares = [0, 1].map((k) => this.kinds.filter((kind) => kind === k).length);
    this.canvas = new Canvas({class: 'coverage', 'aria-label': `Coverage over time: of ${places.length} places ${shares[0]} were known from earlier sessions and ${shares[1]} were closed within their session`},
        (context, width, height) => this.paint(context, width, height));
    this.told = make('span', {class: 'told'}, ' ');
    this.canvas.element.addEventListener('pointermove', (event) => this.hover(this.canvas.at(event)));
    this.element = make('div', {}, this.canvas.element, make('p', {class: 'key'},
        ...kKinds.flatMap(([name, variable]) => [make('span', {class: 'swatch', style: `--c: var(${variable})`}), `${name} `]), this.told));
  }
  // First and last place of each column, at least three pixels wide.
  columns(width) {
    const count = Math.max(1, Math.min(this.places.length, Math.floor((width - kLeft - 8) / 6)));
    return Array.from({length: count}, (_, c) => [Math.floor(c * this.places.length / count), Math.floor((c + 1) * this.places.length / count)]);
  }
  hover([x]) {
    const columns = this.columns(this.canvas.width);
    const column = columns[Math.floor((x - kLeft) / (this.canvas.width - kLeft - 8) * columns.length)];
    if (!column) return;
    const [a, b] = column;
    const part = (kind) => this.kinds.slice(a, b).filter((k) => k === kind).length;
    const where = b - a === 1 ? `place ${a}` : `places ${a} to ${b - 1}`;
    this.told.textContent = `· ${where}: ${part(0)} known from earlier sessions, ${part(1)} closed within, ${part(2)} new`;
  }
  paint(context, width, height) {
    const [top, bottom] = [22, height - 24];
    const columns = this.columns(width);
    const wide = (width - kLeft - 8) / columns.length;
    context.textBaseline = 'middle';
    columns.forEach(([a, b], c) => {
      let y = bottom;
      kKinds.forEach(([, variable], kind) => {
        const share = this.kinds.slice(a, b).filter((k) => k === kind).length / Math.max(1, b - a);
        context.fillStyle = colour(variable);
        context.globalAlpha = kind === 2 ? 0.45 : 1;
        context.fillRect(kLeft + c * wide, y - share * (bottom - top), wide + (wide > 4 ? -0.6 : 0.3), share * (bottom - top));
        y -= share * (bottom - top);
      });
    });
    context.globalAlpha = 1;
    context.fillStyle = colour('--soft');
    context.textAlign = 'right';
    for (const share of [0, 0.5, 1]) context.fillText(`${100 * share}%`, kLeft - 6, bottom - share * (bottom - top));
    context.textAlign = 'center';
    context.fillText('place, in the order they came', kLeft + (width - kLeft - 8) / 2, height - 8);
    this.paintSessions(context, width, top, bottom);
  }
  paintSessions(context, width, top, bottom) {
    const x = (i) => kLeft + i / Math.max(1, this.places.length) * (width - kLeft - 8);
    let ends = -Infinity;
    this.places.forEach((place, i) => {
      if (i > 0 && this.places[i - 1].session === place.session) return;
      context.strokeStyle = colour('--ink');
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x(i), 4);
      context.lineTo(x(i), bottom);
      context.stroke();
      const text = `${sessionName(this.sessions.get(place.session) ?? {id: place.session})}, from ${grouped(i)}`;
      if (x(i) < ends) return;
      context.textAlign = 'left';
      context.fillStyle = colour('--ink');
      context.fillText(text, x(i) + 5, 11);
      ends = x(i) + context.measureText(text).width + 12;
    });
  }
}
