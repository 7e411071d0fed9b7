// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {Canvas, Layer} from './dom.js';

const kMargin = 200;

// A canvas over a plane of the world, y upwards, to be panned and zoomed by mouse, touch, and keys. `paint(context)` draws
// in pixels by way of x() and y(), or in the world inside inWorld(). It is kept as a picture that panning only moves, until
// change(); what comes and goes on top of it is drawn each time by `over(context)`.
export class Plane {
  constructor(attributes, {paint, over, hover, click, moved}) {
    this.canvas = new Canvas({tabindex: '0', ...attributes}, (context, width, height) => {
      if (!this.view || this.fitted) this.fitNow(width, height);
      const by = this.moved();
      const {scale, x, y} = this.pictured;
      this.layer.show(context, this.canvas, `${this.version} ${scale} ${x} ${y}`, (picture) => this.picture(picture, paint), by);
      over(context);
    });
    this.layer = new Layer(kMargin);
    this.version = 0;
    this.element = this.canvas.element;
    this.bounds = [0, 0, 1, 1];
    this.fitted = true;
    this.listeners = {hover, click, moved};
    this.pointers = new Map();
    this.listen();
  }

  x(worldX) { return this.canvas.width / 2 + (worldX - this.view.x) * this.view.scale; }
  y(worldY) { return this.canvas.height / 2 - (worldY - this.view.y) * this.view.scale; }
  get width() { return this.canvas.width; }
  get height() { return this.canvas.height; }
  redraw() { this.canvas.redraw(); }
  change() {
    ++this.version;
    this.redraw();
  }
  // Whether a pixel is drawn: those next to what is seen are, too.
  draws(x, y) { return x >= -kMargin && y >= -kMargin && x <= this.width + kMargin && y <= this.height + kMargin; }

  // How far the picture has moved since it was made; where it does not reach that far it is to be made anew.
  moved() {
    const {view, pictured} = this;
    if (pictured && pictured.scale === view.scale) {
      const by = [(pictured.x - view.x) * view.scale, (view.y - pictured.y) * view.scale];
      if (Math.max(...by.map(Math.abs)) <= kMargin) return by;
    }
    this.pictured = view;
    return [0, 0];
  }
  picture(context, paint) {
    const {view} = this;
    this.view = this.pictured;
    paint(context);
    this.view = view;
  }

  inWorld(context, draw) {
    const {scale, x, y} = this.view;
    context.save();
    context.translate(this.width / 2, this.height / 2);
    context.scale(scale, -scale);
    context.translate(-x, -y);
    draw(1 / scale);
    context.restore();
  }

  // Shows [left, bottom, right, top] whole, with a margin, and stays so while the canvas changes its size.
  fit(bounds = this.bounds) {
    this.bounds = bounds;
    this.fitted = true;
    this.redraw();
  }
  fitNow(width, height) {
    const [left, bottom, right, top] = this.bounds;
    const margin = Math.min(48, width / 10, height / 10);
    const scale = Math.min((width - 2 * margin) / Math.max(right - left, 1e-9), (height - 2 * margin) / Math.max(top - bottom, 1e-9));
    this.view = {x: (left + right) / 2, y: (bottom + top) / 2, scale};
  }

  zoom(factor, at = [this.width / 2, this.height / 2]) {
    const {view} = this;
    const [dx, dy] = [at[0] - this.width / 2, this.height / 2 - at[1]];
    const scale = Math.min(1e6, Math.max(1e-6, view.scale * factor));
    this.show({x: view.x + dx / view.scale - dx / scale, y: view.y + dy / view.scale - dy / scale, scale});
  }
  pan(dx, dy) {
    const {view} = this;
    this.show({...view, x: view.x - dx / view.scale, y: view.y + dy / view.scale});
  }
  // Another plane of the same world may follow.
  show(view, quietly = false) {
    this.view = view;
    this.fitted = false;
    this.redraw();
    if (!quietly) this.listeners.moved?.(view);
  }
  // Moves a point of the world into sight.
  reveal(worldX, worldY) {
    const [x, y] = [this.x(worldX), this.y(worldY)];
    if (x > 20 && y > 20 && x < this.width - 20 && y < this.height - 20) return;
    this.show({...this.view, x: worldX, y: worldY});
  }

  listen() {
    const {element} = this;
    element.addEventListener('wheel', (event) => {
      // The page scrolls as usual until somebody has clicked into the plane.
      if (document.activeElement !== element && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016)), this.canvas.at(event));
    }, {passive: false});
    element.addEventListener('pointerdown', (event) => {
      element.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, this.canvas.at(event));
      this.travelled = 0;
    });
    element.addEventListener('pointermove', (event) => this.drag(event));
    for (const end of ['pointerup', 'pointercancel']) {
      element.addEventListener(end, (event) => {
        const known = this.pointers.delete(event.pointerId);
        if (end === 'pointerup' && known && this.travelled < 6) this.listeners.click?.(this.canvas.at(event));
      });
    }
    element.addEventListener('pointerleave', () => this.listeners.hover?.(null));
    element.addEventListener('dblclick', (event) => this.zoom(2, this.canvas.at(event)));
  }
  drag(event) {
    const at = this.canvas.at(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) return this.listeners.hover?.(at);
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId);
    if (others.length > 0) {
      const [, other] = others[0];
      const span = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
      this.zoom(Math.max(0.2, span(at) / Math.max(1, span(before))), [(at[0] + other[0]) / 2, (at[1] + other[1]) / 2]);
    } else {
      this.pan(at[0] - before[0], at[1] - before[1]);
    }
    this.travelled += Math.hypot(at[0] - before[0], at[1] - before[1]);
    this.pointers.set(event.pointerId, at);
  }
}
