// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {colour} from './colours.js';

// Everything from a run goes in as text, never as markup. Attributes that start with "on" are listeners.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

export const digits = (value, count = 4) =>
    value === undefined || value === null || Number.isNaN(value) ? '–' : Number(value.toPrecision(count)).toString();

export const grouped = (value) => Number(value).toLocaleString('en');

export const percent = (part, whole) => whole === 0 ? '–' : `${(100 * part / whole).toFixed(1)}%`;

// Marks of an axis: multiples of 1, 2 or 5 times a power of ten, about `count` of them.
export function ticks(low, high, count) {
  const raw = Math.max(high - low, 1e-12) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((s) => s >= raw * 0.999) ?? raw;
  const marks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) marks.push(Number((k * step).toPrecision(12)));
  return {step, marks};
}

// A canvas that is as sharp as the screen, redrawn at most once per screen refresh: `draw(context, width, height)`
// has CSS pixels. Redraws when its size or the colours of the page change.
export class Canvas {
  constructor(attributes, draw) {
    this.element = make('canvas', {role: 'img', ...attributes});
    this.draw = draw;
    this.waiting = false;
    [this.width, this.height] = [0, 0];
    new ResizeObserver(() => this.redraw()).observe(this.element);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
  }
  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }
  paint() {
    // Asked once: whoever draws reads them thousands of times, and the browser would look at its layout for each.
    const [width, height] = [this.width, this.height] = [this.element.clientWidth, this.element.clientHeight];
    if (width === 0 || height === 0) return;
    const sharp = Math.min(window.devicePixelRatio || 1, 2);
    const [w, h] = [Math.round(width * sharp), Math.round(height * sharp)];
    if (this.element.width !== w || this.element.height !== h) [this.element.width, this.element.height] = [w, h];
    const context = this.element.getContext('2d');
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = '12px system-ui, sans-serif';
    this.sharp = sharp;
    this.draw(context, width, height);
  }
  // Where a pointer is, in the pixels of draw().
  at(event) {
    const box = this.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
}

// A drawing that is kept as a picture, `margin` pixels wider than its canvas on each side, and made again only where the
// size of that, the colours of the page, or `key` are others than they were.
export class Layer {
  constructor(margin = 0) {
    this.margin = margin;
    this.element = document.createElement('canvas');
    this.key = '';
  }
  // Puts the picture onto a canvas, moved by [dx, dy]. `draw` has the pixels of the canvas, and the margin around them.
  show(context, {width, height, sharp}, key, draw, [dx, dy] = [0, 0]) {
    const {element, margin} = this;
    const whole = [width, height, sharp, colour('--ink'), key].join(' ');
    if (this.key !== whole) {
      this.key = whole;
      const [w, h] = [width, height].map((length) => Math.round((length + 2 * margin) * sharp));
      if (element.width !== w || element.height !== h) [element.width, element.height] = [w, h];
      const own = element.getContext('2d');
      own.setTransform(sharp, 0, 0, sharp, margin * sharp, margin * sharp);
      own.clearRect(-margin, -margin, width + 2 * margin, height + 2 * margin);
      own.font = context.font;
      draw(own);
    }
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(element, Math.round((dx - margin) * sharp), Math.round((dy - margin) * sharp));
    context.restore();
  }
}
