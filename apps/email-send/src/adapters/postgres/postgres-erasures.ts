import { randomBytes } from 'node:crypto';
import { SERVICE_NAMES } from '@postern/contracts';
import { inTransaction, withLeadership } from '@postern/event-sourcing/postgres';
import { addressKey } from '@postern/mail';
import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { anotherPass, type Erasure, type RunningErasure, untouched } from '../../domain/erasure.js';
import { Erasures, type ErasureUnderWay } from '../../ports.js';

interface Row {
  readonly id: string;
  readonly sealed_address: string | null;
  readonly replacement: string;
  readonly status: 'running' | 'completed';
  readonly pass: number;
  readonly services: RunningErasure['services'];
  readonly revision: number;
  readonly requested_at: Date;
  readonly completed_at: Date | null;
}

const PURPOSE = 'erased-recipient';
const COLUMNS = 'id, sealed_address, replacement, status, pass, services, revision, requested_at, completed_at';

/** What a sealed address is bound to. */
export const erasureRow = (erasureId: string): string => `erasures/${erasureId}`;

/** One row for each address ever erased, found by a hash under the encryption keys. */
export class PostgresErasures extends Erasures {
  constructor(
    private readonly pool: pg.Pool,
    private readonly keys: KeyRing,
  ) {
    super();
  }

  request(address: string, at: Date): Promise<Erasure> {
    const hashes = this.keys.keyedHashes(addressKey(address), PURPOSE);
    return inTransaction(this.pool, async client => {
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`erasure ${hashes.at(-1)}`]);
      const { rows } = await client.query<Row>(
        `SELECT ${COLUMNS} FROM erasures WHERE address_hash = ANY ($1) ORDER BY requested_at DESC LIMIT 1 FOR UPDATE`,
        [hashes],
      );
      const known = rows[0] && stateOf(rows[0]);
      const erasure = known ? requestedAgain(known, at) : begun(at);
      await client.query(
        `INSERT INTO erasures (id, address_hash, sealed_address, replacement, status, pass, services, requested_at)
         VALUES ($1, $2, $3, $4, 'running', $5, $6, $7)
         ON CONFLICT (id) DO UPDATE SET address_hash = excluded.address_hash, sealed_address = excluded.sealed_address,
           status = excluded.status, pass = excluded.pass, services = excluded.services,
           revision = erasures.revision + 1, requested_at = excluded.requested_at, completed_at = NULL`,
        [
          erasure.id,
          hashes[0],
          this.keys.seal(address, erasureRow(erasure.id)),
          erasure.replacement,
          erasure.pass,
          JSON.stringify(erasure.services),
          erasure.requested_at,
        ],
      );
      return shown(erasure);
    });
  }

  async find(erasureId: string): Promise<Erasure | undefined> {
    const { rows } = await this.pool.query<Row>(`SELECT ${COLUMNS} FROM erasures WHERE id = $1`, [erasureId]);
    return rows[0] && shown(stateOf(rows[0]));
  }

  async newest(limit: number): Promise<readonly Erasure[]> {
    const { rows } = await this.pool.query<Row>(
      `SELECT ${COLUMNS} FROM erasures ORDER BY requested_at DESC, id DESC LIMIT $1`,
      [limit],
    );
    return rows.map(row => shown(stateOf(row)));
  }

  async running(): Promise<readonly ErasureUnderWay[]> {
    const { rows } = await this.pool.query<Row>(
      `SELECT ${COLUMNS} FROM erasures WHERE status = 'running' ORDER BY requested_at, id`,
    );
    return rows.map(row => ({ erasure: stateOf(row), address: this.#addressOf(row), revision: row.revision }));
  }

  async save(erasure: RunningErasure, revision: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE erasures SET status = $3, pass = $4, services = $5, completed_at = $6, revision = revision + 1,
         sealed_address = CASE WHEN $3 = 'completed' THEN NULL ELSE sealed_address END
       WHERE id = $1 AND revision = $2 AND status = 'running'`,
      [erasure.id, revision, erasure.status, erasure.pass, JSON.stringify(erasure.services), erasure.completed_at],
    );
    return rowCount === 1;
  }

  async whileLeading(stop: AbortSignal, work: (lost: AbortSignal) => Promise<void>): Promise<void> {
    await withLeadership(this.pool, 'erasures', stop, work);
  }

  #addressOf({ id, sealed_address: sealed }: Row): string | undefined {
    try {
      return sealed === null ? undefined : this.keys.open(sealed, erasureRow(id));
    } catch {
      return undefined;
    }
  }
}

const begun = (at: Date): RunningErasure => ({
  id: uuidv7(),
  status: 'running',
  replacement: `erased-${randomBytes(8).toString('hex')}@erased.invalid`,
  pass: 1,
  requested_at: at.toISOString(),
  completed_at: null,
  services: SERVICE_NAMES.map(untouched),
});

/** A running erasure keeps its place; one pass more covers what was written since it began. */
const requestedAgain = (known: RunningErasure, at: Date): RunningErasure =>
  known.status === 'running'
    ? { ...known, services: known.services.map(service => ({ ...service, changed: true })) }
    : { ...anotherPass(known, null), status: 'running', pass: 1, requested_at: at.toISOString(), completed_at: null };

const stateOf = ({ id, replacement, status, pass, services, requested_at, completed_at }: Row): RunningErasure => ({
  id,
  status,
  replacement,
  pass,
  services,
  requested_at: requested_at.toISOString(),
  completed_at: completed_at?.toISOString() ?? null,
});

/** Without what only the next step needs. */
const shown = ({ services, ...erasure }: RunningErasure): Erasure => ({
  ...erasure,
  services: services.map(({ cursor: _cursor, changed: _changed, ...service }) => service),
});
