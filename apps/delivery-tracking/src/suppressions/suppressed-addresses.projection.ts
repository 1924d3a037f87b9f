import { Injectable } from '@nestjs/common';
import {
  addressSuppressed,
  type EventOf,
  listSuppressions,
  type ReplyOf,
  type RequestOf,
  suppressionLifted,
} from '@postern/contracts';
import type { Projection } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { PrismaClient } from '../generated/prisma/client.js';
import { addSuppressedAddresses, removeSuppressedAddresses } from './suppressed-addresses.sql.js';

type SuppressionEvent = EventOf<typeof addressSuppressed | typeof suppressionLifted>;

/** The suppressed addresses of each email service. */
export const suppressedAddresses: Projection = {
  name: 'suppressed-addresses',
  version: 1,
  tables: ['suppressed_addresses'],
  eventTypes: [addressSuppressed.type, suppressionLifted.type],

  async apply(recorded, tx) {
    const last = new Map<string, SuppressionEvent>();
    for (const { type, data } of recorded) {
      const event = { type, data } as SuppressionEvent;
      last.set(`${event.data.service_id} ${event.data.address}`, event);
    }
    const events = [...last.values()];
    const added = events.filter(event => event.type === addressSuppressed.type).map(({ data }) => data);
    const removed = events.filter(event => event.type === suppressionLifted.type).map(({ data }) => data);
    if (removed.length > 0) await tx.query(removeSuppressedAddresses(tx), [JSON.stringify(removed)]);
    if (added.length > 0) await tx.query(addSuppressedAddresses(tx), [JSON.stringify(added)]);
  },
};

/** Queries of the suppressed addresses. */
@Injectable()
export class SuppressedAddresses {
  constructor(private readonly prisma: PrismaClient) {}

  /** Newest first. */
  @Handles(listSuppressions)
  async list(request: RequestOf<typeof listSuppressions>): Promise<ReplyOf<typeof listSuppressions>> {
    const { service_id: serviceId, limit, offset } = request;
    const [rows, total] = await Promise.all([
      this.prisma.suppressedAddress.findMany({
        where: { serviceId },
        orderBy: [{ at: 'desc' }, { address: 'asc' }],
        take: limit,
        skip: offset,
      }),
      this.prisma.suppressedAddress.count({ where: { serviceId } }),
    ]);
    return {
      items: rows.map(({ address, reason, emailId, at }) => ({
        address,
        reason: reason === 'complaint' ? 'complaint' : 'hard_bounce',
        email_id: emailId,
        at: at.toISOString(),
      })),
      total,
      limit,
      offset,
    };
  }
}
