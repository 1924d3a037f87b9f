import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { userOf } from './own-users.js';
import { UserAssignments } from './user-assignments.js';

const RANGE = { first: 20_000, count: 20 };
const names = Array.from({ length: 20 }, (_, index) => `build-${index}`);

describe('The users of a home', () => {
  let folder: string;
  let users: UserAssignments;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-users-'));
    users = new UserAssignments(folder, RANGE);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const assign = (all: readonly string[], by = users) => Promise.all(all.map(name => by.assign(name)));

  it('are different for all names, even if their hashes collide', async () => {
    expect(new Set(names.map(name => userOf(name, RANGE))).size).toBeLessThan(names.length);
    const uids = await assign(names);
    expect(new Set(uids).size).toBe(names.length);
    expect(uids.every(uid => uid >= RANGE.first && uid < RANGE.first + RANGE.count)).toBe(true);
  });

  it('are the hashes of their names for names that come first', async () =>
    expect(await users.assign('build-0')).toBe(userOf('build-0', RANGE)));

  it('stay the same when the process starts again', async () => {
    const uids = await assign(names);
    expect(await assign(names.toReversed(), new UserAssignments(folder, RANGE))).toEqual(uids.toReversed());
  });

  it('are different if two processes assign at the same time', async () => {
    const other = new UserAssignments(folder, RANGE);
    const uids = await Promise.all([assign(names.slice(0, 10)), assign(names.slice(10), other)]);
    expect(new Set(uids.flat()).size).toBe(names.length);
  });

  it('are reassigned only after their release', async () => {
    const uids = await assign(names);
    await expect(users.assign('one-more')).rejects.toThrow('all 20 users of this home are assigned');
    await users.release('build-7');
    await users.release('build-7');
    expect(await users.assign('one-more')).toBe(uids[7]);
    expect(await users.assign('build-6')).toBe(uids[6]);
  });
});
