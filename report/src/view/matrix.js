// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {colour, colourOf, rampAt} from './colours.js';
import {Canvas, digits, Layer, make, ticks} from './dom.js';

const kLeft = 52;
const kBottom = 34;

// Scores between the frames around the selected one and those around its match. A loop shows as a diagonal.
export class Matrix {
  constructor(run, {select}) {
    Object.assign(this, {run, row: 0, reach: 24, select});
    this.canvas = new Canvas({class: 'matrix'}, (context, width, height) => this.paint(context, width, height));
    this.layer = new Layer();
    this.told = make('span', {class: 'told'}, ' ');
    const size = make('select', {'aria-label': 'frames around', onchange: (event) => {
      this.reach = Number(event.target.value);
      this.canvas.redraw();
    }}, ...[[12, '25 frames'], [24, '49 frames'], [64, '129 frames'], [0, 'the whole run']].map(([reach, label]) =>
      make('option', {value: String(reach), selected: reach === this.reach}, label)));
    this.element = make('div', {class: 'panel'}, make('div', {class: 'head'}, make('h3', {}, 'Similarity around it'), size),
        this.canvas.element, make('p', {class: 'key'}, make('span', {class: 'ramp'}), ' score, from 0 to the best shown; outlined: closures', this.told));
    this.canvas.element.addEventListener('pointermove', (event) => this.hover(this.canvas.at(event)));
    this.canvas.element.addEventListener('click', (event) => {
      const cell = this.cell(this.canvas.at(event));
      if (cell) this.select(cell[0]);
    });
  }

  show(row) {
    this.row = row;
    this.canvas.element.setAttribute('aria-label', `Similarity of the frames around ${this.run.label(row)} to earlier frames`);
    this.canvas.redraw();
  }

  // [first row, first column, frames]: queries downwards, earlier frames to the right.
  frame() {
    const {run, row} = this;
    if (this.reach === 0) return [0, 0, Math.max(1, run.size)];
    const around = run.partner(row) >= 0 ? run.partner(row) : Math.max(0, row - 1);
    return [row - this.reach, around - this.reach, 2 * this.reach + 1];
  }
  side() { return Math.max(10, Math.min(this.canvas.width - kLeft - 8, this.canvas.height - kBottom - 8)); }
  cell([x, y]) {
    const [first, left, count] = this.frame();
    const size = this.side() / count;
    const [row, column] = [first + Math.floor((y - 8) / size), left + Math.floor((x - kLeft) / size)];
    const {run} = this;
    return row >= first && row < first + count && row >= 0 && row < run.size && column >= 0 && column < left + count && x >= kLeft ? [row, column] : null;
  }
  hover(at) {
    const cell = this.cell(at);
    const score = cell && this.run.similar(cell[0]).find(([column]) => column === cell[1])?.[1];
    this.told.textContent = cell ? ` · ${this.run.frames.number[cell[0]]} to ${this.run.frames.number[cell[1]] ?? '–'}: ${score === undefined ? 'not among the best' : digits(score, 3)}` : ' ';
  }

  paint(context) {
    const {run} = this;
    const [first, left, count] = this.frame();
    const side = this.side();
    const size = side / count;
    this.layer.show(context, this.canvas, `${first} ${left} ${count} ${run.size}`, (picture) => {
      this.paintCells(picture, first, left, count, side);
      this.paintAxes(picture, first, left, count, side);
    });
    context.strokeStyle = colour('--accent');
    context.lineWidth = 1.5;
    context.strokeRect(kLeft, 8 + (this.row - first) * size, side, Math.max(size, 2));
  }

  // Of cells that share a pixel the best is shown.
  paintCells(context, first, left, count, side) {
    const {run} = this;
    const grid = Math.min(count, Math.ceil(side * this.canvas.sharp));
    const cells = new Float32Array(grid * grid);
    let high = 1e-6;
    for (let row = Math.max(0, first); row < Math.min(run.size, first + count); ++row) {
      const y = Math.floor((row - first) * grid / count);
      for (const [column, score] of run.similar(row)) {
        if (column < Math.max(0, left) || column >= left + count) continue;
        const cell = y * grid + Math.floor((column - left) * grid / count);
        cells[cell] = Math.max(cells[cell], score);
        high = Math.max(high, score);
      }
    }
    context.fillStyle = colour('--band');
    context.fillRect(kLeft, 8, side, side);
    const picture = document.createElement('canvas');
    [picture.width, picture.height] = [grid, grid];
    const image = new ImageData(grid, grid);
    cells.forEach((score, i) => score > 0 && image.data.set([...rampAt(score / high), 255], 4 * i));
    picture.getContext('2d').putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, kLeft, 8, side, side);
    this.outlineClosures(context, first, left, count, side / count);
  }
  outlineClosures(context, first, left, count, size) {
    const {run} = this;
    for (let row = Math.max(0, first); row < Math.min(run.size, first + count); ++row) {
      const column = run.matchRow[row];
      if (!run.isClosure(row) || column < Math.max(0, left) || column >= left + count) continue;
      this.outline(context, kLeft + (column - left) * size, 8 + (row - first) * size, size, run.states[row]);
    }
  }
  // A closure stands out from any colour of the ramp: white around black, a wrong one in its own colour.
  outline(context, x, y, size, state) {
    const wide = Math.max(size, 3);
    if (size < 5) {
      context.fillStyle = state === 'wrong' ? colourOf(state) : colour('--ink');
      context.fillRect(x, y, Math.max(size, 1.6), Math.max(size, 1.6));
      return;
    }
    for (const [style, thick] of [['#fff', 3], [state === 'wrong' ? colourOf(state) : '#000', 1.4]]) {
      [context.strokeStyle, context.lineWidth] = [style, thick];
      context.strokeRect(x, y, wide, wide);
    }
  }
  paintAxes(context, first, left, count, side) {
    const {run} = this;
    const size = side / count;
    context.strokeStyle = colour('--line');
    context.lineWidth = 1;
    context.strokeRect(kLeft + 0.5, 8.5, side, side);
    context.fillStyle = colour('--soft');
    context.textBaseline = 'middle';
    for (const mark of ticks(first, first + count - 1, side / 50).marks) {
      if (mark % 1 || mark < 0 || mark >= run.size) continue;
      context.textAlign = 'right';
      context.fillText(String(run.frames.number[mark]), kLeft - 6, 8 + (mark - first + 0.5) * size);
    }
    for (const mark of ticks(left, left + count - 1, side / 60).marks) {
      if (mark % 1 || mark < 0 || mark >= run.size) continue;
      context.textAlign = 'center';
      context.fillText(String(run.frames.number[mark]), kLeft + (mark - left + 0.5) * size, side + 18);
    }
    context.textAlign = 'left';
    context.fillText('earlier frame', kLeft, side + 34);
    context.save();
    context.translate(8, 8 + side);
    context.rotate(-Math.PI / 2);
    context.fillText('query frame', 0, 0);
    context.restore();
  }
}
