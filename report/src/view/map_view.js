// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {colour} from './colours.js';
import {grouped, make} from './dom.js';
import {direction, dot, label, scaleBar, start} from './marks.js';
import {Plane} from './plane.js';
import {boundsOf, ground} from './route.js';

// A colour per session; further ones take them again, dashed.
const kColours = 7;
export const sessionVariable = (order) => `--m${order % kColours}`;
const dashOf = (order) => order < kColours ? [] : [6, 4 + 3 * (Math.floor(order / kColours) % 3)];

export const sessionName = (session) => session.name ? `${session.id} · ${session.name.split('/').filter(Boolean).pop()}` : `session ${session.id}`;

// The sessions of a map in one frame, or a line each where there are no poses; closures between them.
export class MapView {
  constructor({select, hover}) {
    Object.assign(this, {places: [], points: [], closures: [], sessions: [], found: [], hovered: -1, chosen: -1, hidden: new Set()});
    this.plane = new Plane({class: 'route', 'aria-label': 'The sessions of the map and the closures between them'}, {
      paint: (context) => this.paint(context),
      over: (context) => this.paintOver(context),
      hover: (at) => this.hover(at, hover),
      click: (at) => this.nearest(at) >= 0 && select(this.nearest(at)),
    });
  }

  show(places, closures, sessions) {
    Object.assign(this, {places, closures, sessions});
    this.order = new Map(sessions.map((session, i) => [session.id, i]));
    this.at = new Map(places.map((place, i) => [place.id, i]));
    this.metric = places.length > 0 && places.every((place) => place.place);
    this.points = this.metric ? ground(places.map((place) => place.place)) : this.lines(places);
    this.routes = sessions.map((session) => this.route(session));
    this.links = this.trace(closures);
    const [left, bottom, right, top] = boundsOf(this.points);
    this.plane.change();
    this.plane.fit([left, bottom, right, this.metric ? top : top + 0.15 * (right - left)]);
  }
  // Sessions below each other, place by place.
  lines(places) {
    const lengths = new Map();
    const gap = 0.25 * Math.max(1, places.length / Math.max(1, this.sessions.length));
    return places.map((place) => {
      const along = lengths.get(place.session) ?? 0;
      lengths.set(place.session, along + 1);
      return [along, -gap * this.order.get(place.session)];
    });
  }
  route(session) {
    const rows = this.places.flatMap((place, i) => place.session === session.id ? [i] : []);
    const path = new Path2D();
    rows.forEach((row, i) => i === 0 ? path.moveTo(...this.points[row]) : path.lineTo(...this.points[row]));
    return {path, rows, points: rows.map((row) => this.points[row])};
  }
  // Closures within a session and between two.
  trace(closures) {
    const links = {within: new Path2D(), between: new Path2D(), counts: {within: 0, between: 0}};
    for (const [query, match] of closures) {
      const [a, b] = [this.at.get(query), this.at.get(match)];
      if (a === undefined || b === undefined) continue;
      const kind = this.places[a].session === this.places[b].session ? 'within' : 'between';
      ++links.counts[kind];
      this.link(links[kind], a, b);
    }
    return links;
  }
  link(path, a, b) {
    const [[ax, ay], [bx, by]] = [this.points[a], this.points[b]];
    const [left, right] = [Math.min(ax, bx), Math.max(ax, bx)];
    path.moveTo(this.metric || ay !== by ? ax : left, ay);
    if (this.metric || ay !== by) path.lineTo(bx, by);
    else path.ellipse((left + right) / 2, ay, (right - left) / 2, (right - left) / 6, 0, Math.PI, 0, true);
  }

  // The places that a query found, best first.
  mark(ids) {
    this.found = ids.map((id) => this.at.get(id)).filter((i) => i !== undefined);
    this.chosen = -1;
    if (this.found.length > 0 && this.plane.view && !this.plane.fitted) this.plane.reveal(...this.points[this.found[0]]);
    this.plane.redraw();
  }
  choose(i) {
    [this.found, this.chosen] = [[], i];
    if (this.plane.view && !this.plane.fitted) this.plane.reveal(...this.points[i]);
    this.plane.redraw();
  }
  // What a place was closed with, as [place, score, inliers].
  closedWith(i) {
    const {id} = this.places[i];
    return this.closures.filter(([query, match]) => query === id || match === id)
        .map(([query, match, score, inliers]) => [this.at.get(query === id ? match : query), score, inliers])
        .filter(([other]) => other !== undefined);
  }

  paint(context) {
    const {plane} = this;
    const shown = (order) => !this.hidden.has(`session ${this.sessions[order].id}`);
    plane.inWorld(context, (pixel) => {
      context.lineJoin = context.lineCap = 'round';
      const stroke = (path, style, width, alpha = 1, dash = []) => {
        context.setLineDash(dash.map((d) => d * pixel));
        [context.strokeStyle, context.lineWidth, context.globalAlpha] = [style, width * pixel, alpha];
        context.stroke(path);
      };
      this.routes?.forEach(({path}, order) => shown(order) && stroke(path, colour(sessionVariable(order)), this.width(order), 1, dashOf(order)));
      if (this.links && !this.hidden.has('within')) stroke(this.links.within, colour('--soft'), 1, 0.5);
      if (this.links && !this.hidden.has('between')) stroke(this.links.between, colour('--ink'), 1, 0.55);
      context.globalAlpha = 1;
      context.setLineDash([]);
    });
    const taken = [];
    this.routes?.forEach(({rows, points}, order) => {
      if (!shown(order) || rows.length === 0) return;
      direction(context, plane, points, (i) => String(this.places[rows[i]].number ?? this.places[rows[i]].id), taken, 160);
    });
    this.paintStarts(context, shown);
  }
  // Later sessions lie thinner on earlier ones, so that a street driven twice shows both.
  width(order) { return 2.5 + Math.min(6, 3.5 * (this.sessions.length - 1 - order)); }
  // Sessions that start in one place share a mark; their names stand below each other.
  paintStarts(context, shown) {
    const {plane} = this;
    const at = [];
    this.routes?.forEach(({points}, order) => {
      if (!shown(order) || points.length === 0) return;
      const [x, y] = [plane.x(points[0][0]), plane.y(points[0][1])];
      const near = at.filter(([ox, oy]) => Math.abs(ox - x) < 60 && Math.abs(oy - y) < 16).length;
      at.push([x, y]);
      if (near === 0) start(context, plane, points[0], '');
      label(context, sessionName(this.sessions[order]), x + 11, y + 12 + 15 * near, sessionVariable(order), 'bold 12px system-ui, sans-serif');
    });
  }
  paintOver(context) {
    const {plane, points} = this;
    if (this.metric) scaleBar(context, plane);
    if (this.chosen >= 0) {
      const others = this.closedWith(this.chosen).map(([other]) => other);
      const path = new Path2D();
      for (const other of others) this.link(path, this.chosen, other);
      plane.inWorld(context, (pixel) => {
        [context.strokeStyle, context.lineWidth] = [colour('--accent'), 2 * pixel];
        context.stroke(path);
      });
      for (const other of others) dot(context, plane, points[other], colour('--partner'), 6);
      dot(context, plane, points[this.chosen], colour('--accent'), 8);
    }
    [...this.found].reverse().forEach((i, rank) => dot(context, plane, points[i], colour('--accent'), rank === this.found.length - 1 ? 9 : 5));
    if (this.hovered >= 0) dot(context, plane, points[this.hovered], colour('--ink'), 5);
  }

  nearest(at) {
    let [best, least] = [-1, 200];
    this.points.forEach(([x, y], i) => {
      const far = (this.plane.x(x) - at[0]) ** 2 + (this.plane.y(y) - at[1]) ** 2;
      if (far < least && !this.hidden.has(`session ${this.places[i].session}`)) [best, least] = [i, far];
    });
    return best;
  }
  hover(at, tell) {
    const i = at ? this.nearest(at) : -1;
    if (i !== this.hovered) {
      this.hovered = i;
      this.plane.redraw();
    }
    tell(i, at);
  }

  // A button per session and kind of closure hides it.
  legend() {
    const button = (key, text, count, swatch) => {
      const element = make('button', {type: 'button', 'data-key': key, 'aria-pressed': 'true', onclick: () => {
        if (!this.hidden.delete(key)) this.hidden.add(key);
        element.setAttribute('aria-pressed', String(!this.hidden.has(key)));
        this.plane.change();
      }}, swatch, `${text} `, make('b', {}, grouped(count)));
      return element;
    };
    const swatch = (variable) => make('span', {class: 'swatch', style: `--c: var(${variable})`});
    const sessions = this.sessions.map((session, i) => button(`session ${session.id}`, sessionName(session), session.frames, swatch(sessionVariable(i))));
    const {counts} = this.links;
    if (counts.between > 0) sessions.push(button('between', 'closures between sessions', counts.between, swatch('--ink')));
    if (counts.within > 0) sessions.push(button('within', 'closures within one', counts.within, swatch('--soft')));
    return make('div', {class: 'legend', role: 'group', 'aria-label': 'layers'}, ...sessions);
  }
}
