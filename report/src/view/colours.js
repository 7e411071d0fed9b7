// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// What can become of a frame: the word in the data, what the page calls it, and the CSS variable of its colour. The
// colours are told apart by people who see few (after Okabe and Ito), on light and on dark paper; marks differ in shape too.
export const kStates = [
  {key: 'right', label: 'closure, right', variable: '--right'},
  {key: 'claim', label: 'closure', variable: '--right'},
  {key: 'wrong', label: 'closure, wrong', variable: '--wrong'},
  {key: 'missed', label: 'missed revisit', variable: '--missed'},
  {key: 'not verified', label: 'refused by geometry', variable: '--geometry'},
  {key: 'not consistent', label: 'refused by consistency', variable: '--consistency'},
  {key: 'not distinct', label: 'refused as not distinct', variable: '--distinct'},
  {key: 'no candidate', label: 'refused by score', variable: '--score'},
  {key: 'not a keyframe', label: 'not a keyframe', variable: '--skipped'},
  {key: 'no features', label: 'no features', variable: '--blind'},
  {key: 'unreadable', label: 'unreadable', variable: '--blind'},
  {key: 'another size', label: 'of another size', variable: '--blind'},
];
export const stateOf = Object.fromEntries(kStates.map((state) => [state.key, state]));

let known = {};
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => known = {});

// The value of a CSS variable of the page, light or dark.
export function colour(variable) {
  known[variable] ??= getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
  return known[variable];
}
export const colourOf = (key) => colour(stateOf[key]?.variable ?? '--soft');

// From little to much, readable on both papers: dark blue over green to yellow.
const kRamp = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
export function rampAt(value) {
  const place = Math.min(0.9999, Math.max(0, value)) * (kRamp.length - 1);
  const [low, part] = [Math.floor(place), place % 1];
  return kRamp[low].map((c, i) => Math.round(c + (kRamp[low + 1][i] - c) * part));
}
