// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// The page of looptree view, of a run through the demo's street scene, in a browser. See browser.mjs.
import assert from 'node:assert/strict';
import {rmSync, statSync} from 'node:fs';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {accessibility, launch, looksLike, looptree, open, temporary} from './browser.mjs';

const folder = temporary();
const at = (name) => path.join(folder, name);
const url = (name) => 'file://' + at(name);

let browser;
before(async () => {
  looptree('world', at('world'), '--frames', '150', '--width', '320', '--height', '200');
  looptree('detect', at('world'), '--output', at('run'));
  looptree('detect', at('world'), '--output', at('strict'), '--min-inliers', '200', '--sure-inliers', '200');
  looptree('view', at('run'), '--output', at('run.html'));
  looptree('view', at('run'), at('strict'), '--output', at('two.html'));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

const shown = (page) => page.locator('.pair-view').getAttribute('data-shown');
const number = (page) => page.locator('.frame-number').inputValue();

// Whether anything is drawn: the colours of a canvas differ.
const drawn = (page, selector) => page.locator(selector).first().evaluate((canvas) => {
  const copy = document.createElement('canvas');  // the browser warns of a canvas that is read twice
  [copy.width, copy.height] = [canvas.width, canvas.height];
  copy.getContext('2d').drawImage(canvas, 0, 0);
  const {data} = copy.getContext('2d').getImageData(0, 0, copy.width, copy.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  return seen.size;
});

test('draws a run without complaint and without the network', async () => {
  const {page, complaints} = await open(browser, url('run.html'));
  assert.match(await page.locator('.tiles').innerText(), /150\s+frames/);
  assert.match(await page.locator('.tiles').innerText(), /claims right/);
  assert.match(await page.locator('.reason').innerText(), /closure with frame \d+.*inliers of \d+ correspondences/);
  await page.waitForSelector('.pair-view[data-shown]');
  for (const canvas of ['canvas.route', 'canvas.pair', 'canvas.lanes', 'canvas.matrix', 'canvas.histogram']) {
    assert.ok(await drawn(page, canvas) > 5, `${canvas} is drawn`);
  }
  assert.ok(statSync(at('run.html')).size < 12e6);
  assert.deepEqual(complaints, []);
});

test('says what is under the mouse, and shows the frame that is clicked', async () => {
  const {page, complaints} = await open(browser, url('run.html'));
  const place = await page.evaluate(() => {
    const {route} = window.looptree.pages[0];
    const box = route.element.getBoundingClientRect();
    return [box.left + route.plane.x(route.points[30][0]), box.top + route.plane.y(route.points[30][1])];
  });
  await page.mouse.move(...place);
  await page.waitForSelector('.tip:not([hidden])');
  assert.match(await page.locator('.tip').innerText(), /frame \d+/);
  await page.mouse.click(...place);
  const frame = Number(await number(page));
  assert.ok(Math.abs(frame - 30) <= 2 || frame > 50, `frame ${frame} lies where frame 30 lies`);
  await page.waitForFunction((n) => document.querySelector('.pair-view').dataset.shown === n, String(frame));
  // A place on the timeline is a frame too.
  const lanes = page.locator('canvas.lanes');
  const {width} = await lanes.boundingBox();
  await lanes.click({position: {x: 54 + (width - 62) * 0.5, y: 20}});
  assert.ok(Math.abs(Number(await number(page)) - 75) <= 1);
  assert.deepEqual(complaints, []);
});

test('steps by keys and buttons', async () => {
  const {page, complaints} = await open(browser, url('run.html'));
  const start = Number(await number(page));
  await page.keyboard.press('ArrowRight');
  assert.equal(Number(await number(page)), start + 1);
  await page.keyboard.press('Shift+ArrowLeft');
  assert.equal(Number(await number(page)), start - 9);
  await page.keyboard.press('Home');
  assert.equal(await number(page), '0');
  await page.keyboard.press('n');
  const closure = Number(await number(page));
  assert.ok(closure > 0);
  assert.match(await page.locator('.reason').innerText(), /closure with/);
  await page.getByRole('button', {name: 'Next closure (N)'}).click();
  assert.ok(Number(await number(page)) > closure);
  await page.keyboard.press('p');
  assert.equal(Number(await number(page)), closure);
  await page.locator('.frame-number').fill('7');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.pair-view').dataset.shown === '7');
  assert.equal(await shown(page), '7');
  assert.deepEqual(complaints, []);
});

test('toggles layers and lines, zooms, pans, and goes to the match', async () => {
  const {page, complaints} = await open(browser, url('run.html'));
  const layer = page.locator('.legend button').first();
  assert.equal(await layer.getAttribute('aria-pressed'), 'true');
  await layer.click();
  assert.equal(await layer.getAttribute('aria-pressed'), 'false');
  const lines = page.locator('button.lines');
  await page.waitForSelector('.pair-view[data-shown]');
  const before = await drawn(page, 'canvas.pair');
  await page.keyboard.press('l');
  assert.equal(await lines.getAttribute('aria-pressed'), 'false');
  await page.waitForTimeout(100);
  assert.ok(await drawn(page, 'canvas.pair') < before, 'lines in colour are gone');
  const view = () => page.evaluate(() => window.looptree.pages[0].route.plane.view);
  const whole = await view();
  await page.getByRole('button', {name: 'Zoom in'}).click();
  assert.ok((await view()).scale > whole.scale * 1.4);
  const box = await page.locator('canvas.route').boundingBox();
  await page.mouse.move(box.x + 100, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 160, box.y + 130, {steps: 5});
  await page.mouse.up();
  assert.ok((await view()).x < whole.x);
  await page.keyboard.press('f');
  await page.waitForFunction((scale) => Math.abs(window.looptree.pages[0].route.plane.view.scale - scale) < 1e-9, whole.scale);
  const frame = await number(page);
  await page.getByRole('button', {name: 'Go to the match'}).click();
  assert.ok(Number(await number(page)) < Number(frame));
  await page.getByLabel('frames around', {exact: true}).selectOption({label: 'the whole run'});
  assert.deepEqual(complaints, []);
});

test('draws the route anew only where it looks otherwise', async () => {
  const {page, complaints} = await open(browser, url('run.html'));
  const painted = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(window.painted)))));
  await page.evaluate(() => {
    const {plane} = window.looptree.pages[0].route;
    const picture = plane.picture.bind(plane);
    window.painted = 0;
    plane.picture = (...given) => {
      ++window.painted;
      picture(...given);
    };
  });
  const pan = (...by) => page.evaluate((d) => window.looptree.pages[0].route.plane.pan(...d), by);
  // The pixels of the canvas where a picture is moved, and where it is drawn in its place.
  const pixels = () => page.locator('canvas.route').evaluate((canvas) => {
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, canvas.height];
    copy.getContext('2d').drawImage(canvas, 0, 0);
    return Array.from(copy.getContext('2d').getImageData(0, 0, copy.width, copy.height).data);
  });
  for (const by of [[30, -20], [-90, 40], [17, 0]]) await pan(...by);
  await page.keyboard.press('ArrowRight');
  assert.equal(await painted(), 0, 'panning and stepping');
  const moved = await pixels();
  await page.evaluate(() => window.looptree.pages[0].route.plane.change());
  assert.equal(await painted(), 1, 'a layer that is hidden, say');
  const drawn_ = await pixels();
  const other = moved.filter((value, i) => Math.abs(value - drawn_[i]) > 60).length;
  assert.ok(other < 0.002 * moved.length, `the same picture but for ${other} of ${moved.length}`);
  await pan(250, 0);
  assert.equal(await painted(), 2, 'beyond the picture');
  await page.getByRole('button', {name: 'Zoom in'}).click();
  assert.equal(await painted(), 3, 'another scale');
  assert.deepEqual(complaints, []);
});

test('leads from the line of a closure to it, where there are no poses', async () => {
  const {page, complaints} = await open(browser, url('run.html'));
  const [row, place] = await page.evaluate(() => {
    const {route, run} = window.looptree.pages[0];
    run.route = null;  // frames on a line, closures as arcs over it
    route.update();
    route.plane.fit(route.bounds());
    route.plane.canvas.paint();
    const closure = run.closures()[5];
    const [a, b] = [closure, run.matchRow[closure]].map((r) => route.plane.x(route.points[r][0]));
    const box = route.element.getBoundingClientRect();
    return [closure, [box.left + (a + b) / 2, box.top + route.plane.y(0) - Math.abs(a - b) / 2]];
  });
  await page.mouse.click(...place);
  assert.ok(Math.abs(Number(await number(page)) - row) <= 2, 'the closure of the arc that was clicked');
  await page.locator('canvas.lanes').hover();
  assert.match(await page.locator('.lanes-box .told').innerText(), /frame \d+.*score .* ms/);
  assert.deepEqual(complaints, []);
});

test('shows two runs side by side, moving together', async () => {
  const {page, complaints} = await open(browser, url('two.html'));
  assert.match(await page.locator('section').first().innerText(), /frames closed here only/);
  assert.equal(await page.locator('canvas.route').count(), 2);
  await page.locator('button.only-0').click();
  assert.deepEqual(await page.locator('.frame-number').evaluateAll((inputs) => [inputs[0].value === inputs[1].value, inputs.length]), [true, 2]);
  await page.getByRole('button', {name: 'Zoom in'}).first().click();
  const scales = await page.evaluate(() => window.looptree.pages.map((p) => p.route.plane.view.scale));
  assert.equal(scales[0], scales[1]);
  assert.deepEqual(complaints, []);
});

test('can be used without seeing colours or the mouse', async () => {
  for (const dark of [false, true]) {
    for (const name of ['run.html', 'two.html']) {
      const {page} = await open(browser, url(name), {dark});
      assert.deepEqual(await accessibility(page), [], `${name}, ${dark ? 'dark' : 'light'}`);
      await page.close();
    }
  }
  const {page} = await open(browser, url('run.html'));
  for (let i = 0; i < 40; ++i) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement.className === 'route')) break;
  }
  assert.equal(await page.evaluate(() => document.activeElement.className), 'route', 'the tabulator reaches the route');
});

test('looks as it did, on a laptop and on a phone', async () => {
  const laptop = await open(browser, url('run.html'), {width: 1366, height: 900});
  await laptop.page.waitForSelector('.pair-view[data-shown]');
  await laptop.page.waitForTimeout(300);
  await looksLike(laptop.page, 'view-laptop');
  const phone = await open(browser, url('run.html'), {width: 390, height: 844});
  await phone.page.waitForSelector('.pair-view[data-shown]');
  await phone.page.waitForTimeout(300);
  await looksLike(phone.page, 'view-phone');
  const overflow = await phone.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `the page is ${overflow} px too wide`);
});
