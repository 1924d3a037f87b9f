import { Inject, Injectable } from '@nestjs/common';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { BodySeal } from '../infrastructure/postgres/body-seal.js';
import { PlainBodies } from './ports.js';
import { STORE_SEALED_BODIES, TAKE_PLAIN_BODIES } from './retention.sql.js';

const STEP = 100;

/** Seals bodies in plain text and moves them to the table of sealed bodies. A body is always in one of the two. */
@Injectable()
export class PostgresPlainBodies extends PlainBodies {
  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'pool'>,
    private readonly seal: BodySeal,
  ) {
    super();
  }

  async sealAll(): Promise<void> {
    while ((await this.#sealSome()) === STEP);
  }

  #sealSome(): Promise<number> {
    return inTransaction(this.database.pool, async client => {
      const { rows } = await client.query<{ email_id: string; content: string }>(TAKE_PLAIN_BODIES, [STEP]);
      if (rows.length === 0) return 0;
      await client.query(STORE_SEALED_BODIES, [
        rows.map(({ email_id }) => email_id),
        rows.map(({ email_id, content }) => this.seal.sealText(email_id, content)),
      ]);
      return rows.length;
    });
  }
}
