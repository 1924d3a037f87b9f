import { expect, it } from '@jest/globals';
import { formatProcesses, parseProcesses } from './processes.js';

it('reads process types and their numbers, and writes them in the same way', () => {
  expect(parseProcesses(' worker=2,mailer=1 ')).toEqual({ worker: 2, mailer: 1 });
  expect(formatProcesses({ worker: 2, mailer: 1 })).toBe('worker=2, mailer=1');
  expect(parseProcesses('')).toEqual({});
});

it('passes invalid numbers to the API, which refuses them', () => {
  expect(parseProcesses('worker')).toEqual({ worker: Number.NaN });
  expect(parseProcesses('worker=many')).toEqual({ worker: Number.NaN });
});
