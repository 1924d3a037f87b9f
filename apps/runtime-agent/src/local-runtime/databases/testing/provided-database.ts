import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseKind, DatabaseLimits, DatabaseOrder } from '@postern/runtime';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { KEPT_FRAMES } from '../../testing/kept-frames.js';
import { LocalDatabases } from '../local-databases.js';
import { asAdministrator } from '../postgres-administrator.js';
import { stopDatabases } from '../stop-databases.js';
import { throughFolder } from '../through-folder.js';
import { STARTER } from './starter-limits.js';

/** The places of the programs that the tests run. */
export const PLACES = {
  postgresBin: process.env['POSTERN_PLATFORM_POSTGRES_BIN'],
  valkeyBin: process.env['POSTERN_PLATFORM_VALKEY_BIN'],
  path: process.env['PATH'],
};

/** The databases of an agent with a new home. */
export const openedDatabases = async (): Promise<{ readonly home: string; readonly databases: LocalDatabases }> => {
  const home = await mkdtemp(join(tmpdir(), 'postern-databases-'));
  await chmod(home, 0o755);
  return { home, databases: new LocalDatabases(home, PLACES, { sandboxFrames: KEPT_FRAMES }) };
};

/** Deletes them with the home. */
export const closedDatabases = async (home: string, databases: LocalDatabases): Promise<void> => {
  await databases.retain(new Set());
  await stopDatabases(home);
  await rm(home, { recursive: true });
};

/** The order for a database that does not exist yet. */
export const orderFor = async (
  databases: LocalDatabases,
  kind: DatabaseKind,
  limits: Partial<DatabaseLimits> = {},
  version?: string,
): Promise<DatabaseOrder> => {
  const databaseId = uuidv7();
  return {
    databaseId,
    kind,
    ...(await databases.reserve(databaseId, kind)),
    username: 'app',
    password: randomBytes(24).toString('base64url'),
    limits: { ...STARTER, ...limits },
    version,
    attachedTo: [],
    attachmentUsers: [],
    allowedCidrs: [],
  };
};

/** Creates and starts a database. */
export const provided = async (...parameters: Parameters<typeof orderFor>): Promise<DatabaseOrder> => {
  const [databases] = parameters;
  const order = await orderFor(...parameters);
  await databases.ensure(order);
  return order;
};

/** Runs statements one after another on a connection of the owner, or of `overrides`, and returns the rows of the last one. */
export const queried = async (
  { username, password, host, port }: DatabaseOrder,
  statements: readonly string[],
  overrides: pg.ClientConfig = {},
): Promise<readonly Record<string, unknown>[]> => {
  const client = new pg.Client({ host, port, user: username, password, database: username, ...overrides });
  client.on('error', () => undefined);
  try {
    await client.connect();
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
};

/** Runs statements as the platform does: through the Unix socket, without a password. */
export const administered = (
  home: string,
  order: DatabaseOrder,
  statements: readonly string[],
): Promise<readonly Record<string, unknown>[]> =>
  throughFolder(join(home, 'databases', order.databaseId, 'socket'), folder =>
    queried(order, statements, asAdministrator(folder, order.port)),
  );

/** Sends inline commands to a key-value store and returns one line for each. */
export const replied = (
  { host, port }: Pick<DatabaseOrder, 'host' | 'port'>,
  ...commands: string[]
): Promise<string[]> =>
  new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host, port });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed after ${JSON.stringify(received)}`)));
    socket.on('data', chunk => {
      received += chunk;
      const lines = received.split('\r\n').slice(0, -1);
      if (lines.length < commands.length) return;
      resolve(lines);
      socket.destroy();
    });
    socket.write(commands.map(command => `${command}\r\n`).join(''));
  });

/** A program that has taken the place of a server, and asks every client for its password in clear text. */
export interface Impostor {
  /** What its clients have sent. */
  readonly captured: () => string;
  stop(): Promise<void>;
}

/** The message of PostgreSQL that asks for a password in clear text, AuthenticationCleartextPassword. */
const ASK_FOR_PASSWORD = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);

export const impostorAt = (place: { host: string; port: number } | string): Promise<Impostor> =>
  new Promise((resolve, reject) => {
    let captured = '';
    const sockets = new Set<Socket>();
    const server = createServer(socket => {
      sockets.add(socket.on('error', () => undefined));
      socket.on('data', chunk => {
        captured += chunk.toString('latin1');
        socket.write(ASK_FOR_PASSWORD);
      });
    });
    const stop = () =>
      new Promise<void>(done => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      });
    server.once('error', reject);
    const started = () => resolve({ captured: () => captured, stop });
    if (typeof place === 'string') server.listen(place, started);
    else server.listen(place.port, place.host, started);
  });

/** Connections that send `greeting`, and nothing after it. */
export const idleConnections = async (
  { host, port }: Pick<AddressInfo, 'port'> & { host: string },
  count: number,
  greeting: Buffer,
): Promise<{ close(): void }> => {
  const sockets = Array.from({ length: count }, () => connect({ host, port }).on('error', () => undefined));
  await Promise.all(
    sockets.map(socket => new Promise<void>(done => void socket.once('connect', done).once('close', () => done()))),
  );
  for (const socket of sockets) socket.write(greeting);
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
};

/** The first message of a client of PostgreSQL. */
export const startupOf = (username: string): Buffer => {
  const body = Buffer.from(`user\0${username}\0database\0${username}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, body]);
};
