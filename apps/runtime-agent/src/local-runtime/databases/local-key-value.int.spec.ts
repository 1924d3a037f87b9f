import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DatabaseOrder } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { KEPT_FRAMES } from '../testing/kept-frames.js';
import { LocalDatabases } from './local-databases.js';
import { processesOf, send } from './processes.js';
import { findValkey } from './programs.js';
import { stopDatabases } from './stop-databases.js';
import { STARTER } from './testing/starter-limits.js';

const PLACES = {
  postgresBin: undefined,
  valkeyBin: process.env['POSTERN_PLATFORM_VALKEY_BIN'],
  path: process.env['PATH'],
};

const FRAMES = { sandboxFrames: KEPT_FRAMES };

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'postern-key-value-'));
  await chmod(home, 0o755);
});
afterEach(async () => {
  await new LocalDatabases(home, PLACES, FRAMES).retain(new Set());
  await stopDatabases(home);
  await rm(home, { recursive: true });
});

const orderFrom = async (databases: LocalDatabases): Promise<DatabaseOrder> => {
  const databaseId = uuidv7();
  return {
    databaseId,
    kind: 'key_value',
    ...(await databases.reserve(databaseId, 'key_value')),
    username: 'default',
    password: randomBytes(24).toString('base64url'),
    limits: STARTER,
    attachedTo: [],
    attachmentUsers: [],
    allowedCidrs: [],
  };
};

/** Sends inline commands and returns one line for each. */
const execute = ({ host, port }: DatabaseOrder, ...commands: string[]): Promise<string[]> =>
  new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host, port });
    socket.on('error', reject);
    socket.on('data', chunk => {
      received += chunk;
      const lines = received.split('\r\n').slice(0, -1);
      if (lines.length < commands.length) return;
      socket.destroy();
      resolve(lines);
    });
    socket.write(commands.map(command => `${command}\r\n`).join(''));
  });

describe('a key-value store on a machine without Valkey and Redis', () => {
  it('is refused with the package to install', async () => {
    const databases = new LocalDatabases(home, { ...PLACES, valkeyBin: join(home, 'nowhere') });
    const message = await databases.missingFor('key_value');
    expect(message).toContain('install the package valkey or redis');
    expect(message).toContain('POSTERN_PLATFORM_VALKEY_BIN');
    await expect(databases.ensure(await orderFrom(databases))).rejects.toThrow('install the package valkey or redis');
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
    const databases = new LocalDatabases(home, PLACES, FRAMES);
    if (!machineHasOne) {
      expect(await databases.missingFor('key_value')).toContain('install');
      return;
    }
    expect(await databases.missingFor('key_value')).toBeUndefined();
    const made = await orderFrom(databases);
    await databases.ensure(made);
    const login = `AUTH ${made.password}`;

    expect(await execute(made, 'GET a')).toEqual([expect.stringContaining('-NOAUTH')]);
    expect(await execute(made, 'AUTH guess')).toEqual([expect.stringContaining('-WRONGPASS')]);
    expect(await execute(made, login, 'SET a kept', 'INCR n')).toEqual(['+OK', '+OK', ':1']);
    for (const forbidden of ['CONFIG GET dir', 'SHUTDOWN', 'MODULE LIST', 'REPLICAOF 127.0.0.1 1', 'ACL LIST', 'SAVE'])
      expect(await execute(made, login, forbidden)).toEqual(['+OK', expect.stringContaining('-NOPERM')]);
    expect(await databases.usageOf(made.databaseId)).toBeUndefined();

    const marks = { folder: join(home, 'databases', made.databaseId, 'data'), uid: undefined };
    const pids = await processesOf(marks);
    expect(pids).toHaveLength(1);
    for (const pid of pids) send(pid, 'SIGTERM');
    await waitFor(async () => !(await databases.isRunning(made.databaseId)));
    await new LocalDatabases(home, PLACES, FRAMES).ensure(made);
    expect(await execute(made, login, 'GET a')).toEqual(['+OK', '$4', 'kept']);

    await databases.remove(made.databaseId);
    expect(await processesOf(marks)).toEqual([]);
    expect(existsSync(join(home, 'databases', made.databaseId))).toBe(false);
  });
});
