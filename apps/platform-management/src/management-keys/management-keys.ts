import { createHash, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  authenticateManagementKey,
  createManagementKey,
  listManagementKeys,
  type ManagementScope,
  type QuotaOverrides,
  quotaReached,
  Refusal,
  type ReplyOf,
  type RequestOf,
  revokeManagementKey,
  type WorkspaceRole,
} from '@postern/contracts';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { WorkspaceUsage } from '../accounts/quotas/workspace-usage.js';
import { COUNT_KEYS, DELETE_KEY, FIND_KEY, INSERT_KEY, LIST_KEYS, LOCK_KEYS, SAVE_USE } from './management-keys.sql.js';

interface KeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly workspace_id: string;
  readonly service_id: string | null;
  readonly name: string;
  readonly key_prefix: string;
  readonly scopes: ManagementScope[];
  readonly expires_at: Date | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

type FoundKey = KeyRow & {
  readonly role: WorkspaceRole | null;
  readonly email: string | null;
  readonly limits: QuotaOverrides | null;
  readonly refused: boolean;
};

const MARK = 'em_admin_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 is a little more than 2^256. */
const RANDOM_LENGTH = 43;
const PREFIX_LENGTH = MARK.length + 4;
const MAX_KEYS = 200;

const newKey = (): string => MARK + Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(62)]).join('');

/** Keys of the dashboard API for programs; a key is returned once, and only its hash is stored. */
@Injectable()
export class ManagementKeys {
  constructor(
    private readonly database: Database,
    private readonly usage: WorkspaceUsage,
  ) {}

  /** The gateway has checked that the email service belongs to the workspace. */
  @Handles(createManagementKey)
  async create(request: RequestOf<typeof createManagementKey>): Promise<ReplyOf<typeof createManagementKey>> {
    const { user_id, workspace_id, name, service_id = null, expires_at } = request;
    if (expires_at !== undefined && Date.parse(expires_at) <= Date.now())
      throw new Refusal('invalid_input', 'expires_at: must be in the future');
    const scopes = [...new Set(request.scopes)];
    const [id, key] = [uuidv7(), newKey()];
    const key_prefix = key.slice(0, PREFIX_LENGTH);
    const hash = createHash('sha256').update(key).digest('hex');
    const expiry = expires_at === undefined ? null : new Date(expires_at).toISOString();
    // Refuses a deleted workspace.
    await this.usage.hasPlaces(workspace_id, { platform_keys: 0 });
    await inTransaction(this.database.pool, async tx => {
      await tx.query(LOCK_KEYS, [workspace_id]);
      const { rows } = await tx.query<{ count: number }>(COUNT_KEYS, [workspace_id]);
      if ((rows[0]?.count ?? 0) >= MAX_KEYS) throw quotaReached('platform_keys', MAX_KEYS);
      const values = [id, user_id, workspace_id, service_id, name, hash, key_prefix, scopes, expiry];
      await tx.query(INSERT_KEY, values);
    });
    return { id, name, key_prefix, scopes, service_id, expiry, key };
  }

  @Handles(listManagementKeys)
  async list({ workspace_id }: RequestOf<typeof listManagementKeys>): Promise<ReplyOf<typeof listManagementKeys>> {
    const { rows } = await this.database.pool.query<KeyRow>(LIST_KEYS, [workspace_id]);
    return rows.map(row => ({
      ...keyOf(row),
      created_at: row.created_at.toISOString(),
      last_used_at: row.last_used_at?.toISOString() ?? null,
    }));
  }

  @Handles(revokeManagementKey)
  async revoke({
    workspace_id,
    key_id,
  }: RequestOf<typeof revokeManagementKey>): Promise<ReplyOf<typeof revokeManagementKey>> {
    const { rowCount } = await this.database.pool.query(DELETE_KEY, [key_id, workspace_id]);
    if (rowCount === 0) throw new Refusal('management_key_not_found', 'there is no such management key');
    return {};
  }

  @Handles(authenticateManagementKey)
  async authenticate({
    key_hash,
  }: RequestOf<typeof authenticateManagementKey>): Promise<ReplyOf<typeof authenticateManagementKey>> {
    const { rows } = await this.database.pool.query<FoundKey>(FIND_KEY, [key_hash]);
    const [row] = rows;
    if (row?.refused !== false || row.role === null || row.email === null)
      throw new Refusal('management_key_invalid', 'the management key is invalid, expired or revoked');
    await this.database.pool.query(SAVE_USE, [row.id]);
    const { user_id, workspace_id, role, email, limits } = row;
    return { key: keyOf(row), user_id, email, workspace_id, role, ...(limits ? { quotas: limits } : {}) };
  }
}

const keyOf = ({ id, name, key_prefix, scopes, service_id, expires_at }: KeyRow) => ({
  id,
  name,
  key_prefix,
  scopes,
  service_id,
  expiry: expires_at?.toISOString() ?? null,
});
