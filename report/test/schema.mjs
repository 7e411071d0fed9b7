// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// What docs/formats/serve.schema.json says, held against an answer: the part of JSON Schema that the file uses.
import {readFileSync} from 'node:fs';

const schema = JSON.parse(readFileSync(new URL('../../docs/formats/serve.schema.json', import.meta.url), 'utf8'));

const kTypes = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value), array: Array.isArray, integer: Number.isInteger,
  number: Number.isFinite, string: (value) => typeof value === 'string', boolean: (value) => typeof value === 'boolean', null: (value) => value === null,
};

function* problems(value, rule, at) {
  if (rule.$ref) return yield* problems(value, schema.$defs[rule.$ref.split('/').pop()], at);
  for (const part of rule.allOf ?? []) yield* problems(value, part, at);
  if (rule.type && ![rule.type].flat().some((type) => kTypes[type](value))) return yield `${at}: expected ${rule.type}, found ${JSON.stringify(value)}`;
  if (value < rule.minimum || value > rule.maximum) yield `${at}: out of bounds: ${value}`;
  if (value?.length < rule.minItems || value?.length > rule.maxItems) yield `${at}: ${value.length} items`;
  for (const name of rule.required ?? []) if (!(name in value)) yield `${at}: no ${name}`;
  for (const [name, inner] of Object.entries(rule.properties ?? {})) if (value && name in value) yield* problems(value[name], inner, `${at}.${name}`);
  if (rule.items && Array.isArray(value)) for (const [i, item] of value.entries()) yield* problems(item, rule.items, `${at}[${i}]`);
}

// Fields that the definition, and those it refers to, know of.
const known = (rule) => [...Object.keys(rule.properties ?? {}), ...(rule.allOf ?? []).flatMap(known), ...(rule.$ref ? known(schema.$defs[rule.$ref.split('/').pop()]) : [])];

// What is wrong with an answer by the definition of that name, as sentences; fields that it does not mention are.
export function against(name, answer) {
  const rule = schema.$defs[name];
  const unknown = Object.keys(answer).filter((field) => !known(rule).includes(field)).map((field) => `${name}: ${field} is not documented`);
  return [...problems(answer, rule, name), ...unknown];
}
