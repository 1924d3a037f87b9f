import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts/refusal';
import { inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import { Database, KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { PrismaClient } from '../../generated/prisma/client.js';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { webServiceNotFound } from '../services/aggregate/refusals.js';
import { webServiceStream } from '../services/aggregate/web-service.js';
import {
  ADD_DELIVERY,
  COUNT_DELIVERIES,
  DELETE_HOOK,
  DELETE_OLD_DELIVERIES,
  FIND_HOOK_BY_TOKEN,
  FIND_HOOK_OWNER,
  LOCK_DELIVERIES,
  REPLACE_HOOK,
  SEAL_HOOK_SECRET,
} from './deploy-hooks.sql.js';

export interface StoredHook {
  readonly id: string;
  readonly webServiceId: string;
  readonly createdAt: Date;
}

/** A called hook with the settings that determine the outcome of the call. */
export interface CalledHook extends StoredHook {
  readonly secret: string;
  /** The creator of the web service. */
  readonly userId: string;
  /** Null for the default branch. */
  readonly branch: string | null;
  readonly autoDeploy: boolean;
  /** Empty if every push deploys. */
  readonly watchPaths: readonly string[];
  /** Whether pull and merge requests get previews. */
  readonly previews: boolean;
  /** Whether an image is deployed, which a push does not change. */
  readonly runsImage: boolean;
}

/** A hook with its web service and workspace. */
export interface HookOwner {
  readonly id: string;
  readonly webServiceId: string;
  readonly workspaceId: string;
}

export type HookOutcome = 'deployed' | 'recorded' | 'ignored';

export interface HookDelivery {
  readonly at: Date;
  readonly outcome: HookOutcome;
  readonly reason: string | null;
  readonly deploymentId: string | null;
}

/** The decision on a call, which is recorded with it. */
export type Decision = Omit<HookDelivery, 'at'>;

const SHOWN = 20;

/** Stores hooks as rows. Secrets are in `sealed_values`, so that key rotation re-encrypts them. */
@Injectable()
export class DeployHooks {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly keys: KeyRing,
  ) {}

  /** Creates or replaces the hook of the web service. Refuses with `web_service_not_found` if it is deleted. */
  async put(webServiceId: string, tokenHash: string, secret: string): Promise<string> {
    const id = uuidv7();
    await inTransaction(this.database.pool, async client => {
      await lockStreams(client, [webServiceStream(webServiceId)]);
      if (await isDeleted(client, webServiceStream(webServiceId))) throw webServiceNotFound();
      await client.query(DELETE_HOOK, [webServiceId]);
      await client.query(SEAL_HOOK_SECRET, [id, this.keys.seal(secret, `sealed_values/${id}`), webServiceId]);
      await client.query(REPLACE_HOOK, [id, webServiceId, tokenHash]);
    });
    return id;
  }

  async of(webServiceId: string): Promise<StoredHook | undefined> {
    return (await this.prisma.deployHook.findUnique({ where: { webServiceId } })) ?? undefined;
  }

  /** The hook with the hash of its token; undefined also for a deleted web service. */
  async hookOf(tokenHash: string): Promise<CalledHook | undefined> {
    const { rows } = await this.database.pool.query<Omit<CalledHook, 'secret'> & { readonly sealed: string }>(
      FIND_HOOK_BY_TOKEN,
      [tokenHash],
    );
    if (!rows[0]) return undefined;
    const { sealed, ...hook } = rows[0];
    return { ...hook, secret: this.keys.open(sealed, `sealed_values/${hook.id}`) };
  }

  /** Like `hookOf`, without decrypting the secret. */
  async ownerOf(tokenHash: string): Promise<HookOwner | undefined> {
    const { rows } = await this.database.pool.query<HookOwner>(FIND_HOOK_OWNER, [tokenHash]);
    return rows[0];
  }

  /** @returns whether the web service had a hook. */
  async remove(webServiceId: string): Promise<boolean> {
    const { rowCount } = await this.database.pool.query(DELETE_HOOK, [webServiceId]);
    return rowCount !== 0;
  }

  /** The last deliveries, newest first. */
  async deliveriesOf(hookId: string): Promise<readonly HookDelivery[]> {
    const query = { where: { hookId }, orderBy: { at: 'desc' }, take: SHOWN } as const;
    const rows = await this.prisma.deployHookDelivery.findMany(query);
    return rows.map(({ at, outcome, reason, deploymentId }) => ({
      at,
      outcome: outcome as HookOutcome,
      reason,
      deploymentId,
    }));
  }

  /**
   * Adds a delivery with the decision on it, and deletes old ones; of concurrent deliveries with the same digest, only the
   * first is decided. If a crash prevented the deployment of a delivery, the delivery can be added again after a minute.
   * @param digest identifies the event; repeated deliveries of an event have the same one.
   */
  add<Decided extends Decision>(
    hookId: string,
    digest: string,
    mostPerMinute: number,
    decide: (client: pg.ClientBase) => Promise<Decided>,
  ): Promise<Decided | 'known' | 'too_many'> {
    return inTransaction(this.database.pool, async client => {
      await client.query(LOCK_DELIVERIES, [hookId]);
      const { rows } = await client.query<{ ofMinute: number; isKnown: boolean }>(COUNT_DELIVERIES, [hookId, digest]);
      if (rows[0]?.isKnown) return 'known';
      if ((rows[0]?.ofMinute ?? 0) >= mostPerMinute) return 'too_many';
      const decided = await decide(client);
      const { outcome, reason, deploymentId } = decided;
      await client.query(ADD_DELIVERY, [hookId, digest, outcome, reason, deploymentId]);
      await client.query(DELETE_OLD_DELIVERIES, [hookId]);
      return decided;
    });
  }

  /**
   * Requests the deployment of a delivery. If it is refused, the delivery stays in the list with the reason, and the Git host
   * can deliver the event again.
   */
  async deploy(hookId: string, deploymentId: string, request: () => Promise<unknown>): Promise<void> {
    const where = { hookId, deploymentId };
    try {
      await request();
    } catch (error) {
      if (error instanceof Refusal) {
        const refused = { digest: uuidv7(), outcome: 'ignored', reason: error.message, deploymentId: null };
        await this.prisma.deployHookDelivery.updateMany({ where, data: refused });
      } else {
        await this.prisma.deployHookDelivery.deleteMany({ where });
      }
      throw error;
    }
  }
}
