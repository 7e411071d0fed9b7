// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {make} from './view/dom.js';

// As many lines as have a colour of their own.
export const kMostLines = 8;

// What a method is called says what it is like: how it pools, or which family of methods it is from.
export function groupOf(name) {
  const method = name.split(' · ').pop();
  const pooling = method.match(/(mean|max|sum)/);
  if (pooling) return `${pooling[1]} pooling`;
  return /^d1\b/.test(method) ? 'flat (d1)' : 'others';
}

// Of each group some, in turns, until there are as many as can be told apart.
export function mixed(series) {
  const groups = new Map();
  for (const one of series) groups.set(groupOf(one.name), [...groups.get(groupOf(one.name)) ?? [], one]);
  const chosen = new Set();
  for (let turn = 0; chosen.size < Math.min(kMostLines, series.length); ++turn) {
    for (const members of groups.values()) {
      if (members[turn] && chosen.size < kMostLines) chosen.add(members[turn]);
    }
  }
  return series.filter((one) => chosen.has(one));
}

// A choice of which lines a chart shows; nothing where all can be told apart. Calls `show` with the lines.
export function chooser(series, show) {
  if (series.length <= kMostLines) {
    show(series);
    return null;
  }
  const parts = [[`${kMostLines} of ${series.length}, some of each group`, mixed(series)]];
  for (const group of new Set(series.map((one) => groupOf(one.name)))) {
    const members = series.filter((one) => groupOf(one.name) === group);
    for (let first = 0; first < members.length; first += kMostLines) {
      const last = Math.min(first + kMostLines, members.length);
      parts.push([members.length <= kMostLines ? group : `${group}, ${first + 1} to ${last}`, members.slice(first, last)]);
    }
  }
  const select = make('select', {'aria-label': 'which methods', onchange: () => show(parts[select.selectedIndex][1])}, ...parts.map(([label]) => make('option', {}, label)));
  show(parts[0][1]);
  return select;
}
