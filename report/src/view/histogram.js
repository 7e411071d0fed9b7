// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {colour} from './colours.js';
import {Canvas, make} from './dom.js';

// Edges that grow by a fifth: a refused pair has a dozen inliers, a claim hundreds.
function edges(most) {
  const list = [4];
  while (list[list.length - 1] <= most) list.push(Math.max(list[list.length - 1] + 1, Math.round(list[list.length - 1] * 1.2)));
  return list;
}

// Inliers of the claims upwards, and of the best that was refused downwards: how far apart they are.
export class Histogram {
  constructor(run) {
    this.run = run;
    this.canvas = new Canvas({class: 'histogram'}, (context, width, height) => this.paint(context, width, height));
    this.told = make('span', {class: 'told'}, ' ');
    this.element = make('div', {class: 'panel'}, make('div', {class: 'head'}, make('h3', {}, 'Inliers: claims and the best refused')),
        this.canvas.element, make('p', {class: 'key'}, make('span', {class: 'swatch', style: '--c: var(--right)'}), 'claims ',
            make('span', {class: 'swatch', style: '--c: var(--geometry)'}), 'best refused ', this.told));
    this.canvas.element.addEventListener('pointermove', (event) => this.hover(this.canvas.at(event)));
    this.update();
  }
  update() {
    const {run} = this;
    const inliers = (which) => run.rows(which).map((row) => run.frames.inliers[row]);
    const claims = inliers((row) => run.isClosure(row));
    const refused = inliers((row) => ['not verified', 'not consistent', 'not distinct'].includes(run.states[row]));
    const most = [...claims, ...refused].reduce((a, b) => Math.max(a, b), 10);
    this.edges = edges(most);
    const count = (values) => this.edges.slice(1).map((end, i) => values.filter((v) => v < end && (v >= this.edges[i] || i === 0)).length);
    [this.claims, this.refused] = [count(claims), count(refused)];
    this.needed = [...new Set(run.frames.needed_inliers)].filter((n) => n > 0).sort((a, b) => a - b);
    const middle = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
    this.canvas.element.setAttribute('aria-label', `Histogram of inliers: ${claims.length} claims, median ${middle(claims) ?? 'none'}; ${refused.length} refused, median ${middle(refused) ?? 'none'}`);
    this.canvas.redraw();
  }
  bin(x) { return Math.floor((x - 8) / (this.canvas.width - 16) * this.claims.length); }
  hover([x]) {
    const i = this.bin(x);
    this.told.textContent = i >= 0 && i < this.claims.length ?
        `${this.edges[i]} to ${this.edges[i + 1] - 1} inliers: ${this.claims[i]} claims, ${this.refused[i]} refused` : ' ';
  }
  paint(context, width, height) {
    const wide = (width - 16) / this.claims.length;
    const [up, down] = [Math.max(1, ...this.claims), Math.max(1, ...this.refused)];
    const middle = 26 + (height - 66) * 0.58;
    // Square roots: a bin of five is seen beside one of a thousand.
    const bars = (values, most, room, variable, sign) => {
      context.fillStyle = colour(variable);
      values.forEach((value, i) => {
        if (value === 0) return;
        const tall = Math.max(2, room * Math.sqrt(value / most));
        context.fillRect(8 + i * wide + 0.5, sign > 0 ? middle - tall : middle, Math.max(1, wide - 1), tall);
      });
    };
    bars(this.claims, up, middle - 26, '--right', 1);
    bars(this.refused, down, height - 40 - middle, '--geometry', -1);
    context.fillStyle = colour('--soft');
    context.textBaseline = 'middle';
    context.textAlign = 'center';
    const every = Math.ceil(34 / wide);
    this.edges.slice(0, -1).forEach((edge, i) => i % every === 0 && context.fillText(String(edge), 8 + i * wide, height - 10));
    this.paintCounts(context, wide, middle, [[this.claims, up, middle - 26, 1], [this.refused, down, height - 40 - middle, -1]]);
    this.paintNeeded(context, wide, height);
  }
  // How many there are, where a bar has room for the number.
  paintCounts(context, wide, middle, sides) {
    context.textAlign = 'center';
    context.fillStyle = colour('--soft');
    for (const [values, most, room, sign] of sides) {
      values.forEach((value, i) => {
        if (value === 0 || wide < 8 * String(value).length) return;
        const tall = Math.max(2, room * Math.sqrt(value / most));
        context.fillText(String(value), 8 + (i + 0.5) * wide, sign > 0 ? middle - tall - 7 : middle + tall + 8);
      });
    }
  }
  // Where bars of inliers begin to suffice: labels that would overlap stand below each other.
  paintNeeded(context, wide, height) {
    context.strokeStyle = context.fillStyle = colour('--ink');
    context.textAlign = 'left';
    const ends = [];
    for (const needed of this.needed) {
      const i = this.edges.findIndex((edge, k) => needed >= edge && needed < (this.edges[k + 1] ?? Infinity));
      if (i < 0) continue;
      const part = (needed - this.edges[i]) / ((this.edges[i + 1] ?? needed + 1) - this.edges[i]);
      const x = 8 + (i + part) * wide;
      context.lineWidth = 1;
      context.setLineDash([3, 3]);
      context.beginPath();
      context.moveTo(x, 4);
      context.lineTo(x, height - 22);
      context.stroke();
      const text = `${needed} needed`;
      const long = context.measureText(text).width;
      const left = Math.min(x + 4, this.canvas.width - long - 2);
      const line = ends.findIndex((end) => left > end);
      const row = line < 0 ? ends.length : line;
      ends[row] = left + long + 4;
      context.setLineDash([]);
      context.fillText(text, left, 10 + 15 * row);
    }
  }
}
