// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// MODULES=node_modules CHROMIUM=browser node view_speed.mjs PAGE.html: how fast a page of looptree view is. Prints its
// size, when it was first painted, and what panning and zooming the route cost, step by step.
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
// What one step costs until the screen has been redrawn, in milliseconds of the processor.
const costs = [];
const painted = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
async function step(act) {
  const before = await spentSoFar();
  await act();
  await painted();
  costs.push(await spentSoFar() - before);
}
await page.mouse.move(box.x + 200, box.y + 200);
await page.mouse.down();
for (let i = 0; i < 60; ++i) await step(() => page.mouse.move(box.x + 200 + 3 * i, box.y + 200 + i));
await page.mouse.up();
for (const key of ['+', '+', '-', 'f']) await step(() => page.keyboard.press(key));
const spent = await page.evaluate(() => window.spent);
const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))];
const told = (values) => `median ${quantile(values, 0.5).toFixed(1)} ms, longest ${quantile(values, 1).toFixed(1)} ms`;
console.log(`${(statSync(file).size / 1e6).toFixed(1)} MB, first paint ${paint.toFixed(0)} ms; ${costs.length} steps of panning and zooming, all that a step costs ` +
    `in time of the processor: ${told(costs)}; ${spent.length} redraws of the route by the clock: ${told(spent)}`);
await browser.close();
