import { expect, it } from '@jest/globals';
import { sealedByRequestKey } from './answer-seal.js';

const KEY = { caller: 'workspace user', key: 'order 1', fingerprint: 'a' };

it('A service without encryption keys stores answers that only the key and the caller open', () => {
  const stored = sealedByRequestKey.seal('{"address":"ada@example.com"}', 'row', KEY);
  expect(stored).not.toContain('ada');
  expect(sealedByRequestKey.open(stored, 'row', KEY)).toBe('{"address":"ada@example.com"}');
  for (const other of [
    { ...KEY, key: 'order 2' },
    { ...KEY, caller: 'another' },
  ])
    expect(() => sealedByRequestKey.open(stored, 'row', other)).toThrow();
  expect(() => sealedByRequestKey.open(stored, 'another row', KEY)).toThrow();
});
