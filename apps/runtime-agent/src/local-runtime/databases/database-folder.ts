import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import type { DatabaseKind, DatabaseLimits } from '@postern/runtime';
import type { ProcessMarks } from './processes.js';

/**
 * Below the ports of web services and their instances, and below the ephemeral ports of the kernel, so that the port
 * of a database is still free after a restart.
 */
const FIRST_PORT = 10_000;
const PORTS = 2_000;
/**
 * Each database has its own user, derived from its port. The ids are above those of instances, and low enough for a
 * container.
 */
const FIRST_UID = 62_000;

const HOST = '127.0.0.1';

/** The platform's record of a database; written before its data are created. */
export interface DatabaseRecord {
  readonly databaseId: string;
  readonly kind: DatabaseKind;
  readonly port: number;
  /** The user of its processes; undefined if the platform does not run as root and cannot select a user. */
  readonly uid: number | undefined;
  /** The password of the platform's user of a key-value store. A process that can read it can also read the data in the same folder. */
  readonly adminSecret: string;
  readonly reservedAt: string;
  /** The address of its network; undefined if it uses the network of the machine. */
  readonly address?: string | undefined;
  /** The ids of the web services that may connect to it. */
  readonly attachedTo?: readonly string[] | undefined;
  /** The networks outside of the platform that may connect to it, in CIDR notation. */
  readonly allowedCidrs?: readonly string[] | undefined;
  /** The limits of the last order; undefined before the database was first created. */
  readonly limits?: DatabaseLimits;
  /** The major version that it is created with; undefined for the preferred one. */
  readonly version?: string | undefined;
  /** The restore whose data are ready and are being moved into place; it is always completed. */
  readonly completing?: string | undefined;
  /** The last completed restore. */
  readonly restored?: string;
  /** Not stored: the recovery that the trial server of a restore makes. */
  readonly recovery?: Recovery;
}

/** Repeats changes after a backup from segments of the write-ahead log, which are in `wal` of the configuration. */
export interface Recovery {
  /** ISO 8601; undefined for all segments. */
  readonly targetTime: string | undefined;
}

/** The files of local databases: `<platform home>/databases/<id>/`, and `ports/<port>` with the id of the owning database. */
export class DatabaseFolders {
  readonly root: string;

  constructor(platformHome: string) {
    this.root = resolve(platformHome, 'databases');
  }

  pathOf(databaseId: string): string {
    return join(this.root, databaseId);
  }

  /** In the volume of the database, if it has one. */
  dataOf(databaseId: string): string {
    const hasVolume = existsSync(this.imageOf(databaseId));
    return join(hasVolume ? this.volumeOf(databaseId) : this.pathOf(databaseId), 'data');
  }

  /** The file that contains its file system. */
  imageOf(databaseId: string): string {
    return join(this.pathOf(databaseId), 'volume.img');
  }

  /** Where its file system is mounted. The user of the database does not own its root folder. */
  volumeOf(databaseId: string): string {
    return join(this.pathOf(databaseId), 'volume');
  }

  logOf(databaseId: string): string {
    return join(this.pathOf(databaseId), 'server.log');
  }

  /** The folder of the Unix sockets of the server. */
  socketsOf(databaseId: string): string {
    return join(this.pathOf(databaseId), 'socket');
  }

  /** The folder of the configuration, which the server may read but not change. */
  configurationOf(databaseId: string): string {
    return join(this.pathOf(databaseId), 'configuration');
  }

  /** The archive of the write-ahead log, which only the platform may read. */
  walOf(databaseId: string): string {
    return join(this.pathOf(databaseId), 'wal');
  }

  lockOf(databaseId: string): string {
    return join(this.pathOf(databaseId), 'lock');
  }

  marksOf({ databaseId, uid }: DatabaseRecord): ProcessMarks {
    return { folder: this.dataOf(databaseId), uid };
  }

  async ids(): Promise<string[]> {
    return (await readdir(this.root).catch(missing<string[]>([]))).filter(name => UUID.test(name));
  }

  async recordOf(databaseId: string): Promise<DatabaseRecord | undefined> {
    const text = await readFile(join(this.pathOf(databaseId), RECORD), 'utf8').catch(missing(undefined));
    return text === undefined ? undefined : (JSON.parse(text) as DatabaseRecord);
  }

  /** Returns the record of a database. Creates it with a free port, or with `port`, if it does not exist. */
  async reserve(databaseId: string, kind: DatabaseKind, port?: number): Promise<DatabaseRecord> {
    const known = await this.recordOf(databaseId);
    if (known) return known;
    const own = await this.#claimPort(databaseId, port);
    const record: DatabaseRecord = {
      databaseId,
      kind,
      port: own,
      uid: process.getuid?.() === 0 ? FIRST_UID + (own - FIRST_PORT) : undefined,
      adminSecret: newSecret(),
      reservedAt: new Date().toISOString(),
    };
    const draft = await mkdtemp(join(this.root, DRAFT));
    // The database's own user may enter the folder; no other user may read it.
    await chmod(draft, 0o711);
    await writeRecord(draft, record);
    const folder = this.pathOf(databaseId);
    // The folder appears with its record: a folder without a record is an orphan, and is removed.
    try {
      await rename(draft, folder);
      return record;
    } catch (error) {
      // Of a database that was restored with the installation, only the backups are there.
      const added = await link(join(draft, RECORD), join(folder, RECORD)).catch((cause: Error) => cause);
      if (!added) await chmod(folder, 0o711);
      await rm(draft, { recursive: true });
      const found = await this.recordOf(databaseId);
      if (!found) throw error;
      if (found.port !== own) await rm(join(this.root, 'ports', String(own)), { force: true });
      return found;
    }
  }

  async note(record: DatabaseRecord, changes: Partial<DatabaseRecord>): Promise<DatabaseRecord> {
    const changed = { ...record, ...changes };
    if (JSON.stringify(changed) !== JSON.stringify(record)) await this.#write(changed);
    return changed;
  }

  /** Deletes all files of a database; the record goes last, so that an interrupted removal can be resumed. */
  async remove(databaseId: string): Promise<void> {
    const record = await this.recordOf(databaseId);
    const folder = this.pathOf(databaseId);
    for (const name of await readdir(folder).catch(missing<string[]>([])))
      if (name !== RECORD) await rm(join(folder, name), { recursive: true, force: true });
    if (record) await rm(join(this.root, 'ports', String(record.port)), { force: true });
    await rm(folder, { recursive: true, force: true });
  }

  /** Removes the drafts of interrupted reservations; recent drafts may still become complete. */
  async removeAbandoned(olderThanMs: number): Promise<void> {
    for (const name of await readdir(this.root).catch(missing<string[]>([]))) {
      const draft = join(this.root, name);
      if (name.startsWith(DRAFT) && (await isOlder(draft, olderThanMs)))
        await rm(draft, { recursive: true, force: true });
    }
    await this.#freeAbandonedPorts(olderThanMs);
  }

  async #freeAbandonedPorts(olderThanMs: number): Promise<void> {
    const folder = join(this.root, 'ports');
    for (const name of await readdir(folder).catch(missing<string[]>([]))) {
      const claim = join(folder, name);
      if (!(await isOlder(claim, olderThanMs))) continue;
      const owner = await readFile(claim, 'utf8').catch(missing(''));
      const record = UUID.test(owner) ? await this.recordOf(owner) : undefined;
      if (String(record?.port) !== name) await rm(claim, { force: true });
    }
  }

  #write(record: DatabaseRecord): Promise<void> {
    return writeRecord(this.pathOf(record.databaseId), record);
  }

  /** The process that creates the file of a port owns the port, among all processes that share the folder. */
  async #claimPort(databaseId: string, wanted: number | undefined): Promise<number> {
    const folder = join(this.root, 'ports');
    await mkdir(folder, { recursive: true });
    await chmod(this.root, 0o711);
    const start = randomBytes(4).readUInt32BE() % PORTS;
    const candidates = wanted ? [wanted] : Array.from({ length: PORTS }, (_, n) => FIRST_PORT + ((start + n) % PORTS));
    for (const port of candidates) {
      const claim = join(folder, String(port));
      const file = await open(claim, 'wx').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      if (!file) {
        if (wanted && (await readFile(claim, 'utf8')) === databaseId) return port;
        continue;
      }
      await file.writeFile(databaseId);
      await file.close();
      if (wanted || (await isFree(port))) return port;
      await rm(claim, { force: true });
    }
    throw new Error(
      wanted ? `port ${wanted} belongs to another database` : 'no port is available for another database',
    );
  }
}

const newSecret = (): string => randomBytes(24).toString('base64url');

/** Name prefix of a folder before its record is complete. */
const RECORD = 'record.json';
const DRAFT = 'draft-';

const writeRecord = async (folder: string, record: DatabaseRecord): Promise<void> => {
  const draft = join(folder, 'record.json.draft');
  await writeFile(draft, JSON.stringify(record), { mode: 0o600, flush: true });
  await rename(draft, join(folder, RECORD));
};

/** Whether a file or folder exists and was last changed before this time. */
const isOlder = async (path: string, thanMs: number): Promise<boolean> => {
  const found = await stat(path).catch(missing(undefined));
  return found !== undefined && Date.now() - found.mtimeMs >= thanMs;
};

/** The id of a trial server of a restore is that of its database with this suffix. */
export const RESTORE_SUFFIX = '-restore';

/** The folders in which the data of a backup are prepared, beside the databases that they will replace. */
export class RestoreFolders extends DatabaseFolders {
  override pathOf(databaseId: string): string {
    return join(super.pathOf(databaseId.replace(RESTORE_SUFFIX, '')), 'restore');
  }

  /** The record of the trial server of a restore, with a separate id for its resource limits. */
  recordBeside(record: DatabaseRecord): DatabaseRecord {
    return { ...record, databaseId: `${record.databaseId}${RESTORE_SUFFIX}` };
  }
}

export const LOCAL_HOST = HOST;

/** Where clients reach a database. */
export const placeOf = ({ address, port }: DatabaseRecord): { readonly host: string; readonly port: number } => ({
  host: address ?? HOST,
  port,
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isFree = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });

/** Replaces the error about a missing file or folder by a value. */
const missing =
  <Value>(value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
