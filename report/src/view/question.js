// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {digits, make} from './dom.js';
import {label, picture} from './place.js';
import {ask} from './server.js';

// "Where was this?": an image dropped, pasted or chosen is looked up; `found` gets the ids of the places, best first.
export function questionSection({found, select}) {
  const answers = make('div', {class: 'answers', 'aria-live': 'polite'});
  const given = make('div', {});
  let asked = 0;
  const look = async (file) => {
    const turn = ++asked;
    given.replaceChildren(make('img', {class: 'given', alt: 'the image asked about', src: URL.createObjectURL(file)}));
    answers.textContent = 'Looking …';
    try {
      const {features, matches} = await ask('/api/query', {method: 'POST', headers: {'Content-Type': file.type || 'image/jpeg'}, body: file});
      if (turn !== asked) return;  // another image was dropped since
      answers.replaceChildren(make('p', {class: 'reason'}, sentence(features, matches)), ...matches.map((match) => answer(match, select)));
      found(matches.map((match) => match.id));
    } catch (error) {
      if (turn === asked) answers.replaceChildren(make('p', {class: 'reason'}, error.message));
    }
  };
  const input = make('input', {type: 'file', accept: 'image/png,image/jpeg,image/webp', id: 'image', onchange: () => input.files[0] && look(input.files[0])});
  const zone = make('div', {class: 'zone'}, make('label', {for: 'image'}, 'Drop an image here, paste one, or choose: '), input, given);
  for (const name of ['dragover', 'dragleave', 'drop']) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.toggle('over', name === 'dragover');
      if (name === 'drop' && event.dataTransfer.files[0]) look(event.dataTransfer.files[0]);
    });
  }
  document.addEventListener('paste', (event) => event.clipboardData.files[0] && look(event.clipboardData.files[0]));
  return make('section', {class: 'question'}, make('h2', {}, 'Where was this?'), zone, answers);
}

function sentence(features, matches) {
  if (features === 0) return 'The image has no features to know it by.';
  if (matches.length === 0) return 'No place of the map shares a word with it.';
  const [best] = matches;
  if (best.verified) return `At ${label(best)}: ${best.inliers} inliers of ${best.correspondences} correspondences over ${Math.round(100 * best.coverage)}% of the image.`;
  if (best.verified === null) return `It looks most like ${label(best)}, whose features the map did not keep: geometry could not check.`;
  return 'Geometry found it to be none of the places that look most like it.';
}

const answer = (match, select) => make('figure', {}, make('button', {type: 'button', class: 'pick', title: 'Show it on the map', onclick: () => select(match.id)}, picture(match)),
    make('figcaption', {}, make('b', {class: match.verified ? 'good' : ''}, match.verified ? 'verified ' : match.verified === null ? 'unchecked ' : 'only similar '),
        `${label(match)} · score ${digits(match.score, 3)} · ${match.inliers} inliers`));
