import { PassThrough, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { requireServerOf } from './postgres-administrator.js';

/** The first version whose server sends the data folder as one complete archive. */
const OLDEST_VERSION = 150_000;
const SILENT_MS = 120_000;

/** The connection of a `pg` query; the library documents such a query as a submittable. */
interface Wire {
  query(text: string): void;
  readonly stream: { pause(): void; resume(): void };
}

/** Receives the COPY data of BASE_BACKUP (PostgreSQL documentation, "Streaming Replication Protocol"). */
class BaseBackupQuery {
  readonly archive = new PassThrough({ highWaterMark: 1024 ** 2 });
  readonly #silence = setTimeout(() => this.archive.destroy(new Error('the server sends no data')), SILENT_MS);
  #wire: Wire | undefined;
  #archives = 0;
  #isPaused = false;

  constructor() {
    this.archive.once('close', () => clearTimeout(this.#silence));
  }

  submit(wire: Wire): void {
    this.#wire = wire;
    // The archive contains the write-ahead log that it needs, so it does not wait for that of the platform.
    wire.query("BASE_BACKUP (LABEL 'backup', CHECKPOINT 'fast', WAL true, WAIT false, MANIFEST 'no')");
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#silence.refresh();
    const kind = String.fromCharCode(chunk[0] ?? 0);
    if (kind === 'n') this.#archives += 1;
    if (this.#archives > 1) this.archive.destroy(new Error('the database has data outside its data folder'));
    if (kind !== 'd' || this.archive.destroyed) return;
    // The library reuses the memory of a chunk, so the chunk is copied.
    if (this.archive.write(Buffer.from(chunk.subarray(1))) || this.#isPaused) return;
    this.#isPaused = true;
    this.#wire?.stream.pause();
    this.archive.once('drain', () => {
      this.#isPaused = false;
      this.#wire?.stream.resume();
    });
  }

  handleReadyForQuery(): void {
    this.archive.end();
  }

  handleError(error: Error): void {
    this.archive.destroy(error);
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
}

/**
 * Streams the data folder of a running PostgreSQL as a tar archive, with the write-ahead log that makes it
 * consistent. The server reads its own files, so the platform opens no files that a customer's server controls.
 */
export const streamBaseBackup = async (access: pg.ClientConfig, databaseId: string): Promise<Readable> => {
  const [holder, sender] = [
    new pg.Client(access),
    new pg.Client({ ...access, replication: 'true' } as pg.ClientConfig),
  ];
  const query = new BaseBackupQuery();
  const end = () => void Promise.all([holder.end(), sender.end()]).catch(() => undefined);
  for (const client of [holder, sender])
    client.on('error', error => query.archive.destroy(error)).on('end', () => query.archive.destroy(CUT_OFF()));
  try {
    await holder.connect();
    await requireServerOf(databaseId, holder);
    const { rows } = await holder.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    if ((rows[0]?.version ?? 0) < OLDEST_VERSION) throw new Error('backups need PostgreSQL 15 or newer');
    // The slot ends with its connection; until then the server keeps the write-ahead log that the backup needs.
    await holder.query("SELECT pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)");
    await sender.connect();
    await requireServerOf(databaseId, sender);
    sender.query(query as unknown as pg.Submittable);
  } catch (error) {
    query.archive.destroy();
    end();
    throw error;
  }
  void finished(query.archive).then(end, end);
  return query.archive;
};

const CUT_OFF = (): Error => new Error('the connection to the database was cut off');
