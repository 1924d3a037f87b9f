import { expect, it } from '@jest/globals';
import { canonicalJson } from './canonical-json.js';

it.each<[string, string]>([
  ['{"b":1,"a":{"d":[1,2],"c":null}}', '{ "a": {"c": null, "d": [1.0, 2]}, "b": 1e0 }'],
  ['"\\u00e4"', '"ä"'],
  ['[]', '[ ]'],
])('The JSON values %s and %s are equal', (one, other) => {
  expect(canonicalJson(JSON.parse(one))).toBe(canonicalJson(JSON.parse(other)));
});

it.each<[unknown, unknown]>([
  [
    [1, 2],
    [2, 1],
  ],
  [{ a: 1 }, { a: '1' }],
  [{ a: null }, {}],
  [{ a: { b: 1 } }, { 'a.b': 1 }],
])('The JSON values %j and %j are not equal', (one, other) => {
  expect(canonicalJson(one)).not.toBe(canonicalJson(other));
});
