// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {colour} from './colours.js';
import {digits, ticks} from './dom.js';

// What routes on a plane are marked with: text on a halo, arrows with numbers, a start, a scale bar, dots.

export function label(context, text, x, y, variable, font = '11px system-ui, sans-serif') {
  context.font = font;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.lineWidth = 3;
  context.lineJoin = 'round';
  context.strokeStyle = colour('--card');
  context.strokeText(text, x, y);
  context.fillStyle = colour(variable);
  context.fillText(text, x, y);
}

function arrow(context, [x, y], angle) {
  context.save();
  context.translate(x, y);
  context.rotate(angle);
  context.beginPath();
  context.moveTo(6, 0);
  context.lineTo(-4, -5);
  context.lineTo(-2, 0);
  context.lineTo(-4, 5);
  context.closePath();
  context.fillStyle = colour('--ink');
  context.fill();
  context.restore();
}

// Arrows along a route, every `apart` pixels, with the text of their point where there is room. `taken` is shared by
// routes of one plane.
export function direction(context, plane, points, text, taken = [], apart = 130) {
  let travelled = apart / 2;
  let before = null;
  points.forEach((point, i) => {
    const at = [plane.x(point[0]), plane.y(point[1])];
    const step = before ? Math.hypot(at[0] - before[0], at[1] - before[1]) : 0;
    travelled += step;
    if (travelled > apart && step > 0) {
      travelled = 0;
      if (plane.draws(...at)) {
        arrow(context, at, Math.atan2(at[1] - before[1], at[0] - before[0]));
        if (taken.every(([x, y]) => Math.hypot(x - at[0], y - at[1]) > 42)) {
          taken.push(at);
          label(context, text(i), at[0] + 9, at[1] - 10, '--soft');
        }
      }
    }
    before = at;
  });
}

export function start(context, plane, point, text = 'start') {
  const [x, y] = [plane.x(point[0]), plane.y(point[1])];
  context.fillStyle = colour('--card');
  context.strokeStyle = colour('--ink');
  context.lineWidth = 2.5;
  context.beginPath();
  context.arc(x, y, 6, 0, 7);
  context.fill();
  context.stroke();
  label(context, text, x + 11, y + 12, '--ink', 'bold 12px system-ui, sans-serif');
}

export function dot(context, plane, point, style, radius) {
  context.beginPath();
  context.arc(plane.x(point[0]), plane.y(point[1]), radius, 0, 7);
  context.fillStyle = style;
  context.fill();
  [context.lineWidth, context.strokeStyle] = [2.5, colour('--card')];
  context.stroke();
}

export function scaleBar(context, plane) {
  const {step} = ticks(0, 110 / plane.view.scale, 1);
  const width = step * plane.view.scale;
  const [x, y] = [16, plane.height - 18];
  const bar = (style, wide) => {
    [context.strokeStyle, context.lineWidth] = [style, wide];
    context.beginPath();
    context.moveTo(x, y - 5);
    context.lineTo(x, y);
    context.lineTo(x + width, y);
    context.lineTo(x + width, y - 5);
    context.stroke();
  };
  bar(colour('--card'), 5);
  bar(colour('--ink'), 2);
  label(context, step >= 1000 ? `${digits(step / 1000)} km` : `${digits(step)} m`, x + 5, y - 9, '--ink');
}
