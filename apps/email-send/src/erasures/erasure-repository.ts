import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { getErasure, listErasures, Refusal, type ReplyOf, type RequestOf, SERVICE_NAMES } from '@postern/contracts';
import { inTransaction, withLeadership } from '@postern/event-sourcing/postgres';
import { addressKey } from '@postern/mail';
import { Handles } from '@postern/messaging';
import { Database, KeyRing } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import type { Erasure as ErasureRow } from '../generated/prisma/client.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { anotherPass, type Erasure, erasureRow, type RunningErasure, untouched } from './erasure.js';

/** Serializes requests for the same address. */
export const LOCK_ADDRESS = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

/** The erasure of an address by its keyed hashes, locked. */
export const FIND_BY_ADDRESS = `
  SELECT id, replacement, status, pass, services, requested_at, completed_at
  FROM erasures WHERE address_hash = ANY ($1) ORDER BY requested_at DESC LIMIT 1 FOR UPDATE`;

/** Stores a new erasure, or one that was requested again. */
export const SAVE_REQUEST = `
  INSERT INTO erasures (id, address_hash, sealed_address, replacement, status, pass, services, requested_at)
  VALUES ($1, $2, $3, $4, 'running', $5, $6, $7)
  ON CONFLICT (id) DO UPDATE SET address_hash = excluded.address_hash, sealed_address = excluded.sealed_address,
    status = excluded.status, pass = excluded.pass, services = excluded.services,
    revision = erasures.revision + 1, requested_at = excluded.requested_at, completed_at = NULL`;

/** An erasure that is not completed. The address is undefined when no encryption key opens it. */
export interface StoredErasure {
  readonly erasure: RunningErasure;
  readonly address: string | undefined;
  /** Changes with every update of the record. */
  readonly revision: number;
}

interface KnownRow {
  readonly id: string;
  readonly replacement: string;
  readonly status: 'running' | 'completed';
  readonly pass: number;
  readonly services: RunningErasure['services'];
  readonly requested_at: Date;
  readonly completed_at: Date | null;
}

const PURPOSE = 'erased-recipient';

/**
 * Erasures: one row per address ever erased, found by a hash under the encryption keys. The address is sealed while an
 * erasure runs; afterwards only the hash remains.
 */
@Injectable()
export class ErasureRepository {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly keys: KeyRing,
  ) {}

  /** Records the erasure of an address, joins one that is running, or restarts a completed one. */
  request(address: string, at: Date): Promise<Erasure> {
    const hashes = this.keys.keyedHashes(addressKey(address), PURPOSE);
    return inTransaction(this.database.pool, async client => {
      await client.query(LOCK_ADDRESS, [`erasure ${hashes.at(-1)}`]);
      const { rows } = await client.query<KnownRow>(FIND_BY_ADDRESS, [hashes]);
      const erasure = rows[0] ? requestedAgain(knownErasure(rows[0]), at) : newErasure(at);
      await client.query(SAVE_REQUEST, [
        erasure.id,
        hashes[0],
        this.keys.seal(address, erasureRow(erasure.id)),
        erasure.replacement,
        erasure.pass,
        JSON.stringify(erasure.services),
        erasure.requested_at,
      ]);
      return shown(erasure);
    });
  }

  /** Refuses with `erasure_not_found`. */
  @Handles(getErasure)
  async get({ erasure_id: id }: RequestOf<typeof getErasure>): Promise<ReplyOf<typeof getErasure>> {
    const row = await this.prisma.erasure.findUnique({ where: { id } });
    if (!row) throw new Refusal('erasure_not_found', `there is no erasure ${id}`);
    return shown(stateOf(row));
  }

  /** The newest erasures. */
  @Handles(listErasures)
  async list({ limit }: RequestOf<typeof listErasures>): Promise<ReplyOf<typeof listErasures>> {
    const rows = await this.prisma.erasure.findMany({
      orderBy: [{ requestedAt: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return { erasures: rows.map(row => shown(stateOf(row))) };
  }

  async running(): Promise<readonly StoredErasure[]> {
    const rows = await this.prisma.erasure.findMany({
      where: { status: 'running' },
      orderBy: [{ requestedAt: 'asc' }, { id: 'asc' }],
    });
    return rows.map(row => ({ erasure: stateOf(row), address: this.#addressOf(row), revision: row.revision }));
  }

  /** Records progress. Returns false, without writing, when the record changed since it was read. */
  async save({ id, status, pass, services, completed_at }: RunningErasure, revision: number): Promise<boolean> {
    const { count } = await this.prisma.erasure.updateMany({
      where: { id, revision, status: 'running' },
      data: {
        status,
        pass,
        services: services.map(service => ({ ...service })),
        completedAt: completed_at,
        revision: { increment: 1 },
        ...(status === 'completed' ? { sealedAddress: null } : {}),
      },
    });
    return count === 1;
  }

  /** Calls `work` in one replica at a time. */
  async whileLeading(stop: AbortSignal, work: (lost: AbortSignal) => Promise<void>): Promise<void> {
    await withLeadership(this.database.pool, 'erasures', stop, work);
  }

  #addressOf({ id, sealedAddress }: ErasureRow): string | undefined {
    try {
      return sealedAddress === null ? undefined : this.keys.open(sealedAddress, erasureRow(id));
    } catch {
      return undefined;
    }
  }
}

const newErasure = (at: Date): RunningErasure => ({
  id: uuidv7(),
  status: 'running',
  replacement: `erased-${randomBytes(8).toString('hex')}@erased.invalid`,
  pass: 1,
  requested_at: at.toISOString(),
  completed_at: null,
  services: SERVICE_NAMES.map(untouched),
});

/** A running erasure keeps its progress; one more pass covers what was written since it started. */
const requestedAgain = (known: RunningErasure, at: Date): RunningErasure =>
  known.status === 'running'
    ? { ...known, services: known.services.map(service => ({ ...service, changed: true })) }
    : { ...anotherPass(known, null), status: 'running', pass: 1, requested_at: at.toISOString(), completed_at: null };

const knownErasure = ({ requested_at, completed_at, ...row }: KnownRow): RunningErasure => ({
  ...row,
  requested_at: requested_at.toISOString(),
  completed_at: completed_at?.toISOString() ?? null,
});

const stateOf = ({
  id,
  replacement,
  status,
  pass,
  services,
  requestedAt,
  completedAt,
}: ErasureRow): RunningErasure => ({
  id,
  status: status as RunningErasure['status'],
  replacement,
  pass,
  services: services as unknown as RunningErasure['services'],
  requested_at: requestedAt.toISOString(),
  completed_at: completedAt?.toISOString() ?? null,
});

/** Without the fields that only the next step needs. */
const shown = ({ services, ...erasure }: RunningErasure): Erasure => ({
  ...erasure,
  services: services.map(({ cursor: _cursor, changed: _changed, ...service }) => service),
});
