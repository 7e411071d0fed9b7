// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {digits, grouped, make, percent} from './dom.js';
import {Histogram} from './histogram.js';
import {Lanes} from './lanes.js';
import {Matrix} from './matrix.js';
import {PairView} from './pair.js';
import {RouteView} from './route.js';

// What there is to see of one run, all of it about one selected frame.
export class RunPage {
  constructor(run, pictures, {only, chosen, moved} = {}) {
    Object.assign(this, {run, pictures, row: -1, chosen});
    const select = (row) => this.select(row);
    this.tip = make('div', {class: 'tip', role: 'status', hidden: true});
    this.route = new RouteView(run, {select, moved, only, hover: (row, at) => this.hover(row, at)});
    this.pair = new PairView(run, pictures, {select});
    this.lanes = new Lanes(run, {select, hover: (row) => this.route.hoverAt(null, null) ?? this.mark(row)});
    this.matrix = new Matrix(run, {select});
    this.histogram = new Histogram(run);
    this.tiles = make('div', {class: 'tiles'});
    this.legendBox = make('div', {});
    this.update();
  }

  mark(row) {
    this.route.hovered = row;
    this.route.plane.redraw();
  }

  update() {
    const {run} = this;
    this.tiles.replaceChildren(...headline(run).map(([value, name, note]) =>
      make('div', {class: 'tile', title: note}, make('b', {}, value), make('span', {}, name))));
    this.legendBox.replaceChildren(this.route.legend());
  }

  hover(row, at) {
    this.tip.hidden = row < 0;
    if (row < 0) return;
    this.tip.textContent = `${this.run.label(row)}: ${this.run.frames.reason[row] || this.run.states[row]}`;
    const {plane} = this.route;
    this.tip.style.transform = `translate(${Math.min(at[0] + 14, Math.max(0, plane.width - 260))}px, ${Math.min(at[1] + 14, plane.height - 60)}px)`;
  }

  select(row, quietly = false) {
    const {run} = this;
    if (run.size === 0) return;
    this.row = Math.max(0, Math.min(run.size - 1, row));
    this.route.select(this.row);
    this.pair.show(this.row);
    this.lanes.show(this.row);
    this.matrix.show(this.row);
    if (this.number) this.number.value = String(run.frames.number[this.row]);
    if (!quietly) this.chosen?.(this.row);
  }

  step(rows, by) {
    const next = by > 0 ? rows.find((row) => row > this.row) : rows.filter((row) => row < this.row).pop();
    if (next !== undefined) this.select(next);
  }

  // Keys work wherever no field has the keyboard. True if it was one of ours.
  key(event) {
    const steps = {
      ArrowRight: () => this.select(this.row + (event.shiftKey ? 10 : 1)), ArrowLeft: () => this.select(this.row - (event.shiftKey ? 10 : 1)),
      Home: () => this.select(0), End: () => this.select(this.run.size - 1),
      n: () => this.step(this.run.closures(), 1), p: () => this.step(this.run.closures(), -1),
      m: () => this.step(this.run.missedRows(), 1), M: () => this.step(this.run.missedRows(), -1),
      l: () => this.pair.showLines(!this.pair.lines), f: () => this.route.plane.fit(this.route.bounds()),
      '+': () => this.route.plane.zoom(1.5), '=': () => this.route.plane.zoom(1.5), '-': () => this.route.plane.zoom(1 / 1.5),
    };
    const step = steps[event.key];
    step?.();
    return step !== undefined;
  }

  controls() {
    const {run} = this;
    const button = (label, title, action) => make('button', {type: 'button', title, 'aria-label': title, onclick: action}, label);
    this.number = make('input', {type: 'number', class: 'frame-number', 'aria-label': 'frame', min: '0', onchange: (event) => {
      const row = run.rowOf.get(Number(event.target.value));
      if (row !== undefined) this.select(row);
    }});
    const bar = make('div', {class: 'steps', role: 'group', 'aria-label': 'step through the run'},
        button('«', 'Previous closure (P)', () => this.step(run.closures(), -1)),
        button('‹', 'Previous frame (left arrow)', () => this.select(this.row - 1)), this.number,
        button('›', 'Next frame (right arrow)', () => this.select(this.row + 1)),
        button('»', 'Next closure (N)', () => this.step(run.closures(), 1)));
    if (run.missed.size > 0) bar.append(button('next missed', 'Next missed revisit (M)', () => this.step(run.missedRows(), 1)));
    return bar;
  }

  routeSection(title = 'The route') {
    const {route} = this;
    const tools = make('div', {class: 'steps'},
        make('button', {type: 'button', 'aria-label': 'Zoom in', onclick: () => route.plane.zoom(1.5)}, '+'),
        make('button', {type: 'button', 'aria-label': 'Zoom out', onclick: () => route.plane.zoom(1 / 1.5)}, '−'),
        make('button', {type: 'button', title: 'key F', onclick: () => route.plane.fit(route.bounds())}, 'Fit'));
    if (route.metric) {
      tools.append(make('label', {class: 'lift'}, 'lift by time ', make('input', {type: 'range', min: '0', max: '1', step: '0.02', value: '0', oninput: (event) => {
        route.lift = Number(event.target.value);
        route.update();
        route.plane.fit(route.bounds());
      }})));
    }
    return make('section', {class: 'route-section'}, make('div', {class: 'head'}, make('h2', {}, title), tools), this.legendBox,
        make('div', {class: 'stage'}, route.element, this.tip),
        make('p', {class: 'hint'}, 'Drag to move; click a frame to see it, then scroll to zoom. ',
            make('kbd', {}, '←'), ' ', make('kbd', {}, '→'), ' frames, ', make('kbd', {}, 'N'), ' ', make('kbd', {}, 'P'), ' closures, ',
            make('kbd', {}, 'M'), ' missed, ', make('kbd', {}, 'L'), ' lines, ', make('kbd', {}, 'F'), ' fit'));
  }
  pairSection() {
    return make('section', {class: 'pair-section'}, make('div', {class: 'head'}, make('h2', {}, 'The pair'), this.controls()), this.pair.element);
  }
  lanesSection(title = 'Frame by frame') {
    return make('section', {class: 'lanes-section'}, make('h2', {}, title), this.lanes.element);
  }
  evidenceSection() {
    return make('section', {class: 'evidence-section'}, make('h2', {}, 'The evidence'),
        make('div', {class: 'evidence'}, this.matrix.element, this.histogram.element));
  }
}

// What matters first, as [value, name, explanation].
export function headline(run) {
  const tiles = [];
  const {summary} = run.config;
  const claims = run.closures().length;
  tiles.push([grouped(run.size), 'frames', '']);
  tiles.push([grouped(claims), claims === 1 ? 'claim' : 'claims', 'closures: the camera is where it was']);
  if (run.truth) {
    const {right_count: right, closures, revisits, found, rule} = run.truth;
    tiles.push([`${grouped(right)} of ${grouped(closures)}`, 'claims right', rule]);
    tiles.push([percent(found, revisits), `of ${grouped(revisits)} revisits found`, rule]);
  }
  if (summary?.seconds > 0) tiles.push([digits(summary.frames / summary.seconds, 3), 'frames a second', 'from the first image to the last answer']);
  const unreadable = run.states.filter((s) => s === 'unreadable').length;
  if (unreadable > 0) tiles.push([grouped(unreadable), 'unreadable', 'images that could not be read']);
  const others = run.states.filter((s) => s === 'another size').length;
  if (others > 0) tiles.push([grouped(others), 'of another size', 'images that were not as large as the first']);
  return tiles;
}
