// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {colour, colourOf} from './colours.js';
import {Canvas, digits, grouped, Layer, make, ticks} from './dom.js';
import {label} from './marks.js';
import {kStages} from './model.js';

const kLeft = 54;
const kStageColours = ['--s0', '--s1', '--s2', '--s3', '--s4', '--s5', '--s6'];

// Three strips over the frames of a run: what was decided, how it scored against the threshold, and how long it took.
export class Lanes {
  constructor(run, {select, hover}) {
    Object.assign(this, {run, select: select, selected: 0, from: 0, to: null, hovered: -1});
    this.canvas = new Canvas({class: 'lanes', tabindex: '0',
      'aria-label': `Timelines of ${run.name}: decisions, scores against the threshold, milliseconds per stage. Click for a frame; drag to move, scroll to zoom, 0 to see all.`},
        (context, width, height) => this.paint(context, width, height));
    this.layer = new Layer();
    this.told = make('span', {class: 'told'}, ' ');
    this.element = make('div', {class: 'lanes-box'}, this.canvas.element, this.key());
    this.listen(hover);
  }

  get end() { return this.to ?? Math.max(1, this.run.size); }
  x(row) { return kLeft + (row + 0.5 - this.from) / (this.end - this.from) * (this.canvas.width - kLeft - 8); }
  row(x) { return Math.floor(this.from + (x - kLeft) / (this.canvas.width - kLeft - 8) * (this.end - this.from)); }
  redraw() { this.canvas.redraw(); }

  key() {
    return make('p', {class: 'key'}, 'time per stage: ', ...kStages.flatMap(([, name], i) => [
      make('span', {class: 'swatch', style: `--c: var(${kStageColours[i]})`}), `${name} `]), this.told);
  }
  tell(row) {
    const {run} = this;
    this.told.textContent = row < 0 ? ' ' :
        `· ${run.label(row)}: ${run.isMissed(row) ? 'missed revisit, ' : ''}${run.states[row]}, score ${digits(run.frames.score[row], 3)}, ${digits(run.time(row), 3)} ms`;
  }

  listen(hover) {
    const {element} = this.canvas;
    let start = null;
    element.addEventListener('pointerdown', (event) => {
      start = [this.canvas.at(event)[0], this.from, this.end, 0];
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener('pointermove', (event) => {
      const at = this.canvas.at(event);
      if (start) {
        start[3] = Math.max(start[3], Math.abs(at[0] - start[0]));
        const span = start[2] - start[1];
        if (start[3] > 5) this.window(start[1] - (at[0] - start[0]) / (this.canvas.width - kLeft - 8) * span, span);
        return;
      }
      const row = this.row(at[0]);
      this.hovered = at[0] >= kLeft && row >= 0 && row < this.run.size ? row : -1;
      this.tell(this.hovered);
      hover?.(this.hovered, at);
      this.redraw();
    });
    element.addEventListener('pointerup', (event) => {
      const row = this.row(this.canvas.at(event)[0]);
      if (start && start[3] <= 5 && row >= 0 && row < this.run.size) this.select(row);
      start = null;
    });
    element.addEventListener('pointerleave', () => {
      this.hovered = -1;
      this.tell(-1);
      hover?.(-1, null);
      this.redraw();
    });
    element.addEventListener('wheel', (event) => {
      if (document.activeElement !== element && !event.ctrlKey) return;
      event.preventDefault();
      const at = this.from + (this.canvas.at(event)[0] - kLeft) / (this.canvas.width - kLeft - 8) * (this.end - this.from);
      this.zoom(Math.exp(event.deltaY * 0.0016), at);
    }, {passive: false});
    element.addEventListener('keydown', (event) => {
      if (event.key !== '0') return;
      [this.from, this.to] = [0, null];
      this.redraw();
    });
  }
  zoom(factor, at) {
    const span = Math.min(this.run.size, Math.max(20, (this.end - this.from) * factor));
    this.window(at - (at - this.from) * span / (this.end - this.from), span);
  }
  window(from, span) {
    this.from = Math.max(0, Math.min(from, this.run.size - span));
    this.to = span >= this.run.size ? null : this.from + span;
    this.redraw();
  }

  show(row) {
    this.selected = row;
    if (row < this.from || row >= this.end) this.window(row - (this.end - this.from) / 2, this.end - this.from);
    this.redraw();
  }

  paint(context, width, height) {
    this.layer.show(context, this.canvas, `${this.from} ${this.end} ${this.run.size}`, (picture) => this.paintLanes(picture, height));
    for (const [row, variable, thick] of [[this.hovered, '--soft', 1], [this.selected, '--accent', 2]]) {
      if (row < 0) continue;
      context.strokeStyle = colour(variable);
      context.lineWidth = thick;
      context.beginPath();
      context.moveTo(this.x(row), 0);
      context.lineTo(this.x(row), height - 20);
      context.stroke();
    }
  }

  paintLanes(context, height) {
    const half = Math.round(height * 0.5);
    context.textBaseline = 'middle';
    this.paintDecisions(context, [4, 22]);
    this.paintScores(context, [36, half - 8]);
    this.paintTimes(context, [half + 8, height - 24]);
    this.paintFrames(context, height);
  }

  // Visible rows by the pixel they fall on.
  columns() {
    const first = Math.max(0, Math.floor(this.from));
    const last = Math.min(this.run.size, Math.ceil(this.end));
    return {first, last, wide: Math.max(1, (this.canvas.width - kLeft - 8) / (this.end - this.from))};
  }

  title(context, text, [top, bottom]) {
    context.save();
    context.translate(10, (top + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = 'center';
    context.fillStyle = colour('--soft');
    context.fillText(text, 0, 0);
    context.restore();
  }
  axis(context, [top, bottom], high) {
    context.textAlign = 'right';
    context.lineWidth = 1;
    for (const mark of ticks(0, high, (bottom - top) / 28).marks) {
      const y = Math.round(bottom - (bottom - top) * mark / high) + 0.5;
      context.strokeStyle = colour('--line');
      context.beginPath();
      context.moveTo(kLeft, y);
      context.lineTo(this.canvas.width - 8, y);
      context.stroke();
      context.fillStyle = colour('--soft');
      context.fillText(digits(mark, 3), kLeft - 6, y);
    }
  }

  paintDecisions(context, [top, bottom]) {
    const {first, last, wide} = this.columns();
    // Where several frames share a pixel, what is rarer and matters more is drawn later.
    const order = ['no candidate', 'not a keyframe', 'not verified', 'not consistent', 'not distinct', 'no features', 'unreadable', 'another size', 'right', 'claim', 'wrong'];
    const {states} = this.run;
    for (const key of order) {
      context.fillStyle = colourOf(key);
      for (let row = first; row < last; ++row) {
        if (states[row] === key) context.fillRect(this.x(row) - wide / 2, top, wide + 0.3, bottom - top);
      }
    }
    context.fillStyle = colourOf('missed');
    for (let row = first; row < last; ++row) if (this.run.isMissed(row)) context.fillRect(this.x(row) - Math.max(2, wide) / 2, bottom + 1, Math.max(2, wide), 5);
  }

  paintScores(context, lane) {
    const {first, last} = this.columns();
    const {score, threshold} = this.run.frames;
    let high = 1e-6;
    for (let row = 0; row < this.run.size; ++row) high = Math.max(high, score[row], threshold[row] <= 1 ? threshold[row] : 0);
    this.title(context, 'score', lane);
    this.axis(context, lane, high);
    const y = (value) => lane[1] - (lane[1] - lane[0]) * Math.min(1, value / high);
    for (let row = first; row < last; ++row) {
      if (this.run.matchRow[row] < 0 && score[row] === 0) continue;
      context.fillStyle = colourOf(this.run.states[row]);
      context.fillRect(this.x(row) - 1.25, y(score[row]) - 1.25, 2.5, 2.5);
    }
    context.strokeStyle = colour('--ink');
    context.lineWidth = 1.25;
    context.beginPath();
    for (let row = first; row < last; ++row) if (threshold[row] > 0) context.lineTo(this.x(row), y(threshold[row]));
    context.stroke();
    if (last <= first) return;
    const right = threshold[last - 1] <= 1 ? y(threshold[last - 1]) : lane[0];
    const below = right + 12 < lane[1];
    label(context, 'threshold', this.canvas.width - 64, below ? right + 9 : right - 9, '--ink');
  }

  paintTimes(context, lane) {
    const {first, last} = this.columns();
    const {stages} = this.run.frames;
    const columns = Math.max(1, Math.min(last - first, Math.floor((this.canvas.width - kLeft - 8) / 2)));
    const sums = [];
    for (let c = 0; c < columns; ++c) {
      const [a, b] = [first + Math.floor(c * (last - first) / columns), first + Math.floor((c + 1) * (last - first) / columns)];
      sums.push(kStages.map(([key]) => {
        let sum = 0;
        for (let row = a; row < b; ++row) sum += stages[key][row];
        return sum / Math.max(1, b - a);
      }));
    }
    const totals = sums.map((s) => s.reduce((x, y) => x + y, 0)).sort((a, b) => a - b);
    // A frame that waited for the machine does not flatten all others.
    const high = Math.max(1e-3, 1.15 * (totals[Math.floor(0.98 * (totals.length - 1))] ?? 1));
    this.title(context, 'ms', lane);
    this.axis(context, lane, high);
    const wide = (this.canvas.width - kLeft - 8) * (last - first) / (this.end - this.from) / columns;
    const left = this.x(first - 0.5);
    kStages.forEach((_, stage) => {
      context.fillStyle = colour(kStageColours[stage]);
      sums.forEach((values, c) => {
        let below = 0;
        for (let s = 0; s < stage; ++s) below += values[s];
        const y = (value) => lane[1] - (lane[1] - lane[0]) * Math.min(1, value / high);
        const [bottom, top] = [y(below), y(below + values[stage])];
        if (bottom > top) context.fillRect(left + c * wide, top, wide + 0.3, bottom - top);
      });
    });
  }

  paintFrames(context, height) {
    context.textAlign = 'center';
    context.fillStyle = colour('--soft');
    const {marks} = ticks(this.from, this.end, Math.max(2, (this.canvas.width - kLeft) / 90));
    for (const mark of marks) {
      if (mark % 1 !== 0 || mark >= this.run.size) continue;
      context.fillText(grouped(this.run.frames.number[mark]), this.x(mark), height - 9);
    }
    context.textAlign = 'left';
    context.fillText('frame', 4, height - 9);
  }
}
