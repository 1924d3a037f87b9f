import { describe, expect, it } from '@jest/globals';
import type { BackupWal, WalFile } from '../backups/wal-archive.js';
import { judgeWal } from './wal-finding.js';

const BACKUP: BackupWal = {
  system: '7577',
  timeline: 1,
  start: '0/5000028',
  end: '0/5000138',
  endedAt: '2026-11-27T18:00:05.000Z',
};
const segment = (number: number): WalFile => ({
  name: `00000001000000000000000${number}`,
  writtenAt: new Date('2026-11-27T18:01:00Z'),
  digest: 'a'.repeat(64),
});
const RANGE = { from: new Date('2026-11-27T18:00:05Z'), to: new Date('2026-11-27T18:01:00Z') };
const WORKING = { waiting: 1, backup: BACKUP, files: [segment(5), segment(6)], ranges: [RANGE] };

describe('The line "WAL archive"', () => {
  it('shows the times that can be restored', () =>
    expect(judgeWal(WORKING)).toMatchObject({
      verdict: 'good',
      found: 'times from 2026-11-27T18:00:05Z to 2026-11-27T18:01:00Z can be restored',
    }));

  it('is good before the first backup', () =>
    expect(judgeWal({ waiting: 0, backup: undefined, files: [], ranges: [] })).toMatchObject({ verdict: 'good' }));

  it('is bad while files wait, which PostgreSQL drops in the end', () =>
    expect(judgeWal({ ...WORKING, waiting: 5 })).toMatchObject({
      verdict: 'bad',
      found: '5 WAL files wait for the archive',
      advice: expect.stringContaining('drops them'),
    }));

  it('is bad after files were dropped, until the next backup', () =>
    expect(judgeWal({ ...WORKING, files: [segment(5), segment(7)] })).toMatchObject({
      verdict: 'bad',
      found: 'WAL is missing: no time after 2026-11-27T18:01:00.000Z can be restored',
      advice: expect.stringContaining('postern backup'),
    }));

  it('is bad if nothing continues the newest backup', () =>
    expect(judgeWal({ ...WORKING, files: [], ranges: [] })).toMatchObject({
      verdict: 'bad',
      found: expect.stringContaining('no time after the newest backup'),
    }));
});
