// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// MODULES=node_modules CHROMIUM=browser node view_speed.mjs PAGE.html: how fast a page of looptree view is. Prints its
// size, when it was first painted, and how long a redraw takes while the route was panned and zoomed.
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
// The time of the processor, which other programs on the machine do not add to.
const cdp = await page.context().newCDPSession(page);
await cdp.send('Performance.enable', {timeDomain: 'threadTicks'});
const spentSoFar = async () => {
  const {metrics} = await cdp.send('Performance.getMetrics');
  return 1000 * metrics.find(({name}) => name === 'TaskDuration').value;
};
await page.evaluate(() => {
  const {canvas} = window.looptree.pages[0].route.plane;
  const draw = canvas.paint.bind(canvas);
  window.spent = [];
  canvas.paint = () => {
    const start = performance.now();
    draw();
    window.spent.push(performance.now() - start);
  };
});
const before = await spentSoFar();
await page.mouse.move(box.x + 200, box.y + 200);
await page.mouse.down();
for (let i = 0; i < 60; ++i) {
  await page.mouse.move(box.x + 200 + 3 * i, box.y + 200 + i);
  await page.waitForTimeout(20);
}
await page.mouse.up();
for (const key of ['+', '+', '-', 'f']) await page.keyboard.press(key);
await page.waitForTimeout(200);
const cpu = await spentSoFar() - before;
const spent = await page.evaluate(() => window.spent);
const quantile = (values, q) => values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))];
console.log(`${(statSync(file).size / 1e6).toFixed(1)} MB, first paint ${paint.toFixed(0)} ms; ${spent.length} redraws of the route: ` +
    `${(cpu / spent.length).toFixed(1)} ms of the processor each, all in all; by the clock median ${quantile(spent, 0.5).toFixed(1)} ms, ` +
    `longest ${quantile(spent, 1).toFixed(1)} ms`);
await browser.close();
