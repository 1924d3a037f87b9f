import { describe, expect, it } from '@jest/globals';
import { canDeploy } from './can-deploy.js';
import type { Exchange } from './release-contract.js';
import { release } from './testing/example-releases.js';

const ANY: Exchange = { request: {}, reply: {}, refusals: {}, deadlineMs: 5_000 };

const oldMill = release('mill', '0.2.0');
const newMill = release('mill', '0.3.0', { answers: { 'mill.grind': ANY } });
const oldBakery = release('bakery', '0.2.0');
const newBakery = release('bakery', '0.3.0', { asks: { 'mill.grind': ANY } });
const published = [oldMill, newMill, oldBakery, newBakery];

describe('a release', () => {
  it('is not deployed before the release that handles its requests, which is named', () =>
    expect(canDeploy([newBakery], { running: [oldMill, oldBakery], published })).toMatchObject({
      allowed: false,
      problems: [
        'the new bakery sends mill.grind, which mill@0.2.0 does not handle. Deploy a release of mill with mill.grind first: ' +
          'until it runs, it is answered with 503. mill@0.2.0 runs; mill@0.3.0 is the first release with it.',
      ],
    }));

  it('is deployed after it', () =>
    expect(canDeploy([newBakery], { running: [newMill, oldBakery], published })).toMatchObject({ allowed: true }));

  it('waits while an older replica still runs', () =>
    expect(canDeploy([newBakery], { running: [newMill, oldMill], published }).allowed).toBe(false));

  it('is deployed without a service that does not run', () =>
    expect(canDeploy([newBakery], { running: [], published }).allowed).toBe(true));

  it('is not rolled back under a service that needs it', () =>
    expect(canDeploy([oldMill], { running: [newMill, newBakery], published })).toMatchObject({
      allowed: false,
      problems: [expect.stringContaining('the new mill no longer handles mill.grind, which bakery@0.3.0 sends')],
    }));

  it('that needs an unknown release is refused with that reason', () =>
    expect(canDeploy([newBakery], { running: [oldMill] }).problems).toEqual([
      expect.stringContaining('mill@0.2.0 runs, and no release of mill with it is known here.'),
    ]));
});

describe('releases that are deployed together', () => {
  it('are sorted by what they need, and the moment between is a note', () =>
    expect(canDeploy([newBakery, newMill], { running: [oldMill, oldBakery], published })).toMatchObject({
      allowed: true,
      notes: [expect.stringContaining('until it runs, it is answered with 503')],
      order: ['mill@0.3.0', 'bakery@0.3.0'],
    }));

  it('may need each other; alone, each is told so', () => {
    const mill = release('mill', '0.4.0', { answers: { 'mill.grind': ANY }, asks: { 'bakery.order': ANY } });
    const bakery = release('bakery', '0.4.0', { answers: { 'bakery.order': ANY }, asks: { 'mill.grind': ANY } });
    const running = [oldMill, oldBakery];
    expect(canDeploy([mill, bakery], { running }).allowed).toBe(true);
    expect(canDeploy([mill], { running, published: [bakery] }).problems).toEqual([
      expect.stringContaining('It needs mill@0.4.0 in turn: deploy both in one step.'),
    ]);
  });

  it('must work together in the end', () =>
    expect(canDeploy([newBakery, release('mill', '0.2.1')], { running: [oldMill] }).allowed).toBe(false));

  it('with all others only need what does not break', () => {
    expect(canDeploy([newBakery], { running: [oldMill], together: true }).allowed).toBe(true);
    expect(canDeploy([oldMill], { running: [newBakery], together: true }).allowed).toBe(false);
  });
});
