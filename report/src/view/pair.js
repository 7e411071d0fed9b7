// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {colour, colourOf, stateOf} from './colours.js';
import {Canvas, digits, make} from './dom.js';
import {describePose, kStages} from './model.js';

// A frame and its match: both images with lines between the inliers, the numbers, and the sentence that explains it.
export class PairView {
  constructor(run, pictures, {select}) {
    Object.assign(this, {run, pictures, row: -1, lines: true, images: [null, null]});
    this.canvas = new Canvas({class: 'pair'}, (context, width, height) => this.paint(context, width, height));
    this.canvas.element.addEventListener('pointermove', (event) => this.point(this.canvas.at(event)));
    this.canvas.element.addEventListener('pointerleave', () => this.point(null));
    this.title = make('h3', {});
    this.reason = make('p', {class: 'reason'});
    this.numbers = make('dl', {class: 'numbers'});
    this.toggle = make('button', {type: 'button', class: 'lines', 'aria-pressed': 'true', title: 'key L', onclick: () => this.showLines(!this.lines)}, 'Inlier lines');
    this.jump = make('button', {type: 'button', class: 'jump', onclick: () => select(this.run.partner(this.row))}, 'Go to the match');
    this.element = make('div', {class: 'pair-view'},
        make('div', {class: 'head'}, this.title, this.toggle, this.jump), this.canvas.element, this.reason, this.numbers);
    this.reason.setAttribute('aria-live', 'polite');
  }

  showLines(on) {
    this.lines = on;
    this.toggle.setAttribute('aria-pressed', String(on));
    this.canvas.redraw();
  }

  async show(row) {
    const {run} = this;
    this.row = row;
    const partner = run.partner(row);
    this.evidence = run.evidence(row);
    this.highlighted = -1;
    this.describe(row, partner);
    const wanted = [row, partner].map((r) => r < 0 ? null : this.pictures.get(run.frames.number[r], run.isClosure(row) ? 'pair' : 'frame'));
    const images = await Promise.all(wanted);
    if (this.row !== row) return;  // somebody stepped on
    this.images = images;
    this.layOut();
    this.element.dataset.shown = String(run.frames.number[row]);
  }

  describe(row, partner) {
    const {run} = this;
    const {frames} = run;
    const state = run.states[row];
    const missed = run.isMissed(row);
    this.title.replaceChildren(
        make('span', {class: 'swatch', style: `--c: var(${stateOf[missed && !run.isClosure(row) ? 'missed' : state]?.variable ?? '--soft'})`}),
        run.label(row));
    this.jump.hidden = partner < 0;
    const notes = [`${frames.reason[row] || state}.`];
    if (missed) notes.push(`A missed revisit: the truth has it at the place of ${run.label(partner < 0 ? row : run.rowOf.get(run.missed.get(frames.number[row])))}.`);
    if (state === 'wrong') notes.push('The truth says that this claim is wrong.');
    this.reason.textContent = notes.join(' ');
    const pose = describePose(this.evidence?.pose);
    const verified = frames.correspondences[row] > 0;
    const rows = [
      ['score', digits(frames.score[row])], ['threshold', digits(frames.threshold[row])],
      ['inliers', verified ? `${frames.inliers[row]} of ${frames.correspondences[row]}` : '–'],
      ['needed', frames.needed_inliers[row] || '–'],
      ['coverage', verified ? `${Math.round(100 * frames.coverage[row])}%` : '–'],
      ['queries in a row', frames.consistent[row] || '–'],
      ['verified', `${frames.verified[row]} candidate${frames.verified[row] === 1 ? '' : 's'}`],
      ['time', `${digits(run.time(row), 3)} ms`],
    ];
    if (pose) rows.push(['turned', pose.turned], ['moved', pose.moved]);
    this.numbers.replaceChildren(...rows.map(([name, value]) => make('div', {class: String(value).length > 24 ? 'long' : ''}, make('dt', {}, name), make('dd', {}, String(value)))));
    this.numbers.title = kStages.map(([key, name]) => `${name} ${digits(frames.stages[key][row], 3)} ms`).join(', ');
    this.canvas.element.setAttribute('aria-label', partner < 0 ? `Image of ${run.label(row)}` :
        `Images of ${run.label(row)} and of ${run.label(partner)}, which it was compared with`);
  }

  // Wide images one above the other, others side by side where there is room.
  layOut() {
    const [a, b] = this.images;
    const shape = a ?? b;
    const aspect = this.run.image ? this.run.image[0] / this.run.image[1] : shape ? shape.naturalWidth / shape.naturalHeight : 1.6;
    const two = this.run.partner(this.row) >= 0;
    const width = this.canvas.element.parentElement?.clientWidth || 600;
    this.beside = two && width > 420 && 2 * width / aspect > 720;
    const each = this.beside ? (width - 8) / 2 : width;
    const height = each / aspect;
    this.canvas.element.style.height = `${Math.round(!two || this.beside ? height : 2 * height + 8)}px`;
    this.canvas.redraw();
  }

  boxes(width, height) {
    const two = this.run.partner(this.row) >= 0;
    if (!two) return [[0, 0, width, height]];
    if (this.beside) return [[0, 0, (width - 8) / 2, height], [(width + 8) / 2, 0, (width - 8) / 2, height]];
    return [[0, 0, width, (height - 8) / 2], [0, (height + 8) / 2, width, (height - 8) / 2]];
  }

  // Inliers in pixels of the canvas.
  segments(width, height) {
    const {image} = this.run;
    const boxes = this.boxes(width, height);
    if (!this.evidence || boxes.length < 2 || !image) return [];
    const place = ([x, y, w, h], px, py) => [x + (px + 0.5) / image[0] * w, y + (py + 0.5) / image[1] * h];
    return this.evidence.inliers.map(([ax, ay, bx, by]) => [...place(boxes[0], ax, ay), ...place(boxes[1], bx, by), ax / image[0]]);
  }

  paint(context, width, height) {
    if (this.row < 0) return;
    const {run} = this;
    const names = [run.label(this.row), run.partner(this.row) < 0 ? '' : run.label(run.partner(this.row))];
    this.boxes(width, height).forEach(([x, y, w, h], i) => {
      if (this.images[i]) {
        context.imageSmoothingQuality = 'high';
        context.drawImage(this.images[i], x, y, w, h);
      } else {
        context.fillStyle = colour('--band');
        context.fillRect(x, y, w, h);
        context.fillStyle = colour('--soft');
        context.textAlign = 'center';
        context.fillText('no picture', x + w / 2, y + h / 2);
      }
      context.font = 'bold 12px system-ui, sans-serif';
      context.textAlign = 'left';
      context.textBaseline = 'middle';
      const text = context.measureText(names[i]).width;
      context.fillStyle = 'rgba(10, 16, 24, 0.75)';
      context.fillRect(x + 6, y + 6, text + 26, 20);
      context.fillStyle = i === 0 ? colour('--accent-on-dark') : colour('--partner-on-dark');
      context.beginPath();
      context.arc(x + 16, y + 16, 4, 0, 7);
      context.fill();
      context.fillStyle = '#fff';
      context.fillText(names[i], x + 25, y + 16.5);
    });
    if (this.lines) this.paintLines(context, this.segments(width, height));
  }

  // Hues spread over the width of the image keep neighbouring lines apart.
  paintLines(context, segments) {
    const many = segments.length > 120;
    segments.forEach(([ax, ay, bx, by, place], i) => {
      const chosen = i === this.highlighted;
      const hue = 190 + 220 * place;
      context.strokeStyle = context.fillStyle = `hsl(${hue} 95% ${chosen ? 80 : 62}%)`;
      context.globalAlpha = this.highlighted >= 0 && !chosen ? 0.16 : many ? 0.38 : 0.75;
      context.lineWidth = chosen ? 3 : 1.1;
      context.beginPath();
      context.moveTo(ax, ay);
      context.lineTo(bx, by);
      context.stroke();
      context.globalAlpha = 1;
      for (const [x, y] of [[ax, ay], [bx, by]]) {
        context.beginPath();
        context.arc(x, y, chosen ? 4 : 2, 0, 7);
        context.fill();
      }
    });
  }

  // The inlier nearest to the mouse stands out.
  point(at) {
    let best = -1;
    if (at && this.lines) {
      let least = 12;
      this.segments(this.canvas.width, this.canvas.height).forEach(([ax, ay, bx, by], i) => {
        const far = Math.min(Math.hypot(ax - at[0], ay - at[1]), Math.hypot(bx - at[0], by - at[1]));
        if (far < least) [best, least] = [i, far];
      });
    }
    if (best === this.highlighted) return;
    this.highlighted = best;
    this.canvas.redraw();
  }
}

// The colour of a row's decision, for those who list rows.
export const rowColour = (run, row) => colourOf(run.isMissed(row) && !run.isClosure(row) ? 'missed' : run.states[row]);
