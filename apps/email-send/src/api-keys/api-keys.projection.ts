import { Injectable } from '@nestjs/common';
import { listApiKeys, type ReplyOf, type RequestOf } from '@postern/contracts';
import type { ProjectionTables } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { EmailServices } from '../email-services/email-services.projection.js';
import { PrismaClient } from '../generated/prisma/client.js';
import type { ReadModel } from '../infrastructure/postgres/read-model.js';
import { API_KEY_EVENT_TYPES, type ApiKeyEvent } from './api-key.js';

/** Adds a key to the read model. */
export const INSERT_API_KEY = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('api_keys')} (id, service_id, name, key_hash, key_prefix, created_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

/** Removes a revoked key from the read model. */
export const DELETE_API_KEY = ({ table }: ProjectionTables) => `DELETE FROM ${table('api_keys')} WHERE id = $1`;

/** Valid keys; revoking a key deletes its row. */
export const apiKeys: ReadModel<ApiKeyEvent> = {
  tables: ['api_keys'],
  eventTypes: API_KEY_EVENT_TYPES,

  apply: (event, tx) => {
    switch (event.type) {
      case 'email-send.api-key-created.v1': {
        const { key_id, service_id, name, key_hash, key_prefix, at } = event.data;
        return tx.query(INSERT_API_KEY(tx), [key_id, service_id, name, key_hash, key_prefix, at]);
      }
      case 'email-send.api-key-revoked.v1':
        return tx.query(DELETE_API_KEY(tx), [event.data.key_id]);
    }
  },
};

/** API keys as the dashboard shows them. */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly services: EmailServices,
  ) {}

  /** The number of valid keys of a service. */
  countOf(serviceId: string): Promise<number> {
    return this.prisma.apiKey.count({ where: { serviceId } });
  }

  /** Refuses with `service_not_found`. The time of the last use may lag by 30 seconds. */
  @Handles(listApiKeys)
  async list(request: RequestOf<typeof listApiKeys>): Promise<ReplyOf<typeof listApiKeys>> {
    await this.services.get(request);
    const keys = await this.prisma.apiKey.findMany({
      where: { serviceId: request.service_id },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    const uses = await this.prisma.apiKeyUse.findMany({ where: { keyId: { in: keys.map(({ id }) => id) } } });
    const usedAt = new Map(uses.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
    return keys.map(key => ({
      id: key.id,
      name: key.name,
      key_prefix: key.keyPrefix,
      created_at: key.createdAt.toISOString(),
      last_used_at: usedAt.get(key.id)?.toISOString() ?? null,
    }));
  }
}
