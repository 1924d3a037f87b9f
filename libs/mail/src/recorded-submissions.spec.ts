/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */
import { describe, expect, it } from '@jest/globals';
import { messageParts, recordedSubmissions } from '@postern/testing';
import fc from 'fast-check';
import { received } from './testing/received-copy.js';

const SUBMISSIONS = new Map(recordedSubmissions().map(({ name, bytes }) => [name, bytes]));

/** A place in a recorded message, and the byte that is inserted there or replaces another one. */
const damage = fc.constantFrom(...SUBMISSIONS.keys()).chain(name =>
  fc.record({
    name: fc.constant(name),
    at: fc.noBias(fc.nat(SUBMISSIONS.get(name)!.length - 1)),
    byte: fc.noBias(fc.integer({ min: 0x80, max: 0xff })),
    replaces: fc.boolean(),
  }),
);

/** The same in every run; another seed finds other places. */
const RUNS = { seed: 46, numRuns: 80, endOnFailure: true };

describe('A recorded message with one 8-bit byte anywhere', () => {
  it('arrives with every byte of its parts, as 7 bit, and with a valid signature', async () => {
    await fc.assert(
      fc.asyncProperty(damage, async ({ name, at, byte, replaces }) => {
        const whole = SUBMISSIONS.get(name)!;
        const bytes = Buffer.concat([whole.subarray(0, at), Buffer.of(byte), whole.subarray(replaces ? at + 1 : at)]);
        const { raw, bytes: copy, dkim } = await received(bytes);
        expect(raw).toMatch(/^[\x01-\x7f]*$/);
        expect(dkim).toBe('pass');
        if (!isInBody(whole, at)) return;
        expect(await contentsOf(copy)).toEqual(await contentsOf(bytes));
      }),
      RUNS,
    );
  }, 60_000);
});

/**
 * Whether a byte there changes the content of a part and not its headers or delimiters, which programs read in their own ways.
 * They do so too with an escape of quoted-printable that is not one any more.
 */
const isInBody = (message: Buffer, at: number): boolean => {
  const before = message.subarray(0, at).toString('latin1');
  const around = message.subarray(Math.max(0, at - 2), at + 4).toString('latin1');
  return before.lastIndexOf('\r\n\r\n') > before.lastIndexOf('\r\n--') && !/=|\r\n--/.test(around);
};

/** Bytes, because the name of a charset may be damaged; without CR, because that of a transfer encoding may be. */
const contentsOf = async (message: Buffer) =>
  (await messageParts(message, bytes => bytes.toString('latin1').replaceAll('\r\n', '\n').trimEnd())).map(
    ({ path, content }) => ({ path, content }),
  );
