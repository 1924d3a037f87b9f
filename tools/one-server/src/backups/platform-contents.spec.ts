import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describePlatformData } from './platform-contents.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'postern-contents-'));
});
afterEach(() => rmSync(home, { recursive: true }));

it('counts disks, and the complete backups of databases and disks', () => {
  for (const path of [
    ...['databases/one/backups/a.zst', 'databases/one/backups/b.zst', 'databases/one/backups/c.zst.draft'],
    ...['databases/two/data/d.zst', 'databases/ports', 'disks/web.img', 'disks/web.mount/x', 'disks/old/file'],
    ...['disks/web.backups/e.zst', 'disks/web.restored'],
  ]) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), '');
  }
  expect(describePlatformData(home)).toBe(
    'This server has 2 backups of databases and key-value stores, 2 disks of web services, and 1 backup of disks.',
  );
});

it('a server without web services has nothing', () => {
  expect(describePlatformData(home)).toMatch(/0 backups of databases .* 0 disks .* 0 backups of disks/);
});
