import { Injectable } from '@nestjs/common';
import { MAX_SECRET_FILES, MAX_SECRET_FILES_BYTES } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import { inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import { Database, KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { webServiceNotFound } from '../services/aggregate/refusals.js';
import { webServiceStream } from '../services/aggregate/web-service.js';
import {
  DELETE_SEALED_VALUE,
  DELETE_SECRET_FILE,
  LIST_SECRET_FILES,
  PUT_SECRET_FILE,
  READ_SECRET_FILES,
  SEAL_VALUES,
} from './environment.sql.js';
import { sealedValueRow } from './sealed-values.js';

export interface FileToSet {
  readonly path: string;
  readonly content: Buffer;
}

export interface StoredFile {
  readonly id: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly updatedAt: Date;
}

/** The secret files of web services. Contents are in `sealed_values`, so that key rotation re-encrypts them. */
@Injectable()
export class SecretFiles {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
  ) {}

  /** Sorted by path. */
  async of(webServiceId: string): Promise<readonly StoredFile[]> {
    return listOf(this.database.pool, webServiceId);
  }

  /** The contents in base64, by path. */
  async contentsOf(webServiceId: string): Promise<ReadonlyMap<string, string>> {
    const query = { name: 'secret-file-contents', text: READ_SECRET_FILES, values: [webServiceId] };
    const { rows } = await this.database.pool.query<{ id: string; path: string; sealed: string }>(query);
    return new Map(rows.map(({ id, path, sealed }) => [path, this.keys.open(sealed, sealedValueRow(id))]));
  }

  /** Sets all files or none. Refuses above the limits. @returns the paths that existed before. */
  set(webServiceId: string, files: readonly FileToSet[]): Promise<ReadonlySet<string>> {
    return inTransaction(this.database.pool, async client => {
      await lockStreams(client, [webServiceStream(webServiceId)]);
      if (await isDeleted(client, webServiceStream(webServiceId))) throw webServiceNotFound();
      const before = await listOf(client, webServiceId);
      requireRoom(before, files);
      const ids = new Map(before.map(({ id, path }) => [path, id]));
      for (const { path, content } of files) {
        const id = ids.get(path) ?? uuidv7();
        const sealed = this.keys.seal(content.toString('base64'), sealedValueRow(id));
        await client.query(SEAL_VALUES, [[id], [sealed], webServiceId]);
        await client.query(PUT_SECRET_FILE, [id, webServiceId, path, content.length]);
      }
      return new Set(ids.keys());
    });
  }

  /** @returns whether the web service had the file. */
  async remove(webServiceId: string, id: string): Promise<boolean> {
    return inTransaction(this.database.pool, async client => {
      const { rowCount } = await client.query(DELETE_SECRET_FILE, [id, webServiceId]);
      if (rowCount !== 1) return false;
      await client.query(DELETE_SEALED_VALUE, [id]);
      return true;
    });
  }
}

const listOf = async (client: pg.Pool | pg.ClientBase, webServiceId: string): Promise<readonly StoredFile[]> =>
  (await client.query<StoredFile>(LIST_SECRET_FILES, [webServiceId])).rows;

function requireRoom(before: readonly StoredFile[], files: readonly FileToSet[]): void {
  const sizes = new Map(before.map(({ path, sizeBytes }) => [path, sizeBytes]));
  for (const { path, content } of files) sizes.set(path, content.length);
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (sizes.size > MAX_SECRET_FILES)
    throw new Refusal('invalid_input', `files: a web service has at most ${MAX_SECRET_FILES} secret files`);
  if (total > MAX_SECRET_FILES_BYTES)
    throw new Refusal(
      'invalid_input',
      `files: the secret files have ${total} bytes, more than ${MAX_SECRET_FILES_BYTES}`,
    );
  for (const [place, { path }] of files.entries())
    for (const other of sizes.keys())
      if (path.startsWith(`${other}/`) || other.startsWith(`${path}/`))
        throw new Refusal('invalid_input', `files[${place}].path: ${path} and ${other} cannot both be files`);
}
