import { randomInt } from 'node:crypto';
import { Refusal } from '@postern/contracts';
import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { RecipientCodes } from '../../ports.js';

const MAX_CODES_PER_HOUR = 20;
const HOUR_MS = 3_600_000;
const PURPOSE = 'verification-code';

/** Codes hashed under the encryption keys; the service's allowance is counted by the clock hour, over all replicas. */
export class PostgresRecipientCodes extends RecipientCodes {
  constructor(
    private readonly pool: pg.Pool,
    private readonly keys: KeyRing,
  ) {
    super();
  }

  newCode(): string {
    return String(randomInt(1_000_000)).padStart(6, '0');
  }

  hashesOf(recipientId: string, code: string): readonly [string, ...string[]] {
    return this.keys.keyedHashes(`${recipientId} ${code}`, PURPOSE);
  }

  async take(serviceId: string, at: Date): Promise<void> {
    const { rowCount } = await this.pool.query(
      `INSERT INTO code_mails AS m (service_id, hour, sent) VALUES ($1, $2, 1)
       ON CONFLICT (service_id, hour) DO UPDATE SET sent = m.sent + 1 WHERE m.sent < $3`,
      [serviceId, hourOf(at), MAX_CODES_PER_HOUR],
    );
    if (rowCount !== 0) return;
    throw new Refusal('too_many_codes', `this email service has mailed ${MAX_CODES_PER_HOUR} codes within the hour`, {
      retry_after_s: Math.ceil((hourOf(at).getTime() + HOUR_MS - at.getTime()) / 1_000),
    });
  }

  async giveBack(serviceId: string, at: Date): Promise<void> {
    await this.pool.query('UPDATE code_mails SET sent = sent - 1 WHERE service_id = $1 AND hour = $2 AND sent > 0', [
      serviceId,
      hourOf(at),
    ]);
  }
}

const hourOf = (at: Date): Date => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
