import type {
  AttachDatabaseBody,
  CreateDatabaseBody,
  Database,
  DatabaseAttachment,
  DatabaseBackup,
  DatabaseExtension,
  DatabaseRestore,
  Deletion,
  EnableDatabaseExtensionBody,
  GetDatabaseReply,
  ListDatabaseAttachmentsReply,
  ListDatabaseBackupsReply,
  ListDatabaseExtensionsReply,
  ListDatabasesReply,
  UpdateDatabaseBody,
  UpdateDatabaseReply,
} from '../api-types.js';
import type { CallOptions, CommandOptions } from '../http-client.js';
import { type PlatformCaller, pathOf } from './caller.js';

/** Relational databases and key-value stores. */
export class Databases {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** One page of databases, oldest first. */
  list({ limit, offset, signal }: CallOptions & { limit?: number; offset?: number } = {}): Promise<ListDatabasesReply> {
    return this.#api.get('/databases', { query: { limit, offset }, signal });
  }

  /** A database with its current usage. */
  get(databaseId: string, options?: CallOptions): Promise<GetDatabaseReply> {
    return this.#api.get(pathOf`/databases/${databaseId}`, options);
  }

  /** Creates a database. Attach a web service to it, which gets the connection URL in a variable. */
  create(database: CreateDatabaseBody, options?: CommandOptions): Promise<Database> {
    return this.#api.post('/databases', { body: database, ...options });
  }

  /** Opens a database to clients outside of the platform, or closes it. Fields that are absent stay as they are. */
  update(databaseId: string, changes: UpdateDatabaseBody, options?: CommandOptions): Promise<UpdateDatabaseReply> {
    return this.#api.patch(pathOf`/databases/${databaseId}`, changes, options);
  }

  /** Deletes a database with its data, backups and attachments. */
  delete(databaseId: string, options?: CommandOptions): Promise<Deletion> {
    return this.#api.delete(pathOf`/databases/${databaseId}`, options);
  }

  /** Gives a web service the connection URL in a variable, from its next start, restart or deployment. */
  attach(databaseId: string, attachment: AttachDatabaseBody, options?: CommandOptions): Promise<DatabaseAttachment> {
    return this.#api.post(pathOf`/databases/${databaseId}/attachments`, { body: attachment, ...options });
  }

  /** The web services that a database is attached to. */
  attachments(databaseId: string, options?: CallOptions): Promise<ListDatabaseAttachmentsReply> {
    return this.#api.get(pathOf`/databases/${databaseId}/attachments`, options);
  }

  /** Takes the connection URL from a web service: its user can no longer connect. */
  detach(databaseId: string, attachmentId: string, options?: CommandOptions): Promise<Deletion> {
    return this.#api.delete(pathOf`/databases/${databaseId}/attachments/${attachmentId}`, options);
  }

  /** The backups of a database, newest first. */
  backups(databaseId: string, options?: CallOptions): Promise<ListDatabaseBackupsReply> {
    return this.#api.get(pathOf`/databases/${databaseId}/backups`, options);
  }

  /** Begins a backup. */
  backUp(databaseId: string, options?: CommandOptions): Promise<DatabaseBackup> {
    return this.#api.post(pathOf`/databases/${databaseId}/backups`, options);
  }

  /** Begins to replace all data of a database with those of a backup. `last_restore` of the backup has the outcome. */
  restore(databaseId: string, backupId: string, options?: CommandOptions): Promise<DatabaseRestore> {
    return this.#api.post(pathOf`/databases/${databaseId}/backups/${backupId}/restore`, options);
  }

  /** The extensions of PostgreSQL that a relational database has or can enable, by name. */
  extensions(databaseId: string, options?: CallOptions): Promise<ListDatabaseExtensionsReply> {
    return this.#api.get(pathOf`/databases/${databaseId}/extensions`, options);
  }

  /** Enables an extension of PostgreSQL, such as `{ name: 'vector' }`. Repeating it changes nothing. */
  enableExtension(
    databaseId: string,
    extension: EnableDatabaseExtensionBody,
    options?: CommandOptions,
  ): Promise<DatabaseExtension> {
    return this.#api.post(pathOf`/databases/${databaseId}/extensions`, { body: extension, ...options });
  }
}
