// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// The server that the page came from. Its token, if it has one, is in the page's own address.
const token = new URLSearchParams(location.search).get('token');

export const address = (path) => token ? `${path}${path.includes('?') ? '&' : '?'}token=${encodeURIComponent(token)}` : path;

// Its answer as JSON; throws with its sentence where it refuses.
export async function ask(path, options = {}) {
  const answer = await fetch(address(path), options);
  const json = await answer.json();
  if (!answer.ok) throw new Error(json.error ?? `status ${answer.status}`);
  return json;
}
