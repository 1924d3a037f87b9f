import { describe, expect, it } from '@jest/globals';
import { applied, type Ownership } from './server-side-apply.js';

describe('Server-side apply, as the fake API server does it', () => {
  const objectAfter = (...applies: readonly (readonly [string, Record<string, unknown>])[]) => {
    const ownership: Ownership = new Map();
    let object = {};
    for (const [manager, configuration] of applies) object = applied(object, ownership, manager, configuration);
    return object;
  };

  it('removes fields that their manager no longer applies', () => {
    expect(objectAfter(['a', { spec: { x: 1, y: 2 } }], ['a', { spec: { x: 1 } }])).toEqual({ spec: { x: 1 } });
  });

  it('keeps fields of another manager', () => {
    const both = objectAfter(['a', { spec: { x: 1 } }], ['b', { spec: { replicas: 3 } }], ['a', { spec: { x: 2 } }]);
    expect(both).toEqual({ spec: { x: 2, replicas: 3 } });
  });

  it('gives a field to the manager that changes it', () => {
    const taken = objectAfter(['a', { spec: { x: 1 } }], ['b', { spec: { x: 2 } }], ['a', { spec: {} }]);
    expect(taken).toEqual({ spec: { x: 2 } });
  });
});
