import { createWriteStream } from 'node:fs';
import { chmod, chown, link, lstat, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { RecoveryRange } from '@postern/runtime';
import type { DatabaseFolders, DatabaseRecord } from './database-folder.js';
import { openOwn } from './own-file.js';
import { confirmedFolder, recoveryFolder, SEGMENT_BYTES } from './wal-settings.js';

const SUFFIX = '.gz';
const DRAFT = '.draft';
/** A timeline, and the number of the segment in it. */
const SEGMENT = /^[0-9A-F]{24}$/;
/** Other files that the server archives, which a recovery does not need, have other names. */
const ARCHIVED_NAME = /^[0-9A-F]{8,24}(\.[0-9A-Za-z]+)*$/;
const SEGMENTS_OF_LOG = 0x1_0000_0000 / SEGMENT_BYTES;
/** At most so many files in one pass, because the server of a customer can write any number of names. */
const FILES_AT_ONCE = 1_000;
const DAY_MS = 24 * 3_600_000;
const LEAST_BYTES = 1024 ** 3;

/** A backup that a recovery can begin with. */
interface Base {
  /** The history of the data that were backed up. */
  readonly history: string;
  /** The first segment that a recovery needs. */
  readonly segment: string;
  /** When the backup was complete; undefined before. */
  readonly endedAt?: string | undefined;
}

/** What the server has written: its current segment, and those that are not archived yet. */
interface Written {
  readonly segment: string;
  readonly pending: ReadonlySet<string>;
}

/** Changes whenever other data replace those of the database, because the names of segments repeat then. */
export const historyOf = ({ restored }: DatabaseRecord): string => restored ?? 'first';

/**
 * The write-ahead logs of databases: `<database>/wal/<history>/<segment>.gz`, and `wal/bases/<backup>.json`. The time of a file is that of
 * the end of its segment.
 */
export class WalArchive {
  constructor(
    private readonly folders: DatabaseFolders,
    /** Segments are deleted after this time. */
    private readonly keptDays: number,
  ) {}

  /** Copies the complete segments of a server, and confirms them. With `keep` false, confirms them only. */
  async copy(record: DatabaseRecord, keep: boolean): Promise<void> {
    const confirmed = confirmedFolder(this.folders.configurationOf(record.databaseId), historyOf(record));
    const pending = await this.pending(record);
    const known = new Set(await namesIn(confirmed));
    for (const name of known) if (!pending.includes(name)) await rm(join(confirmed, name), { force: true });
    const complete = pending.filter(name => !known.has(name)).slice(0, FILES_AT_ONCE);
    if (complete.length === 0) return;
    await mkdir(confirmed, { recursive: true });
    for (const name of complete) {
      if (keep && SEGMENT.test(name)) await this.#store(record, name);
      await writeFile(join(confirmed, name), '');
    }
    await this.prune(record);
  }

  /** The names that wait for the archive, oldest first. */
  async pending(record: DatabaseRecord): Promise<readonly string[]> {
    const names = await namesIn(this.#statusOf(record));
    const ready = names.filter(name => name.endsWith('.ready')).map(name => name.slice(0, -'.ready'.length));
    return ready.filter(name => ARCHIVED_NAME.test(name)).sort();
  }

  async has(record: DatabaseRecord, segment: string): Promise<boolean> {
    return (await this.#segments(record.databaseId, historyOf(record))).has(segment);
  }

  /** Whether there is a backup that a recovery can begin with; without one, no segments are kept. */
  async hasBases(databaseId: string): Promise<boolean> {
    return (await this.#basesOf(databaseId)).size > 0;
  }

  /** Notes that a backup begins: segments from this one on are kept. */
  async begin(record: DatabaseRecord, backupId: string, segment: string): Promise<void> {
    await mkdir(this.#bases(record.databaseId), { recursive: true });
    await chmod(this.folders.walOf(record.databaseId), 0o700);
    await this.#note(record.databaseId, backupId, { history: historyOf(record), segment });
  }

  async end(databaseId: string, backupId: string): Promise<void> {
    const base = (await this.#basesOf(databaseId)).get(backupId);
    if (base) await this.#note(databaseId, backupId, { ...base, endedAt: new Date().toISOString() });
  }

  async forget(databaseId: string, backupId: string): Promise<void> {
    await rm(join(this.#bases(databaseId), `${backupId}.json`), { force: true });
  }

  /** Forgets all other backups of the database. */
  async retain(databaseId: string, backupIds: ReadonlySet<string>): Promise<void> {
    for (const id of (await this.#basesOf(databaseId)).keys())
      if (!backupIds.has(id)) await this.forget(databaseId, id);
  }

  /** The times to which the backups of a database lead, and whether one leads until now. */
  async ranges(
    record: DatabaseRecord,
    written: Written | undefined,
  ): Promise<{ readonly ranges: readonly RecoveryRange[]; readonly reachNow: boolean }> {
    const ranges: RecoveryRange[] = [];
    const now = new Date().toISOString();
    for (const [backupId, { history, segment, endedAt }] of await this.#basesOf(record.databaseId)) {
      if (endedAt === undefined) continue;
      const current = history === historyOf(record) ? written : undefined;
      const latest = await this.#latest(record.databaseId, history, segment, now, current);
      if (latest && latest > endedAt) ranges.push({ backupId, earliest: endedAt, latest });
    }
    return { ranges, reachNow: ranges.some(({ latest }) => latest === now) };
  }

  /** Links the segments that follow a backup into the configuration of the server that recovers them. */
  async provide(databaseId: string, backupId: string, configuration: string, gid: number | undefined): Promise<void> {
    const base = (await this.#basesOf(databaseId)).get(backupId);
    if (!base) throw new Error('the write-ahead log of the backup is gone');
    const folder = recoveryFolder(configuration);
    await mkdir(folder, { recursive: true, mode: 0o750 });
    if (gid !== undefined) await chown(folder, process.getuid!(), gid);
    const stored = await this.#segments(databaseId, base.history);
    for (let name = base.segment; stored.has(name); name = segmentAfter(name))
      await link(this.#fileOf(databaseId, base.history, name), join(folder, `${name}${SUFFIX}`));
  }

  /** Deletes what no backup needs, what is too old, and the oldest beyond the size of the database. */
  async prune({ databaseId, limits, ...record }: DatabaseRecord): Promise<void> {
    const bases = [...(await this.#basesOf(databaseId)).values()];
    const current = historyOf({ databaseId, limits, ...record } as DatabaseRecord);
    let left = Math.max(LEAST_BYTES, limits?.storageBytes ?? 0);
    const histories = (await namesIn(this.folders.walOf(databaseId))).filter(name => name !== 'bases');
    // The current history first, and the newest segments of each.
    for (const history of histories.sort((one, other) => Number(other === current) - Number(one === current))) {
      const needed = bases.filter(base => base.history === history).map(({ segment }) => segment);
      const first = needed.sort()[0];
      const folder = join(this.folders.walOf(databaseId), history);
      for (const name of (await namesIn(folder)).sort().reverse()) {
        const file = join(folder, name);
        const { size, mtimeMs } = await lstat(file);
        left -= size;
        const isNeeded = first !== undefined && name >= first && left >= 0;
        if (!isNeeded || Date.now() - mtimeMs > this.keptDays * DAY_MS) await rm(file, { force: true });
      }
      if (first === undefined && history !== current) await rm(folder, { recursive: true, force: true });
    }
  }

  /** The end of the segments that follow this one without a gap; now, if they lead to what the server writes. */
  async #latest(
    databaseId: string,
    history: string,
    first: string,
    now: string,
    written?: Written,
  ): Promise<string | undefined> {
    const stored = await this.#segments(databaseId, history);
    let last: string | undefined;
    let name = first;
    for (; stored.has(name) || written?.pending.has(name); name = segmentAfter(name)) if (stored.has(name)) last = name;
    if (written && name >= written.segment) return now;
    if (last === undefined) return undefined;
    const { mtimeMs } = await lstat(this.#fileOf(databaseId, history, last));
    return new Date(Math.min(mtimeMs, Date.now())).toISOString();
  }

  async #store(record: DatabaseRecord, name: string): Promise<void> {
    const { databaseId, uid } = record;
    const history = historyOf(record);
    const file = this.#fileOf(databaseId, history, name);
    const source = await openOwn(join(this.folders.dataOf(databaseId), 'pg_wal', name), uid);
    // Without it, the range of earlier backups ends here.
    if (!source) return;
    await mkdir(join(this.folders.walOf(databaseId), history), { recursive: true });
    await chmod(this.folders.walOf(databaseId), 0o700);
    // Another agent may copy it at the same time, during an upgrade.
    const draft = `${file}.${process.pid}${DRAFT}`;
    const content = source.createReadStream({ end: SEGMENT_BYTES - 1 });
    await pipeline(content, createGzip({ level: 1 }), createWriteStream(draft, { mode: 0o644, flush: true }));
    // The server has noted the end of the segment; a later time would promise changes that are in the next segment.
    const { mtime } = await lstat(join(this.#statusOf(record), `${name}.ready`));
    await utimes(draft, mtime, mtime);
    await rename(draft, file);
  }

  async #segments(databaseId: string, history: string): Promise<ReadonlySet<string>> {
    const names = await namesIn(join(this.folders.walOf(databaseId), history));
    const complete = names.filter(name => name.endsWith(SUFFIX)).map(name => name.slice(0, -SUFFIX.length));
    return new Set(complete.filter(name => SEGMENT.test(name)));
  }

  async #basesOf(databaseId: string): Promise<ReadonlyMap<string, Base>> {
    const bases = new Map<string, Base>();
    for (const name of await namesIn(this.#bases(databaseId)))
      if (name.endsWith('.json'))
        bases.set(
          name.slice(0, -'.json'.length),
          JSON.parse(await readFile(join(this.#bases(databaseId), name), 'utf8')) as Base,
        );
    return bases;
  }

  async #note(databaseId: string, backupId: string, base: Base): Promise<void> {
    const file = join(this.#bases(databaseId), `${backupId}.json`);
    await writeFile(`${file}${DRAFT}`, JSON.stringify(base), { mode: 0o600, flush: true });
    await rename(`${file}${DRAFT}`, file);
  }

  #bases(databaseId: string): string {
    return join(this.folders.walOf(databaseId), 'bases');
  }

  #statusOf({ databaseId }: DatabaseRecord): string {
    return join(this.folders.dataOf(databaseId), 'pg_wal/archive_status');
  }

  #fileOf(databaseId: string, history: string, name: string): string {
    return join(this.folders.walOf(databaseId), history, `${name}${SUFFIX}`);
  }
}

/** The name of the segment that follows another one (PostgreSQL, `XLogFileName`). */
export const segmentAfter = (name: string): string => {
  const timeline = name.slice(0, 8);
  const number = Number.parseInt(name.slice(8, 16), 16) * SEGMENTS_OF_LOG + Number.parseInt(name.slice(16), 16) + 1;
  const hex = (part: number) => part.toString(16).toUpperCase().padStart(8, '0');
  return `${timeline}${hex(Math.floor(number / SEGMENTS_OF_LOG))}${hex(number % SEGMENTS_OF_LOG)}`;
};

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
