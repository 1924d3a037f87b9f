import { describe, expect, it } from '@jest/globals';
import type { ResolvedVariable } from '@postern/contracts';
import { environmentRows, waitingKeys } from './environment-rows.js';

const resolved = (key: string, changes: Partial<ResolvedVariable> = {}): ResolvedVariable => ({
  ...{ key, value: '1', is_secret: false, origin: 'variable', running: true },
  ...changes,
});

describe('the environment of a web service', () => {
  it('can be changed where it is of the web service itself', () => {
    const variable = { id: 'a', key: 'A', value: '1', is_secret: false };
    const rows = environmentRows([resolved('A'), resolved('DATABASE_URL', { origin: 'database' })], [variable]);
    expect(rows.map(({ key, variable: own }) => [key, own?.id])).toEqual([
      ['A', 'a'],
      ['DATABASE_URL', undefined],
    ]);
  });

  it('waits for a start where running instances have another value, and not while none runs', () =>
    expect(waitingKeys([resolved('A'), resolved('B', { running: false }), resolved('C', { running: null })])).toEqual([
      'B',
    ]));
});
