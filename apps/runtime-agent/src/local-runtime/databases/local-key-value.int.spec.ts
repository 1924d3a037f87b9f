import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { KEPT_FRAMES } from '../testing/kept-frames.js';
import { LocalDatabases } from './local-databases.js';
import { processesOf, send } from './processes.js';
import { findValkey } from './programs.js';
import { closedDatabases, openedDatabases, PLACES, provided, replied } from './testing/provided-database.js';

let home: string;
let databases: LocalDatabases;
beforeEach(async () => {
  ({ home, databases } = await openedDatabases());
});
afterEach(() => closedDatabases(home, databases));

describe('a key-value store on a machine without Valkey and Redis', () => {
  it('is refused with the package to install', async () => {
    const without = new LocalDatabases(home, { ...PLACES, valkeyBin: join(home, 'nowhere') });
    const message = await without.missingFor('key_value');
    expect(message).toContain('install the package valkey or redis');
    expect(message).toContain('POSTERN_PLATFORM_VALKEY_BIN');
    await expect(provided(without, 'key_value')).rejects.toThrow('install the package valkey or redis');
  });
});

describe('a key-value store on a machine whose server has known security holes', () => {
  it('is refused, unless the operator accepts them', async () => {
    const old = join(home, 'valkey-server');
    await writeFile(old, '#!/bin/sh\necho "Valkey server v=8.0.5 sha=00000000:0"\n', { mode: 0o755 });
    const places = { ...PLACES, valkeyBin: old };
    expect(await new LocalDatabases(home, places).missingFor('key_value')).toMatch(
      /^Valkey 8.0.5 has known security holes .*POSTERN_PLATFORM_KNOWN_HOLES=true$/,
    );
    const accepting = new LocalDatabases(home, places, { acceptsKnownHoles: true });
    expect(await accepting.missingFor('key_value')).toBeUndefined();
  });
});

/** The machine determines which of the two cases is tested. */
const machineHasOne = findValkey(PLACES) !== undefined;

describe(`a key-value store on this machine, which has ${machineHasOne ? 'a server for it' : 'no server for it'}`, () => {
  it(machineHasOne ? 'is created, limited, restarted and removed' : 'is refused', async () => {
    if (!machineHasOne) {
      expect(await databases.missingFor('key_value')).toContain('install');
      return;
    }
    expect(await databases.missingFor('key_value')).toBeUndefined();
    const made = await provided(databases, 'key_value');
    const login = `AUTH app ${made.password}`;

    expect(await replied(made, 'GET a')).toEqual([expect.stringContaining('-NOAUTH')]);
    expect(await replied(made, 'AUTH app guess')).toEqual([expect.stringContaining('-WRONGPASS')]);
    expect(await replied(made, login, 'SET a kept', 'INCR n')).toEqual(['+OK', '+OK', ':1']);
    for (const forbidden of ['CONFIG GET dir', 'SHUTDOWN', 'MODULE LIST', 'REPLICAOF 127.0.0.1 1', 'ACL LIST', 'SAVE'])
      expect(await replied(made, login, forbidden)).toEqual(['+OK', expect.stringContaining('-NOPERM')]);
    expect(await databases.usageOf(made.databaseId)).toBeUndefined();

    const marks = { folder: join(home, 'databases', made.databaseId, 'data'), uid: undefined };
    const pids = await processesOf(marks);
    expect(pids).toHaveLength(1);
    for (const pid of pids) send(pid, 'SIGTERM');
    await waitFor(async () => !(await databases.isRunning(made.databaseId)));
    await new LocalDatabases(home, PLACES, { sandboxFrames: KEPT_FRAMES }).ensure(made);
    expect(await replied(made, login, 'GET a')).toEqual(['+OK', '$4', 'kept']);

    await databases.remove(made.databaseId);
    expect(await processesOf(marks)).toEqual([]);
    expect(existsSync(join(home, 'databases', made.databaseId))).toBe(false);
  });
});
