// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// MODULES=node_modules CHROMIUM=browser node view_speed.mjs PAGE.html: how fast a page of looptree view is. Prints its
// size, when it was first painted, and how long the frames of the screen took while the route was panned and zoomed.
import {statSync} from 'node:fs';
import path from 'node:path';

import {launch} from './browser.mjs';

const file = path.resolve(process.argv[2]);
const browser = await launch();
const page = await browser.newPage({viewport: {width: 1366, height: 900}});
await page.goto('file://' + file);
await page.waitForTimeout(500);
const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
const box = await page.locator('canvas.route').first().boundingBox();
const measured = page.evaluate(() => new Promise((resolve) => {
  const spent = [];
  const {canvas} = window.looptree.pages[0].route.plane;
  const draw = canvas.paint.bind(canvas);
  canvas.paint = () => {
    const start = performance.now();
    draw();
    canvas.element.getContext('2d').getImageData(0, 0, 1, 1);  // until it is really there
    spent.push(performance.now() - start);
  };
  const gaps = [];
  let last = performance.now();
  const tick = (now) => {
    gaps.push(now - last);
    last = now;
    if (gaps.length < 120) requestAnimationFrame(tick);
    else resolve({spent, gaps});
  };
  requestAnimationFrame(tick);
}));
await page.mouse.move(box.x + 200, box.y + 200);
await page.mouse.down();
for (let i = 0; i < 60; ++i) await page.mouse.move(box.x + 200 + 3 * i, box.y + 200 + i);
await page.mouse.up();
await page.keyboard.press('+');
await page.keyboard.press('+');
const {spent, gaps} = await measured;
const quantile = (values, q) => values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))];
console.log(`${(statSync(file).size / 1e6).toFixed(1)} MB, first paint ${paint.toFixed(0)} ms; ${spent.length} redraws of the route, median ` +
    `${quantile(spent, 0.5).toFixed(1)} ms, longest ${quantile(spent, 1).toFixed(1)} ms; between frames of the screen median ` +
    `${quantile(gaps, 0.5).toFixed(1)} ms, longest ${quantile(gaps, 1).toFixed(1)} ms`);
await browser.close();
