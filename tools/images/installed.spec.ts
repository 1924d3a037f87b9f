import { expect, it } from '@jest/globals';
import { differences } from './installed.mjs';

const zod = { version: '4.0.0', integrity: 'sha512-a' };
const locked = {
  '': { version: '0.0.0' },
  'node_modules/zod': zod,
  'node_modules/of-another-platform': { version: '1.0.0', integrity: 'sha512-b', optional: true },
};

it('the installed packages are the locked ones, except those of other platforms', () => {
  expect(differences(locked, { 'node_modules/zod': zod })).toEqual([]);
});

it.each([
  [
    'another version',
    { 'node_modules/zod': { ...zod, version: '4.0.1' } },
    'node_modules/zod is not the locked package',
  ],
  [
    'another content',
    { 'node_modules/zod': { ...zod, integrity: 'sha512-c' } },
    'node_modules/zod is not the locked package',
  ],
  [
    'a package that is not locked',
    { 'node_modules/zod': zod, 'node_modules/x': zod },
    'node_modules/x is not the locked package',
  ],
  ['a missing package', {}, 'node_modules/zod is not installed'],
])('%s is an error', (_, installed, problem) => {
  expect(differences(locked, installed)).toEqual([problem]);
});
