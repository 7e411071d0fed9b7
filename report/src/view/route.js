// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {colour, colourOf, kStates} from './colours.js';
import {make} from './dom.js';
import {direction, dot, scaleBar, start} from './marks.js';
import {Plane} from './plane.js';

const kRefusals = ['not verified', 'not consistent', 'not distinct', 'no candidate', 'not a keyframe', 'no features', 'unreadable', 'another size'];
const kClosures = ['right', 'claim', 'wrong'];

// Seen from above: the axis along which the route extends least is left out.
export function ground(route) {
  const extent = [0, 1, 2].map((k) => {
    let [low, high] = [Infinity, -Infinity];
    for (const p of route) [low, high] = [Math.min(low, p[k]), Math.max(high, p[k])];
    return high - low;
  });
  const up = extent.indexOf(Math.min(...extent));
  const [a, b] = up === 0 ? [1, 2] : up === 1 ? [0, 2] : [0, 1];
  return route.map((p) => [p[a], p[b]]);
}

// The route of a run on a plane, or its frames on a line where there are no poses.
export class RouteView {
  constructor(run, {select, hover, moved, only}) {
    this.run = run;
    this.only = only;  // frames that another run did not close
    this.onSelect = select;
    this.hidden = new Set(['no candidate', 'not a keyframe']);
    this.lift = 0;
    this.selected = 0;
    this.hovered = -1;
    this.plane = new Plane({class: 'route', 'aria-label': this.describe()}, {
      paint: (context) => this.paint(context),
      over: (context) => this.paintOver(context),
      hover: (at) => this.hoverAt(at, hover),
      click: (at) => this.clickAt(at),
      moved,
    });
    this.update();
    this.plane.fit(this.bounds());
  }

  get element() { return this.plane.element; }

  describe() {
    const {run} = this;
    return `Route of ${run.name}: ${run.size} frames, ${run.closures().length} closures. ` +
        'Arrow keys step through the frames, N and P through the closures.';
  }

  // Called when the run grew or the route is lifted otherwise.
  update() {
    const {run} = this;
    const flat = run.route ? ground(run.route) : null;
    this.metric = flat !== null;
    const raise = this.metric ? this.lift * this.span(flat) / Math.max(1, run.size) : 0;
    this.points = run.frames.number.map((number, row) => {
      const p = flat?.[Math.min(number, flat.length - 1)] ?? [row, 0];
      return [p[0], p[1] + raise * row];
    });
    this.trace();
    this.plane?.change();
  }
  span(points) {
    const [left, bottom, right, top] = boundsOf(points);
    return Math.max(right - left, top - bottom);
  }
  bounds() {
    const [left, bottom, right, top] = boundsOf(this.points);
    return this.metric ? [left, bottom, right, top] : [left, -0.02 * (right - left), right, 0.5 * (right - left)];
  }

  // Paths in the world, made once and not for every frame of the screen.
  trace() {
    const {run, points} = this;
    this.whole = new Path2D();
    points.forEach(([x, y], i) => i === 0 ? this.whole.moveTo(x, y) : this.whole.lineTo(x, y));
    this.paths = Object.fromEntries([...kStates.map((s) => s.key), 'shared'].map((key) => [key, new Path2D()]));
    this.links = Object.fromEntries([...kClosures, 'missed', 'shared'].map((key) => [key, new Path2D()]));
    let before = null;
    for (let row = 0; row < points.length; ++row) {
      const state = run.states[row];
      const shared = this.only && run.isClosure(row) && !this.only.has(run.frames.number[row]);
      const path = this.paths[shared ? 'shared' : state] ?? this.paths['no candidate'];
      this.stretch(path, row, path === before);
      before = path;
      if (run.isMissed(row)) {
        this.stretch(this.paths.missed, row, false);
        this.link(this.links.missed, row, run.placeMissed(row));
      }
      if (run.isClosure(row) && run.matchRow[row] >= 0) this.link(this.links[shared ? 'shared' : state], row, run.matchRow[row]);
    }
  }
  // The half of the way to each neighbour; a row of frames of one kind is one line.
  stretch(path, row, goesOn) {
    const {points} = this;
    const before = points[Math.max(0, row - 1)];
    const [x, y] = points[row];
    const after = points[Math.min(points.length - 1, row + 1)];
    if (!goesOn) path.moveTo((before[0] + x) / 2, (before[1] + y) / 2);
    path.lineTo(x, y);
    path.lineTo((after[0] + x) / 2, (after[1] + y) / 2);
  }
  link(path, row, partner) {
    if (partner < 0) return;
    const [[ax, ay], [bx, by]] = [this.points[row], this.points[partner]];
    path.moveTo(ax, ay);
    if (this.metric) path.lineTo(bx, by);
    else path.ellipse((ax + bx) / 2, 0, Math.abs(ax - bx) / 2, Math.abs(ax - bx) / 2, 0, ax > bx ? 0 : Math.PI, ax > bx ? Math.PI : 0, ax < bx);
  }

  paint(context) {
    const {plane} = this;
    plane.inWorld(context, (pixel) => {
      context.lineJoin = 'round';
      context.lineCap = 'round';
      const stroke = (path, style, width, alpha = 1, dash = []) => {
        context.setLineDash(dash.map((d) => d * pixel));
        [context.strokeStyle, context.lineWidth, context.globalAlpha] = [style, width * pixel, alpha];
        context.stroke(path);
      };
      const shown = (key) => !this.hidden.has(key);
      stroke(this.whole, colour('--route'), 2);
      for (const key of kRefusals) if (shown(key)) stroke(this.paths[key], colourOf(key), 3);
      stroke(this.paths.shared, colour('--soft'), 4, 0.6);
      stroke(this.links.shared, colour('--soft'), 1, 0.35);
      for (const key of kClosures) if (shown(key)) stroke(this.links[key], colourOf(key), key === 'wrong' ? 2.5 : 1.25, key === 'wrong' ? 1 : 0.55);
      if (shown('missed')) stroke(this.links.missed, colourOf('missed'), 1.25, 0.7, [4, 4]);
      for (const key of kClosures) if (shown(key)) stroke(this.paths[key], colourOf(key), 5);
      if (shown('missed')) stroke(this.paths.missed, colourOf('missed'), 5, 1, [1, 7]);
      context.globalAlpha = 1;
      context.setLineDash([]);
    });
    direction(context, plane, this.points, (row) => String(this.run.frames.number[row]));
    if (this.points.length > 0) start(context, plane, this.points[0]);
  }

  paintOver(context) {
    const {plane, points, run} = this;
    if (this.metric) scaleBar(context, plane);
    const mark = (row, style, radius) => row >= 0 && row < points.length && dot(context, plane, points[row], style, radius);
    const partner = run.partner(this.selected);
    if (partner >= 0) {
      const link = new Path2D();
      this.link(link, this.selected, partner);
      plane.inWorld(context, (pixel) => {
        [context.strokeStyle, context.lineWidth] = [colour('--ink'), 2 * pixel];
        context.stroke(link);
      });
      mark(partner, colour('--partner'), 7);
    }
    mark(this.selected, colour('--accent'), 8);
    if (this.hovered >= 0) mark(this.hovered, colour('--ink'), 5);
  }

  // The frame or closure at a pixel.
  nearest(at) {
    const row = this.nearestFrame(at);
    return row >= 0 ? row : this.nearestLink(at);
  }
  // The closure whose link passes closest, within a few pixels; where there are no poses links are half circles.
  nearestLink(at) {
    const {plane, points, run} = this;
    let [best, least] = [-1, 6];
    for (let row = 0; row < run.size; ++row) {
      const partner = run.matchRow[row];
      if (partner < 0 || !run.isClosure(row) || this.hidden.has(run.states[row])) continue;
      const [a, b] = [row, partner].map((r) => [plane.x(points[r][0]), plane.y(points[r][1])]);
      const far = this.metric ? toSegment(at, a, b) :
        at[1] > a[1] ? Infinity : Math.abs(Math.hypot(at[0] - (a[0] + b[0]) / 2, at[1] - a[1]) - Math.abs(a[0] - b[0]) / 2);
      if (far < least) [best, least] = [row, far];
    }
    return best;
  }
  // Among those in one place the closure, then the later one.
  nearestFrame(at) {
    const {plane, points, run} = this;
    let [best, least] = [-1, 14 * 14];
    for (let row = 0; row < points.length; ++row) {
      const dx = plane.x(points[row][0]) - at[0];
      const dy = plane.y(points[row][1]) - at[1];
      if (dx * dx + dy * dy > least + 9) continue;
      const far = dx * dx + dy * dy - (run.isClosure(row) && !this.hidden.has(run.states[row]) ? 9 : 0);
      if (far <= least) [best, least] = [row, far];
    }
    return best;
  }
  hoverAt(at, tell) {
    const row = at ? this.nearest(at) : -1;
    if (row !== this.hovered) {
      this.hovered = row;
      this.plane.redraw();
    }
    tell?.(row, at);
  }
  clickAt(at) {
    const row = this.nearest(at);
    if (row >= 0) this.onSelect(row);
  }
  select(row) {
    this.selected = row;
    if (this.plane.view && row < this.points.length && !this.plane.fitted) this.plane.reveal(...this.points[row]);
    this.plane.redraw();
  }

  // A button per layer, with how many frames there are.
  legend() {
    const {run} = this;
    const box = make('div', {class: 'legend', role: 'group', 'aria-label': 'layers'});
    for (const {key, label, variable} of kStates) {
      const count = key === 'missed' ? run.missed.size : run.states.filter((s) => s === key).length;
      if (count === 0) continue;
      const button = make('button', {type: 'button', 'data-key': key, 'aria-pressed': String(!this.hidden.has(key)), onclick: () => {
        if (!this.hidden.delete(key)) this.hidden.add(key);
        button.setAttribute('aria-pressed', String(!this.hidden.has(key)));
        this.plane.change();
      }}, make('span', {class: `swatch ${key === 'missed' ? 'dotted' : ''}`, style: `--c: var(${variable})`}), `${label} `, make('b', {}, String(count)));
      box.append(button);
    }
    return box;
  }
}

// How far a pixel is from the line between two others.
function toSegment([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / Math.max(1e-9, dx * dx + dy * dy)));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

export function boundsOf(points) {
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [bottom, top] = [Math.min(bottom, y), Math.max(top, y)];
  }
  return points.length === 0 ? [0, 0, 1, 1] : [left, bottom, right, top];
}
