import { describe, expect, it } from '@jest/globals';
import { RememberedStates } from './state-cache.js';

describe('Remembered states', () => {
  it('are those that were used last', () => {
    const states = new RememberedStates<string>(2);
    states.remember('one', { state: 'a', version: 1 });
    states.remember('two', { state: 'b', version: 1 });
    states.recall('one');
    states.remember('three', { state: 'c', version: 1 });
    expect(['one', 'two', 'three'].map(id => states.recall(id)?.state)).toEqual(['a', undefined, 'c']);
  });

  it('never go back, whoever was slower', () => {
    const states = new RememberedStates<string>(2);
    states.remember('one', { state: 'later', version: 5 });
    states.remember('one', { state: 'earlier', version: 4 });
    expect(states.recall('one')).toEqual({ state: 'later', version: 5 });
  });

  it('can be forgotten', () => {
    const states = new RememberedStates<string>(2);
    states.remember('one', { state: 'a', version: 1 });
    states.forget('one');
    expect(states.recall('one')).toBeUndefined();
  });
});
