// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
import {make} from './dom.js';

export function masthead(title, run) {
  const {config} = run;
  const words = config.vocabulary?.words;
  const facts = [config.sequence?.path, config.features?.kind && `${config.features.kind} features`, words && `${words.toLocaleString('en')} words`,
    config.detector?.topology, config.complete === false && 'not finished'].filter(Boolean);
  document.title = `${title} · looptree`;
  return make('header', {}, make('h1', {}, title), make('p', {class: 'lead'}, facts.join(' · ')));
}

// Everything that was set, for those who want to repeat it.
export function settings(run) {
  return make('details', {}, make('summary', {}, `How ${run.name} was made`), make('pre', {tabindex: '0', 'aria-label': 'configuration'}, JSON.stringify(run.config, null, 2)));
}

// Calls `key` for keys pressed outside fields and buttons' own keys.
export function listenToKeys(key) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (key(event)) event.preventDefault();
  });
}
