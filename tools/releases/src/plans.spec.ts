import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { ReleaseContract } from '@postern/compatibility';
import { addPlans, missingPlans, type PlannedCheckout } from './plans.js';

const contract = (version: string, publishes: ReleaseContract['publishes'] = {}): ReleaseContract => ({
  ...{ service: 'mill', version, envelope: {}, publishes, consumes: {}, consumers: {}, answers: {}, asks: {} },
  ...{ http: {}, webhooks: {} },
});
const checkout = (changes: Partial<PlannedCheckout>): PlannedCheckout => ({
  released: [{ ...contract('0.2.0'), sources: 'sha256:before' }],
  contractOf: () => contract('0.2.0'),
  digestOf: () => 'sha256:after',
  changedSince: () => ['libs/mail/src/index.ts', 'apps/mill/src/main.ts'],
  hasPlan: () => false,
  ...changes,
});
const missing = (changes: Partial<PlannedCheckout>) =>
  missingPlans(['mill', 'bakery'], checkout(changes)).map(({ text }) => text);

describe('a unit needs a version plan', () => {
  it('if it or one of its libraries has changed after its newest release', () =>
    expect(missing({})).toEqual([
      'mill: libs/mail/src/index.ts and 1 more changed after mill@0.2.0, and no version plan releases it',
    ]));

  it('if nobody knows what has changed', () =>
    expect(missing({ changedSince: () => undefined })).toEqual([expect.stringMatching(/^mill: its sources changed/)]));

  it('if the contracts have changed and it exchanges something else', () =>
    expect(
      missing({
        changedSince: () => ['libs/contracts/src/index.ts'],
        contractOf: () => contract('0.2.0', { 'mill.flour-ground.v1': {} }),
      }),
    ).toHaveLength(1));
});

describe('a unit needs no version plan', () => {
  it.each<[string, Partial<PlannedCheckout>]>([
    ['if it has one', { hasPlan: () => true }],
    ['if it is what was released', { digestOf: () => 'sha256:before' }],
    ['before its first release', { released: [] }],
    ['if only contracts of others have changed', { changedSince: () => ['libs/contracts/src/index.ts'] }],
  ])('%s', (_, changes) => expect(missing(changes)).toEqual([]));
});

it('a plan is added for each unit, which releases a fix of it', () => {
  const root = mkdtempSync(join(tmpdir(), 'postern-plans-'));
  const missing = ['mill', 'bakery'].map(unit => ({ unit, text: '' }));
  const contents = addPlans(root, missing, 'Flour is finer.').map(file => readFileSync(join(root, file), 'utf8'));
  expect(contents).toEqual([
    '---\nmill: patch\n---\n\nFlour is finer.\n',
    '---\nbakery: patch\n---\n\nFlour is finer.\n',
  ]);
  rmSync(root, { recursive: true });
});
