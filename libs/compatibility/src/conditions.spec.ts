import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { findingsBetween, groupedTexts } from './findings.js';
import type { ReleaseContract } from './release-contract.js';
import {
  BEFORE,
  consumes,
  findingTexts,
  grown,
  handles,
  nothing,
  publishes,
  release,
  sends,
} from './testing/example-releases.js';

describe('a new feature is a condition of the deployment, and no reason against the release:', () => {
  it.each<[string, ReleaseContract, ReleaseContract, string]>([
    [
      'a new request',
      sends('2', BEFORE, nothing),
      release('mill', '1', {}),
      'condition: the new bakery sends mill.grind, which mill@1 does not handle. ' +
        'Deploy a release of mill with mill.grind first: until it runs, it is answered with 503.',
    ],
    [
      'a new field for a strict request',
      sends('2', grown, nothing),
      handles('1', z.strictObject(BEFORE.shape), nothing),
      'condition: request mill.grind, field more: the new bakery sends string, mill@1 accepts no other fields. ' +
        'Deploy a release of mill with mill.grind more first: until it runs, requests with it are refused.',
    ],
    [
      'a new value',
      sends('2', BEFORE.extend({ kind: z.enum(['a', 'b', 'c']) }), nothing),
      handles('1', BEFORE, nothing),
      'condition: request mill.grind, field kind: the new bakery sends "c", mill@1 reads "a" or "b". ' +
        'Deploy a release of mill with mill.grind kind first: until it runs, requests with it are refused.',
    ],
    [
      'a new version of an event that its producer does not publish yet',
      release('bakery', '2', { consumes: { 'mill.flour-ground.v2': {} } }),
      publishes('1', BEFORE),
      'condition: the new bakery consumes mill.flour-ground.v2, which mill@1 does not publish. ' +
        'Deploy a release of mill with mill.flour-ground.v2 first: until it runs, no such event arrives, and its consumer waits.',
    ],
  ])('%s', (_, next, released, text) => expect(findingTexts(next, released)).toEqual([text]));
});

it('findings of several releases with one cause are one text', () => {
  const released = ['1', '2', '3'].map(version => consumes(version, BEFORE));
  const findings = released.flatMap(one => findingsBetween(publishes('4', BEFORE.omit({ id: true })), one));
  expect(groupedTexts(findings)).toEqual([expect.stringMatching(/ The same holds for bakery@2, bakery@3\.$/)]);
});
