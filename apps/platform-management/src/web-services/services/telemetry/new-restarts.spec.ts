import { expect, it } from '@jest/globals';
import { newRestarts } from './new-restarts.js';

const shop = (restarts: number, rollId = 'roll-1') => ({ webServiceId: 'shop', rollId, restarts });

it('counts restarts since the last reading', () => {
  expect(newRestarts([shop(2)], [shop(5)])).toEqual(new Map([['shop', 3]]));
  expect(newRestarts([shop(5)], [shop(5)])).toEqual(new Map());
});

it('counts no restarts that an earlier leader may have counted', () => {
  expect(newRestarts([], [shop(5)])).toEqual(new Map());
  expect(newRestarts([shop(5, 'roll-0')], [shop(5)])).toEqual(new Map());
});

it('continues after the runtime resets its counter', () => {
  expect(newRestarts([shop(5)], [shop(0)])).toEqual(new Map());
  expect(newRestarts([shop(5)], [shop(1)])).toEqual(new Map([['shop', 1]]));
});
