import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeRequestFrame, FRAME_VERSION, type RequestFrame } from './frames.js';

const frameOf = (p: unknown): RequestFrame => ({
  v: FRAME_VERSION,
  i: 'a1',
  w: 1_000,
  c: { correlationId: 'c-1' },
  p,
  k: { caller: 'user:1', key: 'k', fingerprint: 'f' },
});
const decoded = (bytes: Buffer): unknown => JSON.parse(bytes.toString('utf8'));
const json = (value: unknown, indentation = 0) => Buffer.from(` ${JSON.stringify(value, null, indentation)}\n`);

describe('a frame with fields that were received as JSON', () => {
  it('means the same as one whose fields are written', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(2), (others, indentation) => {
        const { email: _, ...rest } = others;
        const email = { text: 'Grüße "🎉"', to: ['ada@example.com'] };
        const frame = frameOf({ ...rest, email });
        const encoded = encodeRequestFrame(frame, { email: json(email, indentation) });
        expect(decoded(encoded)).toEqual(decoded(encodeRequestFrame(frame)));
      }),
    ));

  it('may consist of them', () => {
    const frame = frameOf({ one: 1, 'tw"o': [2] });
    const encoded = encodeRequestFrame(frame, { one: json(1), 'tw"o': json([2]) });
    expect(decoded(encoded)).toEqual(frame);
  });

  it('has the bytes of the field, not those of its value', () => {
    const encoded = encodeRequestFrame(frameOf({ one: 1 }), { one: Buffer.from('1.0') });
    expect(encoded.toString('utf8')).toContain('"one":1.0}}');
  });
});
