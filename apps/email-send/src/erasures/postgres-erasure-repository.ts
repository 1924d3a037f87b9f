import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SERVICE_NAMES } from '@postern/contracts';
import { inTransaction, withLeadership } from '@postern/event-sourcing/postgres';
import { addressKey } from '@postern/mail';
import { Database, KeyRing } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import type { Erasure as ErasureRow } from '../generated/prisma/client.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { anotherPass, type Erasure, erasureRow, type RunningErasure, untouched } from './erasure.js';
import { FIND_BY_ADDRESS, LOCK_ADDRESS, SAVE_REQUEST } from './erasures.sql.js';
import { ErasureRepository, type StoredErasure } from './ports.js';

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

/** One row per address ever erased, found by a hash under the encryption keys. */
@Injectable()
export class PostgresErasureRepository extends ErasureRepository {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly keys: KeyRing,
  ) {
    super();
  }

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

  async find(erasureId: string): Promise<Erasure | undefined> {
    const row = await this.prisma.erasure.findUnique({ where: { id: erasureId } });
    return row ? shown(stateOf(row)) : undefined;
  }

  async newest(limit: number): Promise<readonly Erasure[]> {
    const rows = await this.prisma.erasure.findMany({
      orderBy: [{ requestedAt: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return rows.map(row => shown(stateOf(row)));
  }

  async running(): Promise<readonly StoredErasure[]> {
    const rows = await this.prisma.erasure.findMany({
      where: { status: 'running' },
      orderBy: [{ requestedAt: 'asc' }, { id: 'asc' }],
    });
    return rows.map(row => ({ erasure: stateOf(row), address: this.#addressOf(row), revision: row.revision }));
  }

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
