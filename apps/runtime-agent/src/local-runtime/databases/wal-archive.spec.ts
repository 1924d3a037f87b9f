import { describe, expect, it } from '@jest/globals';
import { segmentAfter } from './wal-archive.js';
import { archivingSettings, recoverySettings } from './wal-settings.js';

describe('a segment of the write-ahead log', () => {
  it.each([
    ['000000010000000000000001', '000000010000000000000002'],
    ['0000000100000000000000FF', '000000010000000100000000'],
    ['00000002000000FF000000FF', '000000020000010000000000'],
  ])('%s is followed by %s', (name, next) => {
    expect(segmentAfter(name)).toBe(next);
  });
});

it('paths in commands of PostgreSQL are quoted for the shell, and contain no placeholders', () => {
  const path = "/srv/it's 100%/configuration";
  expect(archivingSettings(path, 'first')['archive_command']).toContain(
    `test -e '/srv/it'\\''s 100%%/configuration/archived/first'/%f`,
  );
  expect(recoverySettings(path, undefined)['restore_command']).toContain(
    `f='/srv/it'\\''s 100%%/configuration/wal'/%f.gz`,
  );
});
