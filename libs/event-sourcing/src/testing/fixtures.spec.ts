import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from '@jest/globals';
import type { Decider } from '../decider.js';
import type { Upcasters } from '../upcasting.js';
import { foldsEveryFixture } from './fixtures.js';

type Counted = { type: 'counted.v2'; data: { by: number } };

const counter: Decider<{ total: number }, never, Counted> = {
  initial: { total: 0 },
  decide: () => [],
  evolve: ({ total }, { data }) => ({ total: total + data.by }),
};

const upcasters: Upcasters = { 'counted.v1': () => ({ type: 'counted.v2', data: { by: 1 } }) };

// The folder is read when the tests are declared.
const folder = mkdtempSync(join(tmpdir(), 'postern-fixtures-'));
const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content));
write('first-release.json', { events: [{ type: 'counted.v1', data: {} }], state: { total: 1 } });
write('second-release.json', {
  events: [
    { type: 'counted.v1', data: {} },
    { type: 'counted.v2', data: { by: 5 } },
  ],
  state: { total: 6 },
});
writeFileSync(join(folder, 'README.md'), 'not a history');

afterAll(() => rmSync(folder, { recursive: true }));

describe('the corpus of a decider', () => foldsEveryFixture(folder, counter, upcasters));
