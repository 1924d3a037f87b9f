import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { Database, KeyRing } from '@postern/service-host';
import { PrismaClient } from '../generated/prisma/client.js';
import { VerificationCodes } from './ports.js';
import { COUNT_CODE_MAIL } from './verified-recipients.sql.js';

const MAX_CODES_PER_HOUR = 20;
const HOUR_MS = 3_600_000;
const PURPOSE = 'verification-code';

/** Codes hashed under the encryption keys. Code mails are counted per service and clock hour, over all replicas. */
@Injectable()
export class PostgresVerificationCodes extends VerificationCodes {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
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

  async reserve(serviceId: string, at: Date): Promise<void> {
    const { rowCount } = await this.database.pool.query(COUNT_CODE_MAIL, [serviceId, hourOf(at), MAX_CODES_PER_HOUR]);
    if (rowCount !== 0) return;
    throw new Refusal('too_many_codes', `this email service has mailed ${MAX_CODES_PER_HOUR} codes within the hour`, {
      retry_after_s: Math.ceil((hourOf(at).getTime() + HOUR_MS - at.getTime()) / 1_000),
    });
  }

  async release(serviceId: string, at: Date): Promise<void> {
    await this.prisma.codeMail.updateMany({
      where: { serviceId, hour: hourOf(at), sent: { gt: 0 } },
      data: { sent: { decrement: 1 } },
    });
  }
}

const hourOf = (at: Date): Date => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
