import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KeyRing } from './key-ring.js';

const [older, newer] = ['older', 'newer'].map(id => ({ id, key: randomBytes(32) })) as [EncryptionKey, EncryptionKey];
type EncryptionKey = { readonly id: string; readonly key: Buffer };
const ring = new KeyRing([newer, older]);

describe('a sealed value', () => {
  it('can be opened only for its row, under any key of the ring', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), value => {
        for (const sealer of [new KeyRing([older]), ring]) {
          expect(ring.open(sealer.seal(value, 'things/1'), 'things/1')).toBe(value);
          expect(() => ring.open(sealer.seal(value, 'things/1'), 'things/2')).toThrow();
        }
      }),
    );
  });

  it('cannot be opened if any byte is changed, or if its key is not in the ring', () => {
    const sealed = ring.seal('secret', 'things/1');
    const bytes = Buffer.from(sealed.slice('newer:'.length), 'base64');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(() => ring.open(`newer:${changed.toString('base64')}`, 'things/1')).toThrow();
    }
    expect(() => new KeyRing([older]).open(sealed, 'things/1')).toThrow('the encryption key "newer" is not configured');
  });

  it.each([0, 4, 8, 12, 15])('cannot be opened with a tag of %i bytes, some of which are valid for AES-GCM', bytes => {
    const whole = Buffer.from(ring.seal('', 'things/1').slice('newer:'.length), 'base64');
    const short = whole.subarray(0, 12 + bytes);
    expect(() => ring.open(`newer:${short.toString('base64')}`, 'things/1')).toThrow('the sealed value is too short');
  });

  it('hashes a value under every key, the sealing key first, and differently for each purpose', () => {
    const [first, second] = ring.keyedHashes('value', 'purpose');
    expect([first, second]).toEqual([
      ...new KeyRing([newer]).keyedHashes('value', 'purpose'),
      ...new KeyRing([older]).keyedHashes('value', 'purpose'),
    ]);
    expect(ring.keyedHashes('value', 'purpose')).toEqual([first, second]);
    expect(ring.keyedHashes('value', 'other')).not.toContain(first);
  });
});
