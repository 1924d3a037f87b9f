import { randomInt } from 'node:crypto';
import { dkimRecord, generateDkimKeyPair } from '@postern/mail';
import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { DkimKey } from '../../domain/sending-domain.js';
import { DkimKeys } from '../../ports.js';

const SELECTOR_LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** DKIM keys in PostgreSQL, the private halves sealed and bound to their rows. */
export class PostgresDkimKeys extends DkimKeys {
  constructor(
    private readonly pool: pg.Pool,
    private readonly keys: KeyRing,
  ) {
    super();
  }

  async generate(domainId: string): Promise<DkimKey> {
    const { privateKey } = await generateDkimKeyPair();
    const keyId = uuidv7();
    // Several services may sign for one domain, and a rotation needs a second one: each key has a name of its own.
    const selector = `postern-${Array.from({ length: 8 }, () => SELECTOR_LETTERS[randomInt(SELECTOR_LETTERS.length)]).join('')}`;
    await this.pool.query(
      'INSERT INTO dkim_keys (id, domain_id, selector, sealed_private_key) VALUES ($1, $2, $3, $4)',
      [keyId, domainId, selector, this.keys.seal(privateKey, dkimKeyRow(keyId))],
    );
    return { key_id: keyId, selector, record: dkimRecord(privateKey) };
  }

  async destroy(keyIds: readonly string[]): Promise<void> {
    await this.pool.query('DELETE FROM dkim_keys WHERE id = ANY ($1::uuid[])', [keyIds]);
  }
}

/** What a sealed private key is bound to. */
export const dkimKeyRow = (keyId: string): string => `dkim_keys/${keyId}`;
