import { describe, expect, it } from '@jest/globals';
import { StateCache } from './state-cache.js';

describe('Cached states', () => {
  it('are the most recently used', () => {
    const states = new StateCache<string>(2);
    states.set('one', { state: 'a', version: 1 });
    states.set('two', { state: 'b', version: 1 });
    states.get('one');
    states.set('three', { state: 'c', version: 1 });
    expect(['one', 'two', 'three'].map(id => states.get(id)?.state)).toEqual(['a', undefined, 'c']);
  });

  it('are not replaced by older ones', () => {
    const states = new StateCache<string>(2);
    states.set('one', { state: 'later', version: 5 });
    states.set('one', { state: 'earlier', version: 4 });
    expect(states.get('one')).toEqual({ state: 'later', version: 5 });
  });

  it('can be deleted', () => {
    const states = new StateCache<string>(2);
    states.set('one', { state: 'a', version: 1 });
    states.delete('one');
    expect(states.get('one')).toBeUndefined();
  });
});
