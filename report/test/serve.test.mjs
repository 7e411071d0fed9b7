// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// looptree serve and looptree detect --live: their pages in a browser, and their answers to good and bad requests.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {copyFileSync, mkdirSync, readFileSync, rmSync} from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {accessibility, binary, launch, looptree, open, temporary} from './browser.mjs';
import {against} from './schema.mjs';

const folder = temporary();
const at = (name) => path.join(folder, name);

// Starts a command that serves, and resolves to it and the address that it prints.
function start(...args) {
  const child = spawn(binary, args, {stdio: ['ignore', 'pipe', 'pipe']});
  let said = '';
  const url = new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      said += data;
      const found = said.match(/http:\S+/);
      if (found) resolve(found[0]);
    });
    child.stderr.on('data', (data) => { said += data; });
    child.on('exit', () => reject(new Error(said)));
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  return url.then((u) => ({child, url: u, ended, said: () => said}));
}

let [browser, server] = [];
before(async () => {
  looptree('world', at('world'), '--frames', '150', '--width', '320', '--height', '200');
  looptree('detect', at('world'), '--map', at('city.map'), '--output', at('one'));
  server = await start('serve', at('city.map'), '--port', '0');
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.child.kill('SIGTERM');
  rmSync(folder, {recursive: true, force: true});
});

const get = (name) => fetch(new URL(name, server.url));
const ask = (body, type) => fetch(new URL('/api/query', server.url), {method: 'POST', body, headers: {'Content-Type': type}});

// A request with headers that fetch() does not let one choose; resolves to the status.
const raw = (options, body) => new Promise((resolve, reject) => {
  const request = http.request(server.url, options, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  });
  request.on('error', reject);
  request.end(body);
});

test('answers what the map holds', async () => {
  const map = await (await get('/api/map')).json();
  assert.deepEqual(against('map', map), []);
  const {file, index_in_memory: _, ...parts} = map.storage;
  assert.equal(Object.values(parts).reduce((a, b) => a + b), file, 'the parts add up');
  assert.equal(map.frames, 150);
  assert.equal(map.sessions.length, 1);
  const some = await (await get('/api/places?from=10&count=5')).json();
  assert.deepEqual(against('places', some), []);
  const {places, next} = some;
  assert.deepEqual(places.map((place) => place.id), [10, 11, 12, 13, 14]);
  assert.equal(places[0].place.length, 3);
  assert.equal(next, 15);
  const known = await (await get('/api/closures')).json();
  assert.deepEqual(against('closures', known), []);
  const {closures} = known;
  assert.ok(closures.length > 10 && closures.every((row) => row.length === 4));
  const picture = await get('/api/places/40/thumbnail');
  assert.equal(picture.headers.get('content-type'), 'image/jpeg');
  assert.deepEqual([...new Uint8Array(await picture.arrayBuffer()).slice(0, 2)], [0xFF, 0xD8]);
  const verified = await fetch(new URL('/api/verify', server.url), {method: 'POST'});
  const result = await verified.json();
  assert.deepEqual(against('verification', result), []);
  assert.equal(result.sound, true);
});

test('says where an image was taken, and what words and descriptors look like', async () => {
  const image = readFileSync(at('world/image_0/000040.png'));
  const answer = await (await ask(image, 'image/png')).json();
  assert.deepEqual(against('answer', answer), []);
  const {features, matches} = answer;
  assert.ok(features > 100);
  assert.equal(matches[0].id, 40);
  assert.equal(matches[0].verified, true);
  assert.ok(matches[0].inliers > 100);
  const words = await (await ask(JSON.stringify({words: Array.from({length: 400}, (_, i) => 7 * i), top_k: 3}), 'application/json')).json();
  assert.equal(words.words, 400);
  assert.ok(words.matches.length <= 3);
  const descriptors = await (await ask(JSON.stringify({descriptors: Buffer.alloc(32 * 50, 5).toString('base64'), width: 32}), 'application/json')).json();
  assert.equal(descriptors.words, 50);
});

test('refuses bad requests with a clear status and a sentence', async () => {
  const refused = async (answer, status) => {
    assert.equal((await answer).status, status);
    assert.match((await (await answer).json()).error, /^expected .*[,;] found /);
  };
  await refused(ask('{', 'application/json'), 400);
  await refused(ask('{"words": [-1]}', 'application/json'), 400);
  await refused(ask('{"words": [4000000000]}', 'application/json'), 400);
  await refused(ask('no image', 'image/png'), 400);
  const huge = Buffer.from(readFileSync(at('world/image_0/000040.png')));
  huge.writeUInt32BE(60000, 16);
  huge.writeUInt32BE(60000, 20);
  await refused(ask(huge, 'image/png'), 400);
  await refused(get('/api/places?from=x'), 400);
  await refused(get('/api/places/4000/thumbnail'), 404);
  await refused(get('/nothing'), 404);
  await refused(ask(Buffer.alloc(17 << 20), 'image/png').catch(() => ({status: 413, json: async () => ({error: 'expected less, found a closed connection'})})), 413);
  assert.equal(await raw({path: '/api/map', headers: {Host: 'evil.example'}}), 403, 'a name that was bound to this machine');
  assert.equal(await raw({path: '/api/map', headers: {Origin: 'http://evil.example'}}), 403, 'another site');
  // Not even HTTP: the server closes the connection, and goes on.
  await new Promise((resolve) => {
    const socket = net.connect(new URL(server.url).port, '127.0.0.1', () => socket.end('\x00\xff nonsense\r\n\r\n'));
    socket.on('close', resolve);
    socket.on('error', resolve);
    socket.resume();
  });
  assert.equal((await get('/api/map')).status, 200);
});

test('answers words, places and pictures however many images are asked about', async () => {
  const image = readFileSync(at('world/image_0/000040.png'));
  let pending = 64;
  const images = Array.from({length: pending}, () => ask(image, 'image/png').finally(() => --pending));
  const words = JSON.stringify({words: Array.from({length: 400}, (_, i) => 7 * i)});
  while (pending > 0) {
    const answers = await Promise.all([ask(words, 'application/json'), get('/api/places'), get('/api/places/40/thumbnail')]);
    assert.deepEqual(answers.map(({status}) => status), [200, 200, 200]);
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  }
  const answers = await Promise.all(images);
  const refused = answers.filter(({status}) => status !== 200);
  assert.ok(refused.length < answers.length, 'some are looked up');
  for (const answer of refused) {
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.match((await answer.json()).error, /^expected a free core/);
  }
});

test('asks for its token, and wants one beyond this machine', async () => {
  assert.throws(() => looptree('serve', at('city.map'), '--address', '0.0.0.0'), /expected --token/);
  const guarded = await start('serve', at('city.map'), '--port', '0', '--token', 'sesame');
  try {
    const to = (name, headers = {}) => fetch(new URL(name, guarded.url), {headers}).then((answer) => answer.status);
    assert.equal(await to('/api/map'), 401);
    assert.equal(await to('/api/map?token=sesam'), 401);
    assert.equal(await to('/api/map?token=sesame'), 200);
    assert.equal(await to('/api/map', {Authorization: 'Bearer sesame'}), 200);
    const {page, complaints} = await open(browser, guarded.url, {host: new URL(guarded.url).origin});
    assert.match(await page.locator('.tiles').innerText(), /150\s+places/);
    assert.deepEqual(complaints, []);
  } finally {
    guarded.child.kill('SIGTERM');
    assert.equal(await guarded.ended, 0);
  }
});

test('shows the map, and where a dropped image was taken', async () => {
  const {page, complaints} = await open(browser, server.url, {host: new URL(server.url).origin});
  assert.match(await page.locator('.tiles').innerText(), /150\s+places/);
  assert.match(await page.locator('table').innerText(), /known from earlier sessions/i);
  assert.match(await page.locator('.chosen .reason').innerText(), /closed with \d+ places?/, 'a place that was closed, to begin with');
  const image = readFileSync(at('world/image_0/000077.png')).toString('base64');
  const dropped = await page.evaluateHandle((data) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], 'lost.png', {type: 'image/png'}));
    return transfer;
  }, image);
  await page.dispatchEvent('.zone', 'drop', {dataTransfer: dropped});
  await page.waitForSelector('.answers .reason');
  assert.match(await page.locator('.answers .reason').innerText(), /At 000077\.png of session 0: \d+ inliers of \d+/);
  await page.setInputFiles('#image', at('world/image_0/000012.png'));
  await page.waitForFunction(() => /000012/.test(document.querySelector('.answers .reason')?.textContent ?? ''));
  await page.getByRole('button', {name: 'Verify the file'}).click();
  await page.waitForFunction(() => /Sound: 150 places/.test(document.body.textContent));
  assert.deepEqual(await accessibility(page), []);
  // What was found has pictures; one of them leads to its place on the map, from where keys go on.
  await page.waitForFunction(() => document.querySelector('.answers img')?.naturalWidth === 160);
  await page.locator('.answers .pick').first().click();
  assert.match(await page.locator('.chosen .reason').innerText(), /^000012\.png of session 0: closed with \d+ places?/);
  await page.keyboard.press('n');
  assert.doesNotMatch(await page.locator('.chosen .reason').innerText(), /^000012\.png/);
  const layer = page.locator('.legend button').first();
  await layer.click();
  assert.equal(await layer.getAttribute('aria-pressed'), 'false');
  await page.locator('canvas.coverage').hover();
  assert.match(await page.locator('.told').innerText(), /places? \d+.*closed within/);
  if (process.env.SCREENSHOTS) await page.screenshot({path: path.join(process.env.SCREENSHOTS, 'map.png'), fullPage: true});
  assert.deepEqual(await accessibility(page), []);
  await page.emulateMedia({colorScheme: 'dark'});
  assert.deepEqual(await accessibility(page), [], 'dark');
  await page.setViewportSize({width: 390, height: 844});
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth) <= 0, 'it fits a phone');
  assert.deepEqual(complaints, []);
});

test('shows a run while it goes on', async () => {
  const live = await start('detect', at('world'), '--live', '--port', '0', '--output', at('live'));
  const {page, complaints} = await open(browser, live.url, {host: new URL(live.url).origin});
  await page.waitForFunction(() => document.querySelector('.status').textContent === 'finished', null, {timeout: 120000});
  await live.ended;
  assert.match(await page.locator('.tiles').innerText(), /150\s+frames/);
  assert.match(await page.locator('.after').innerText(), /looptree view .*live/);
  const claims = readFileSync(at('live/closures.csv'), 'utf8').trim().split('\n').length - 1;
  await page.waitForFunction((n) => window.looptree.delays.length === n, claims);
  assert.match(await page.locator('.reason').innerText(), /closure with/);
  assert.deepEqual(await accessibility(page), []);
  assert.deepEqual(complaints.filter((text) => !/404|ERR_CONNECTION|ERR_INCOMPLETE/.test(text)), [], 'but that the server is gone');
});

test('shows a camera, here a folder that is followed', async () => {
  mkdirSync(at('camera'));
  for (let i = 0; i < 40; ++i) copyFileSync(at(`world/image_0/${String(i).padStart(6, '0')}.png`), at(`camera/${String(i).padStart(6, '0')}.png`));
  const live = await start('detect', at('camera'), '--follow', '--idle', '4', '--live', '--port', '0', '--output', at('followed'));
  const {page, complaints} = await open(browser, live.url, {host: new URL(live.url).origin});
  await page.waitForFunction(() => /40\s+frames/.test(document.querySelector('.tiles').innerText));
  const picture = await fetch(new URL('/api/frames/39/image', live.url));
  assert.equal(picture.headers.get('content-type'), 'image/jpeg');
  assert.equal((await fetch(new URL('/api/frames/40/image', live.url))).status, 404);
  await page.locator('.frame-number').fill('39');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => window.looptree.pages[0].pair.images[0]?.naturalWidth === 320);
  await page.waitForFunction(() => document.querySelector('.status').textContent === 'finished', null, {timeout: 60000});
  assert.equal(await live.ended, 0);
  assert.deepEqual(complaints.filter((text) => !/ERR_CONNECTION|ERR_INCOMPLETE/.test(text)), [], 'but that the server is gone');
});
