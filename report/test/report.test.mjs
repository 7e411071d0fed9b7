// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// LOOPTREE=binary MODULES=node_modules CHROMIUM=browser node --test report.test.mjs
// Writes a report of small runs and looks at it in a browser. With SCREENSHOTS=folder it leaves
// pictures of what it saw.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {accessibility} from './browser.mjs';

const {LOOPTREE, MODULES, CHROMIUM = '/usr/bin/chromium', SCREENSHOTS} = process.env;
const {chromium} = createRequire(path.join(path.resolve(MODULES), 'x'))('playwright-core');
const folder = mkdtempSync(path.join(tmpdir(), 'looptree-report-'));
const at = (name) => path.join(folder, name);
const looptree = (...args) => execFileSync(LOOPTREE, args, {encoding: 'utf8'});

const kPixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

// Two rounds of a circle; each place has words of its own and some that are everywhere.
function words() {
  const lines = ['looptree-words 1', 'vocabulary 1000'];
  for (let i = 0; i < 160; ++i) {
    const place = i % 80;
    const own = Array.from({length: 12}, (_, k) => (place * 8 + k + (i > 80 ? k % 2 : 0)) % 900);
    lines.push(`frame ${own.join(' ')} ${900 + i % 17} ${950 + (i * 7) % 31}`);
    const angle = 2 * Math.PI * place / 80;
    lines.push(`pose 1 0 0 ${30 * Math.cos(angle)} 0 1 0 0 0 0 1 ${30 * Math.sin(angle)}`);
  }
  return lines.join('\n') + '\n';
}

let browser;
before(async () => {
  writeFileSync(at('words.txt'), words());
  writeFileSync(at('poses.txt'), words().split('\n').filter((l) => l.startsWith('pose')).map((l) => l.slice(5)).join('\n'));
  writeFileSync(at('closures.csv'), 'query,match\n100,20\n110,30\n120,70\n');
  looptree('eval', 'incremental', at('words.txt'), '--exclude-recent', '20', '--distance', '5', '--passes', '2', '--output', at('first'));
  looptree('eval', 'synthetic', at('words.txt'), '--threshold', '0.2', '--negative', at('words.txt'), '--output', at('second'));
  looptree('eval', 'closures', at('closures.csv'), '--poses', at('poses.txt'), '--exclude-recent', '20', '--name', '<b>rival</b></script>', '--output', at('third'));
  mkdirSync(at('fourth'));  // what looptree detect and looptree show leave
  writeFileSync(at('fourth/closures.csv'), 'query,match,score\n100,20,0.5\n');
  writeFileSync(at('fourth/frames.csv'), 'frame\n');
  writeFileSync(at('fourth/pair_100_20.png'), Buffer.from(kPixel, 'base64'));
  looptree('report', at('first'), at('second'), at('third'), at('fourth'), '--output', at('report.html'));
  const run = JSON.parse(readFileSync(at('first/metrics.json'), 'utf8'));
  mkdirSync(at('sweep'));  // a run with more methods than colours: one of them under many names
  const curves = readFileSync(at('first/curves.csv'), 'utf8').trim().split('\n');
  const of = run.variants.find((variant) => curves.some((line) => line.startsWith(variant.name + ',')));
  const names = ['mean', 'max', 'sum'].flatMap((pooling) => [2, 4, 8, 16].map((b) => `d2b${b}-${pooling}`));
  writeFileSync(at('sweep/metrics.json'), JSON.stringify({...run, variants: names.map((name) => ({...of, name}))}));
  writeFileSync(at('sweep/config.json'), readFileSync(at('first/config.json')));
  const points = curves.filter((line) => line.startsWith(of.name + ','));
  writeFileSync(at('sweep/curves.csv'), [curves[0], ...names.flatMap((name) => points.map((line) => name + line.slice(of.name.length)))].join('\n') + '\n');
  looptree('report', at('sweep'), '--output', at('sweep.html'));
  browser = await chromium.launch({executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu']});
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

async function open(width, height, name = 'report.html') {
  const page = await browser.newPage({viewport: {width, height}, acceptDownloads: true});
  page.setDefaultTimeout(10000);
  const complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => /^https?:/.test(request.url()) && complaints.push(`asked for ${request.url()}`));
  await page.goto('file://' + at(name));
  await page.waitForSelector('#curves svg path', {state: 'attached'});
  return {page, complaints};
}

test('draws every chart without complaint and without the network', async () => {
  const {page, complaints} = await open(1366, 768);
  for (const id of ['curves', 'times', 'route0']) {
    assert.ok(await page.locator(`#${id} svg path`).count() > 5, `${id} is drawn`);
  }
  assert.match(await page.locator('#runs').innerText(), /incremental/);
  assert.match(await page.locator('#table1').innerText(), /Table 1, KITTI 01 to 21/);
  assert.match(await page.locator('#table2').innerText(), /<b>rival<\/b><\/script>/, 'names are text, not markup');
  const picture = page.locator('#pictures3 img');
  await picture.scrollIntoViewIfNeeded();
  assert.equal(await picture.evaluate((image) => image.decode().then(() => image.naturalWidth)), 1);
  if (SCREENSHOTS) await page.screenshot({path: path.join(SCREENSHOTS, 'laptop.png'), fullPage: true});
  assert.deepEqual(complaints, []);
});

test('says what is under the mouse', async () => {
  const {page, complaints} = await open(1366, 768);
  await page.locator('#times .chart').scrollIntoViewIfNeeded();
  const box = await page.locator('#times .chart').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForFunction(() => document.querySelector('#times .chart').innerText.includes('recall'));
  const text = await page.locator('#times .chart').innerText();
  assert.match(text, /d1: .* ms/);
  assert.match(text, /recall/, 'no time without its recall');
  if (SCREENSHOTS) await page.screenshot({path: path.join(SCREENSHOTS, 'hover.png')});
  assert.deepEqual(complaints, []);
});

test('hides a curve when its name is clicked', async () => {
  const {page, complaints} = await open(1366, 768);
  const shown = () => page.evaluate(() => {
    const {chart} = document.querySelector('#curves .chart');
    return Object.values(chart.getOption().legend[0].selected).filter((on) => on === false).length;
  });
  assert.equal(await shown(), 0);
  await page.locator('#curves svg text', {hasText: 'd2b16-mean'}).first().click();
  assert.equal(await shown(), 1);
  await page.locator('#log').check();
  await page.waitForSelector('#times svg path', {state: 'attached'});
  await page.locator('#route0 select').selectOption({index: 1});
  assert.ok(await page.locator('#route0 svg path').count() > 5);
  assert.deepEqual(complaints, []);
});

test('shows at most as many curves as can be told apart, by group', async () => {
  const {page, complaints} = await open(1366, 768, 'sweep.html');
  const names = () => page.evaluate(() => document.querySelector('#curves .chart').chart.getOption().series.map((s) => s.name));
  const mixed = await names();
  assert.equal(mixed.length, 8);
  assert.ok(mixed.some((name) => /mean/.test(name)) && mixed.some((name) => /max/.test(name)), 'some of each group');
  const select = page.locator('#curves select');
  await select.selectOption({label: 'max pooling'});
  assert.ok((await names()).every((name) => /max/.test(name)));
  assert.deepEqual(complaints, []);
});

test('saves a chart as SVG', async () => {
  const {page} = await open(1366, 768);
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#curves .save').click()]);
  assert.equal(download.suggestedFilename(), 'curves.svg');
  assert.match(readFileSync(await download.path(), 'utf8'), /^<svg[^>]*>[\s\S]*<path[\s\S]*<\/svg>/);
});

test('follows a dark screen, prints on white, and can be read by everybody', async () => {
  for (const colorScheme of ['dark', 'light']) {
    const {page, complaints} = await open(1366, 768);
    await page.emulateMedia({colorScheme});
    const dark = colorScheme === 'dark';
    const paper = () => page.evaluate(() => document.querySelector('#curves .chart').chart.getOption().backgroundColor);
    await page.waitForFunction((other) => document.querySelector('#curves .chart').chart.getOption().backgroundColor !== other, dark ? '#ffffff' : '#171f28');
    assert.equal(await paper(), dark ? '#171f28' : '#ffffff');
    assert.deepEqual(await accessibility(page), [], colorScheme);
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#curves .save').click()]);
    assert.doesNotMatch(readFileSync(await download.path(), 'utf8'), /#171f28|rgb\(23,31,40\)/);
    if (SCREENSHOTS) await page.screenshot({path: path.join(SCREENSHOTS, `report-${colorScheme}.png`), fullPage: true});
    assert.deepEqual(complaints, []);
  }
});

test('fits a phone', async () => {
  const {page, complaints} = await open(390, 844);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `the page is ${overflow} px too wide`);
  for (const id of ['curves', 'times', 'route0']) {
    const box = await page.locator(`#${id} svg`).first().boundingBox();
    assert.ok(box.width > 300 && box.width <= 390, `${id} is ${box.width} px wide`);
  }
  if (SCREENSHOTS) await page.screenshot({path: path.join(SCREENSHOTS, 'phone.png'), fullPage: true});
  assert.deepEqual(complaints, []);
});
