import { randomBytes } from 'node:crypto';
import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import type { NewSecret, WebhookSecrets } from '../../ports.js';

const SECRET_BYTES = 32;

/** Signing secrets in the database, sealed and bound to their webhook. */
export class WebhookSecretRows implements WebhookSecrets {
  constructor(
    private readonly pool: pg.Pool,
    private readonly keys: KeyRing,
  ) {}

  create(webhookId: string): Promise<NewSecret> {
    return this.store(webhookId, 'INSERT INTO webhook_secrets (webhook_id, current) VALUES ($1, $2)');
  }

  rotate(webhookId: string): Promise<NewSecret> {
    return this.store(webhookId, 'UPDATE webhook_secrets SET next = $2 WHERE webhook_id = $1');
  }

  async switchToNext(webhookId: string): Promise<void> {
    await this.pool.query(
      'UPDATE webhook_secrets SET current = next, next = NULL WHERE webhook_id = $1 AND next IS NOT NULL',
      [webhookId],
    );
  }

  async remove(webhookId: string): Promise<void> {
    await this.pool.query('DELETE FROM webhook_secrets WHERE webhook_id = $1', [webhookId]);
  }

  private async store(webhookId: string, statement: string): Promise<NewSecret> {
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    await this.pool.query(statement, [webhookId, this.keys.seal(secret, webhookId)]);
    return { secret };
  }
}
