// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// MODULES=node_modules CHROMIUM=browser node view_speed.mjs PAGE.html [PASSES=5]: how fast a page of looptree view is.
// Prints its size, and of each pass, in a new window, when it was first painted and what each step of using it cost.
import {statSync} from 'node:fs';
import path from 'node:path';

import {launch} from './browser.mjs';

const [file, passes = '5'] = process.argv.slice(2);
const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))];
const median = (values) => quantile(values, 0.5);

// Measures one step after another: milliseconds of the processor, which other programs on the machine do not add to, and
// by the clock, which they do, until the screen has been redrawn.
class Meter {
  static async of(page) {
    const meter = new Meter();
    meter.page = page;
    meter.cdp = await page.context().newCDPSession(page);
    await meter.cdp.send('Performance.enable', {timeDomain: 'threadTicks'});
    return meter;
  }
  async spent() {
    const {metrics} = await this.cdp.send('Performance.getMetrics');
    return 1000 * metrics.find(({name}) => name === 'TaskDuration').value;
  }
  async steps(count, act) {
    const costs = [];
    for (let i = 0; i < count; ++i) {
      const before = await this.spent();
      await act(i);
      await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      costs.push(await this.spent() - before);
    }
    return costs;
  }
}

async function onePass(browser) {
  const page = await browser.newPage({viewport: {width: 1366, height: 900}});
  await page.goto('file://' + path.resolve(file));
  await page.waitForSelector('html[data-ready]');
  await page.waitForTimeout(500);
  const firstPaint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  const meter = await Meter.of(page);
  const {mouse, keyboard} = page;
  const drag = async (selector, count) => {
    const canvas = page.locator(selector).first();
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    await mouse.move(box.x + 100, box.y + 100);
    await mouse.down();
    const costs = await meter.steps(count, (i) => mouse.move(box.x + 100 + 8 * i, box.y + 100 + 2 * i));
    await mouse.up();
    return costs;
  };
  const keys = (list) => meter.steps(list.length, (i) => keyboard.press(list[i]));
  const steps = {};
  steps['pan the route'] = await drag('canvas.route', 60);
  steps['zoom the route'] = await keys(['+', '+', '+', '+', '-', '-', '-', '-', 'f']);
  const box = await page.locator('canvas.route').first().boundingBox();
  steps['point at the route'] = await meter.steps(30, (i) => mouse.move(box.x + 60 + 15 * i, box.y + 60 + 11 * i));
  steps['next frame'] = await keys(Array(20).fill('ArrowRight'));
  steps['next closure'] = await keys(Array(20).fill('n'));
  await page.evaluate(() => window.looptree.pages[0].lanes.zoom(0.3, 1000));
  steps['pan the timelines'] = await drag('canvas.lanes', 30);
  await page.close();
  return {firstPaint, steps};
}

const browser = await launch();
const all = [];
for (let i = 0; i < Number(passes); ++i) all.push(await onePass(browser));
await browser.close();
const ms = (value) => `${value.toFixed(1)} ms`;
const paints = all.map(({firstPaint}) => firstPaint);
console.log(`${(statSync(file).size / 1e6).toFixed(1)} MB; ${passes} passes; first paint: median ${ms(median(paints))}, latest ${ms(Math.max(...paints))}`);
console.log('a step, in time of the processor: median of all; longest of a pass, in the median of passes; longest of all');
for (const name of Object.keys(all[0].steps)) {
  const longest = all.map(({steps}) => Math.max(...steps[name]));
  console.log(`${name}: ${[median(all.flatMap(({steps}) => steps[name])), median(longest), Math.max(...longest)].map(ms).join('; ')}`);
}
