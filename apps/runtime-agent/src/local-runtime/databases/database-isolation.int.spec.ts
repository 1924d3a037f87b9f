import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DatabaseOrder } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { KEPT_FRAMES } from '../testing/kept-frames.js';
import { LocalDatabases } from './local-databases.js';
import { processesOf, send } from './processes.js';
import { findValkey } from './programs.js';
import { stopDatabases } from './stop-databases.js';
import {
  administered,
  idleConnections,
  impostorAt,
  PLACES,
  provided,
  queried,
  replied,
  startupOf,
} from './testing/provided-database.js';
import { throughFolder } from './through-folder.js';

const NEVER = new AbortController().signal;
const isRoot = process.getuid?.() === 0;
const hasValkey = findValkey(PLACES) !== undefined;
const ifRoot = isRoot ? it : it.skip;
const ifValkey = hasValkey ? it : it.skip;

let home: string;
let databases: LocalDatabases;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'postern-isolation-'));
  await chmod(home, 0o755);
  databases = new LocalDatabases(home, PLACES, { sandboxFrames: KEPT_FRAMES });
});
afterEach(async () => {
  await databases.retain(new Set());
  await stopDatabases(home);
  await rm(home, { recursive: true });
});

const folderOf = ({ databaseId }: DatabaseOrder) => join(home, 'databases', databaseId);
const serverOf = async (order: DatabaseOrder): Promise<number | undefined> =>
  (await processesOf({ folder: join(folderOf(order), 'data'), uid: undefined }))[0];

describe('the administrator of a relational database', () => {
  it('is refused over TCP with every password', async () => {
    const made = await provided(databases, 'relational');
    for (const database of ['postgres', 'app', 'template1'])
      await expect(queried(made, ['SELECT 1'], { user: 'postgres', database })).rejects.toThrow('pg_hba.conf rejects');
  });

  it('has no password, and is the user of the platform on the Unix socket', async () => {
    const made = await provided(databases, 'relational');
    const statement = "SELECT rolname, rolpassword IS NULL AS none FROM pg_authid WHERE rolname = 'postgres'";
    expect(await administered(home, made, [statement])).toEqual([{ rolname: 'postgres', none: true }]);
  });

  it('connects through a folder that only the platform and the server can enter', async () => {
    const made = await provided(databases, 'relational');
    const { mode, uid } = await stat(join(folderOf(made), 'socket'));
    expect([mode & 0o007, uid]).toEqual([0, process.getuid?.()]);
  });

  it('is no role that the owner can become', async () => {
    const made = await provided(databases, 'relational');
    const refused = (statement: string) =>
      expect(queried(made, [statement])).rejects.toThrow(/permission denied|must be superuser/);
    await refused('SET ROLE postgres');
    await refused('CREATE ROLE other SUPERUSER');
    await refused('CREATE DATABASE other');
    await refused("COPY (SELECT 1) TO PROGRAM 'cat'");
    await refused("SELECT pg_read_file('/etc/passwd')");
    await expect(queried(made, ["ALTER SYSTEM SET hba_file = '/tmp/x'"])).rejects.toThrow('permission denied');
  });

  it('does not administer a database whose socket leads to the server of another one', async () => {
    const [one, other] = [await provided(databases, 'relational'), await provided(databases, 'relational')];
    const socket = join(folderOf(one), 'socket', `.s.PGSQL.${one.port}`);
    await rename(socket, `${socket}.kept`);
    await symlink(join(folderOf(other), 'socket', `.s.PGSQL.${other.port}`), socket);
    expect(await databases.isRunning(one.databaseId)).toBe(false);
    await expect(databases.backUp(one.databaseId, uuidv7(), NEVER)).rejects.toThrow('the server of another database');
    await rm(socket);
    await rename(`${socket}.kept`, socket);
    await queried(other, ['SELECT 1']);
  });
});

/** What a superuser of the server could do: run programs. */
const ranBySuperuser = async (order: DatabaseOrder, command: string): Promise<string> => {
  const rows = await administered(home, order, [
    'CREATE TEMPORARY TABLE output (line text)',
    `COPY output FROM PROGRAM '{ ${command}; } | tr "\\t" " "' (DELIMITER E'\\x01')`,
    'SELECT line FROM output',
  ]);
  return rows.map(({ line }) => line).join('\n');
};

describe('a superuser of a relational database', () => {
  it('runs programs without privileges that see only the processes of the server', async () => {
    const made = await provided(databases, 'relational');
    const status = await ranBySuperuser(made, 'cat /proc/self/status');
    for (const line of [
      'NoNewPrivs: 1',
      'Seccomp: 2',
      ...['CapInh', 'CapPrm', 'CapEff', 'CapAmb'].map(name => `${name}: ${'0'.repeat(16)}`),
    ])
      expect(status).toContain(line);
    const pids = (await ranBySuperuser(made, 'ls /proc | grep -E "^[0-9]+$"')).split('\n');
    expect(pids.length).toBeLessThan(40);
    const arguments_ = await ranBySuperuser(made, 'cat -v /proc/[0-9]*/cmdline');
    expect(arguments_).toContain('-D^@/data');
    expect(arguments_).not.toContain('jest');
  });

  ifRoot('runs programs as the user of the database, which has no capability to regain', async () => {
    const made = await provided(databases, 'relational');
    const pid = await serverOf(made);
    const { uid } = JSON.parse(await readFile(join(folderOf(made), 'record.json'), 'utf8')) as { uid: number };
    expect(await ranBySuperuser(made, 'id -u; id -un')).toBe(`${uid}\napp`);
    expect(await readFile(`/proc/${pid}/status`, 'utf8')).toContain(`CapBnd:\t${'0'.repeat(16)}`);
  });

  it('sees no files of the machine, and cannot change the rules of access', async () => {
    const made = await provided(databases, 'relational');
    const seen = await ranBySuperuser(made, 'ls / /home /var /app; ls /srv /root /work /boot 2>&1; true');
    expect(seen).toContain('pg_hba.conf');
    expect(seen).not.toContain('lib/dpkg');
    for (const folder of ['/srv', '/root', '/boot']) expect(seen).toContain(`cannot access '${folder}'`);
    expect(await ranBySuperuser(made, `ls ${home} 2>&1; true`)).toContain('No such file');
    expect(await ranBySuperuser(made, 'echo x 2>&1 >> /app/pg_hba.conf; rm -f /app/pg_hba.conf 2>&1; true')).toMatch(
      /Read-only file system|Permission denied/,
    );
    await databases.ensure(made);
    expect(await databases.isRunning(made.databaseId)).toBe(true);
  });
});

describe('a program that listens on the port of a database while its server does not run', () => {
  it('receives nothing from the platform', async () => {
    const made = await provided(databases, 'relational');
    await databases.stopAll();
    const impostor = await impostorAt(made);
    try {
      expect(await databases.isRunning(made.databaseId)).toBe(false);
      await expect(databases.backUp(made.databaseId, uuidv7(), NEVER)).rejects.toThrow();
      await expect(databases.ensure(made)).rejects.toThrow('another program listens on its port');
      expect(impostor.captured()).toBe('');
    } finally {
      await impostor.stop();
    }
    await databases.ensure(made);
    await queried(made, ['SELECT 1']);
  }, 60_000);

  ifValkey(
    'receives nothing from the platform if the database is a key-value store',
    async () => {
      const made = await provided(databases, 'key_value');
      await databases.stopAll();
      const impostor = await impostorAt(made);
      try {
        expect(await databases.isRunning(made.databaseId)).toBe(false);
        await expect(databases.backUp(made.databaseId, uuidv7(), NEVER)).rejects.toThrow();
        await expect(databases.ensure(made)).rejects.toThrow('another program listens on its port');
        expect(impostor.captured()).toBe('');
      } finally {
        await impostor.stop();
      }
      await databases.ensure(made);
      expect(await replied(made, `AUTH app ${made.password}`, 'PING')).toEqual(['+OK', '+PONG']);
    },
    60_000,
  );

  it('gets no password even if it has taken the Unix socket', async () => {
    const made = await provided(databases, 'relational');
    const name = `.s.PGSQL.${made.port}`;
    await rm(join(folderOf(made), 'socket', name));
    await throughFolder(join(folderOf(made), 'socket'), async folder => {
      const impostor = await impostorAt(join(folder, name));
      expect(await databases.isRunning(made.databaseId)).toBe(false);
      expect(impostor.captured()).toContain('user\0postgres');
      expect(impostor.captured()).not.toContain('p\0\0\0');
      await impostor.stop();
    });
  });
});

describe('the administrator of a key-value store', () => {
  ifValkey('is refused over TCP with every password that is not the secret of the platform', async () => {
    const made = await provided(databases, 'key_value');
    for (const password of ['x', '', made.password])
      expect(await replied(made, `AUTH platform "${password}"`)).toEqual([expect.stringContaining('-WRONGPASS')]);
    expect(await replied(made, 'PING')).toEqual([expect.stringContaining('-NOAUTH')]);
    expect(await replied(made, 'AUTH default x')).toEqual([expect.stringContaining('-WRONGPASS')]);
  });

  ifValkey('is not the owner, who cannot administer the store', async () => {
    const made = await provided(databases, 'key_value');
    const commands = ['CONFIG SET dir /tmp', 'ACL LIST', 'MIGRATE 127.0.0.1 1 a 0 1', 'SHUTDOWN', 'MONITOR'];
    for (const command of commands)
      expect(await replied(made, `AUTH app ${made.password}`, command)).toEqual([
        '+OK',
        expect.stringContaining('-NOPERM'),
      ]);
  });

  ifValkey('runs in a sandbox without files of the machine', async () => {
    const made = await provided(databases, 'key_value');
    const pid = await serverOf(made);
    expect(await readFile(`/proc/${pid}/status`, 'utf8')).toContain('NoNewPrivs:\t1');
    expect(await readdir(`/proc/${pid}/root`)).not.toContain('srv');
  });
});

describe('a database whose connections are all in use', () => {
  it('is reported as busy and not restarted', async () => {
    const made = await provided(databases, 'relational', { connections: 2 });
    const pid = await serverOf(made);
    expect(await databases.isBusy(made.databaseId)).toBe(false);
    const clients = [0, 1].map(
      () => new pg.Client({ host: made.host, port: made.port, user: 'app', password: made.password, database: 'app' }),
    );
    try {
      for (const client of clients) await client.connect();
      await expect(queried(made, ['SELECT 1'])).rejects.toThrow('too many connections');
      expect(await databases.isBusy(made.databaseId)).toBe(true);
      expect(await databases.isRunning(made.databaseId)).toBe(true);
      await databases.ensure(made);
      expect(await serverOf(made)).toBe(pid);
    } finally {
      for (const client of clients) await client.end();
    }
    await waitFor(async () => !(await databases.isBusy(made.databaseId)));
  });

  it('is reported as busy even if connections without authentication leave none for the platform', async () => {
    const made = await provided(databases, 'relational', { connections: 2 });
    const pid = await serverOf(made);
    const idle = await idleConnections(made, 100, startupOf('app'));
    try {
      await waitFor(() => databases.isBusy(made.databaseId), { timeoutMs: 25_000 });
      expect(await databases.isRunning(made.databaseId)).toBe(true);
      await databases.ensure(made).catch(() => undefined);
      expect(await serverOf(made)).toBe(pid);
    } finally {
      idle.close();
    }
  });

  it('is restarted only if its main process does nothing', async () => {
    const made = await provided(databases, 'relational');
    const pid = (await serverOf(made))!;
    send(pid, 'SIGSTOP');
    expect(await databases.isRunning(made.databaseId)).toBe(false);
    await databases.ensure(made);
    expect(await serverOf(made)).not.toBe(pid);
    await queried(made, ['SELECT 1']);
  }, 90_000);
});

describe('idle connections', () => {
  it('do not keep the owner and the platform of a relational database out, and do not restart it', async () => {
    const made = await provided(databases, 'relational');
    const pid = await serverOf(made);
    const idle = await idleConnections(made, 60, startupOf('app'));
    try {
      await pause(500);
      await queried(made, ['SELECT 1']);
      expect(await databases.isRunning(made.databaseId)).toBe(true);
      await databases.ensure(made);
      expect(await serverOf(made)).toBe(pid);
    } finally {
      idle.close();
    }
  });
});
