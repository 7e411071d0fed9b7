// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {digits, make} from './dom.js';
import {address} from './server.js';

// A place of a map: what it is called, and its picture.

export const label = (place) => `${place.name || `place ${place.id}`} of session ${place.session}`;

// A map without pictures is not asked for them.
let kept = true;
export const keepPictures = (yes) => { kept = yes; };

export function picture(place) {
  if (!kept) return make('span', {class: 'none'}, 'no picture');
  const image = make('img', {alt: label(place), src: address(`/api/places/${place.id}/thumbnail`), loading: 'lazy', onerror: () => image.replaceWith(make('span', {class: 'none'}, 'no picture'))});
  return image;
}

const kMostShown = 6;

// The place that was chosen on a map, and what it was closed with, best first.
export class PlacePanel {
  constructor(select) {
    this.select = select;
    this.element = make('div', {class: 'chosen', 'aria-live': 'polite'});
  }
  show(place, closures) {
    const best = [...closures].sort((a, b) => b.inliers - a.inliers).slice(0, kMostShown);
    const more = closures.length - best.length;
    this.element.replaceChildren(
        make('p', {class: 'reason'}, closures.length === 0 ? `${label(place)}: closed with no other place.` :
          `${label(place)}: closed with ${closures.length} ${closures.length === 1 ? 'place' : 'places'}${more > 0 ? `, the ${kMostShown} with most inliers below` : ''}.`),
        make('div', {class: 'answers'}, make('figure', {class: 'one'}, picture(place), make('figcaption', {}, make('b', {}, 'chosen '), label(place))),
            ...best.map(({place: other, score, inliers}) => make('figure', {},
                make('button', {type: 'button', class: 'pick', title: 'Go to it', onclick: () => this.select(other.id)}, picture(other)),
                make('figcaption', {}, `${label(other)} · score ${digits(score, 3)} · ${inliers} inliers`)))));
  }
}
