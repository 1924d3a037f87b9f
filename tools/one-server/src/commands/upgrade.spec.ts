import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { releasesIn } from './upgrade.js';

it('An upgrade compares the services that are releases, and no build of a checkout', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bundle-'));
  try {
    const services = { 'email-send': '0.3.0', 'webhook-dispatch': '0.2.1' };
    expect(releasesIn(folder, { services })).toEqual([]);
    mkdirSync(join(folder, 'libs/contracts/released'), { recursive: true });
    writeFileSync(join(folder, 'libs/contracts/released/email-send@0.3.0.json'), '{}');
    writeFileSync(join(folder, 'libs/contracts/released/webhook-dispatch@0.2.0.json'), '{}');
    expect(releasesIn(folder, { services })).toEqual(['email-send@0.3.0']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
