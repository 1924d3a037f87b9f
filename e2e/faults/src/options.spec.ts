import { describe, expect, it } from '@jest/globals';
import { readOptions, UsageError } from './options.js';

describe('the options of a run', () => {
  it('default to 30 minutes with seed 7', () =>
    expect(readOptions([])).toMatchObject({ minutes: 30, seed: 7, perSecond: 5, only: [], preload: 0 }));

  it('are read from the command line', () =>
    expect(
      readOptions(['--minutes', '0.5', '--seed', '11', '--faults', '3', '--only', 'kill', '--only', 'relay']),
    ).toMatchObject({ minutes: 0.5, seed: 11, faults: 3, only: ['kill', 'relay'] }));

  it.each([[['--minutes', 'x']], [['--minutes', '0']], [['--seed', '1.5']], [['--loud']]])(
    '%j is refused with the usage',
    args => expect(() => readOptions(args)).toThrow(UsageError),
  );
});
