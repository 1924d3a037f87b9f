import { describe, expect, it } from '@jest/globals';
import { backupName, outdatedBackups } from './backup-folder.js';

describe('Backups', () => {
  it('have names in the order of their times', () =>
    expect(backupName(new Date('2026-11-27T18:00:00.123Z'))).toBe('2026-11-27T18-00-00Z'));

  it('beyond the number to keep are deleted, the oldest first', () =>
    expect(outdatedBackups(['a', 'b', 'c', 'd'], new Set(['d']), 2)).toEqual(['a', 'b']));

  it('keep the newest proven one in any case', () =>
    expect(outdatedBackups(['a', 'b', 'c', 'd'], new Set(['a', 'b']), 2)).toEqual(['a']));

  it('are all kept while there are few', () => expect(outdatedBackups(['a', 'b'], new Set(), 14)).toEqual([]));
});
