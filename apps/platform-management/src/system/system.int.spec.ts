import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getSystem, type SystemReport } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { AccountsFixture, codeOf, OPERATOR } from '../testing/accounts-fixture.js';

const REPORT: SystemReport = {
  checked_at: '2026-11-28T01:00:00.000Z',
  version: '2026.11.0',
  url: 'https://postern.example.com',
  lines: [{ check: 'disk', verdict: 'bad', found: '2 % free', advice: 'Free space.' }],
  units: [{ unit: 'postern-nats.service', state: 'active (running)', active: true, restarts: 0, memory: '20 MiB' }],
  disk: { free_bytes: 1e9, free_percent: 2 },
  storage: null,
  certificate: { valid_until: '2027-01-01T00:00:00.000Z', issuer: 'Let’s Encrypt' },
  backup: null,
  interrupted: null,
  records: [{ name: 'postern.example.com', type: 'A', value: '192.0.2.1', purpose: 'gateway' }],
};

let folder: string;
let file: string;
let fixture: AccountsFixture;
let operator: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postern-system-'));
  file = join(folder, 'report.json');
  fixture = await AccountsFixture.start();
  await fixture.addReplica(OPERATOR, undefined, { POSTERN_SYSTEM_REPORT_FILE: file });
  operator = await fixture.operatorId();
}, 60_000);
afterAll(async () => {
  await fixture?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const system = (actor_id = operator) => fixture.client.request(getSystem, { actor_id });

describe('The state of the server', () => {
  it('is nothing before the first check', async () => expect(await system()).toEqual({ server: null }));

  it('is what the last check found', async () => {
    writeFileSync(file, JSON.stringify(REPORT));
    expect(await system()).toEqual({ server: REPORT });
    writeFileSync(file, JSON.stringify({ ...REPORT, version: '2026.12.0' }));
    expect((await system()).server?.version).toBe('2026.12.0');
  });

  it('is nothing if the file is damaged, or that of a release that writes something else', async () => {
    for (const text of ['', '{', '[]', JSON.stringify({ ...REPORT, checked_at: 'yesterday' })]) {
      writeFileSync(file, text);
      expect(await system()).toEqual({ server: null });
    }
  });

  it('is for operators only', async () => {
    const { id } = await fixture.newUser();
    for (const actor of [id, uuidv7()]) expect(await codeOf(system(actor))).toBe('not_an_operator');
  });
});
