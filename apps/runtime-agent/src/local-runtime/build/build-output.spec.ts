import { describe, expect, it } from '@jest/globals';
import type { LogWriter } from '@postern/runtime';
import { BuildOutput } from './build-output.js';

describe('the output of a build', () => {
  it('keeps characters whose bytes arrive apart, so that a secret with them is recognized', () => {
    const output = new BuildOutput({ write: () => undefined } as unknown as LogWriter, 1_000);
    for (const octet of Buffer.from('pässwörd €')) output.take(Buffer.of(octet));
    expect(output.last).toBe('pässwörd €');
  });
});
