// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// What tests of pages share: LOOPTREE=binary MODULES=node_modules CHROMIUM=browser node --test FILE. With
// SCREENSHOTS=folder they leave pictures of what they saw; with UPDATE=1 they store those they compare with.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const {LOOPTREE, MODULES, CHROMIUM = '/usr/bin/chromium', SCREENSHOTS, UPDATE} = process.env;
const require = createRequire(path.join(path.resolve(MODULES), 'x'));
const {chromium} = require('playwright-core');
const here = path.dirname(fileURLToPath(import.meta.url));

export const binary = LOOPTREE;
export const looptree = (...args) => execFileSync(LOOPTREE, args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
export const temporary = () => mkdtempSync(path.join(tmpdir(), 'looptree-page-'));
export const launch = () => chromium.launch({executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu']});

// A page, and the list that its complaints will be in: messages, errors, requests to another host than `host`.
export async function open(browser, url, {width = 1366, height = 768, dark = false, host} = {}) {
  const page = await browser.newPage({viewport: {width, height}, colorScheme: dark ? 'dark' : 'light', acceptDownloads: true});
  page.setDefaultTimeout(20000);
  const complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => /^https?:/.test(request.url()) && !(host && request.url().startsWith(host)) && complaints.push(`asked for ${request.url()}`));
  await page.goto(url);
  await page.waitForSelector('html[data-ready]');
  return {page, complaints};
}

// What axe-core finds wrong, as text; nothing if all is well.
export async function accessibility(page) {
  await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const {violations} = await page.evaluate(() => window.axe.run());
  return violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`);
}

// Blocks of 24 pixels by their mean colour: fonts and a frame more or less do not matter, a chart that is missing does.
async function blocks(page, png) {
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [Math.round(image.naturalWidth / 24), Math.round(image.naturalHeight / 24)];
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return {width: canvas.width, height: canvas.height, values: Array.from(context.getImageData(0, 0, canvas.width, canvas.height).data)};
  }, png.toString('base64'));
}

// Compares the page with the stored picture of that name: at most a tenth of its blocks may look otherwise.
export async function looksLike(page, name) {
  const png = await page.screenshot();
  if (SCREENSHOTS) writeFileSync(path.join(SCREENSHOTS, `${name}.png`), png);
  const stored = path.join(here, 'screenshots', `${name}.png`);
  if (UPDATE) {
    mkdirSync(path.dirname(stored), {recursive: true});
    writeFileSync(stored, png);
  }
  assert.ok(existsSync(stored), `${stored} is stored`);
  const [now, then] = [await blocks(page, png), await blocks(page, readFileSync(stored))];
  assert.deepEqual([now.width, now.height], [then.width, then.height]);
  let other = 0;
  for (let i = 0; i < now.values.length; i += 4) {
    const far = Math.max(...[0, 1, 2].map((k) => Math.abs(now.values[i + k] - then.values[i + k])));
    if (far > 40) ++other;
  }
  const part = other / (now.values.length / 4);
  assert.ok(part < 0.1, `${name}: ${(100 * part).toFixed(1)}% of the picture looks otherwise`);
}
