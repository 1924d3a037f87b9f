import { Inject, Injectable } from '@nestjs/common';
import {
  addressListed,
  addressSuppressed,
  exportSuppressions,
  listSuppressedAddresses,
  type ReplyOf,
  type RequestOf,
  type Suppression,
  suppressionLifted,
} from '@postern/contracts';
import type { Projection } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { Database, likeText } from '@postern/service-host';
import { type DeletedServiceEvent, SERVICE_DATA_DELETED } from '../deleted-services/deleted-service.js';
import { PrismaClient, type SuppressedAddress } from '../generated/prisma/client.js';
import type { SuppressionEvent } from '../tracked-emails/address-suppression.js';
import {
  addSuppressedAddresses,
  deleteSuppressedAddresses,
  EXPORT_SUPPRESSED_ADDRESSES,
  removeSuppressedAddresses,
} from './suppressed-addresses.sql.js';

/** The suppressed addresses of each email service. */
export const suppressedAddresses: Projection = {
  name: 'suppressed-addresses',
  version: 2,
  tables: ['suppressed_addresses'],
  eventTypes: [addressSuppressed.type, addressListed.type, suppressionLifted.type, SERVICE_DATA_DELETED],

  async apply(recorded, tx) {
    const last = new Map<string, SuppressionEvent>();
    const deleted = new Set<string>();
    for (const { type, data } of recorded) {
      if (type === SERVICE_DATA_DELETED) {
        deleted.add((data as DeletedServiceEvent['data']).service_id);
        continue;
      }
      const event = { type, data } as SuppressionEvent;
      last.set(`${event.data.service_id} ${event.data.address}`, event);
    }
    const events = [...last.values()];
    const added = events.flatMap(rowOf);
    const removed = events.filter(event => event.type === suppressionLifted.type).map(({ data }) => data);
    if (removed.length > 0) await tx.query(removeSuppressedAddresses(tx), [JSON.stringify(removed)]);
    if (added.length > 0) await tx.query(addSuppressedAddresses(tx), [JSON.stringify(added)]);
    if (deleted.size > 0) await tx.query(deleteSuppressedAddresses(tx), [[...deleted]]);
  },
};

/** The row of an address that an event suppresses. */
const rowOf = (event: SuppressionEvent): readonly object[] => {
  if (event.type === suppressionLifted.type) return [];
  return event.type === addressListed.type ? [{ ...event.data, reason: 'added', email_id: null }] : [event.data];
};

/** Queries of the suppressed addresses. */
@Injectable()
export class SuppressedAddresses {
  constructor(
    private readonly prisma: PrismaClient,
    @Inject(Database) private readonly database: Pick<Database, 'pool'>,
  ) {}

  /** Newest first. */
  @Handles(listSuppressedAddresses)
  async list(request: RequestOf<typeof listSuppressedAddresses>): Promise<ReplyOf<typeof listSuppressedAddresses>> {
    const { service_id: serviceId, search = '', limit, offset } = request;
    const where = { serviceId, ...(search && { address: { contains: likeText(search.trim().toLowerCase()) } }) };
    const [rows, total] = await Promise.all([
      this.prisma.suppressedAddress.findMany({
        where,
        orderBy: [{ at: 'desc' }, { address: 'asc' }],
        take: limit,
        skip: offset,
      }),
      this.prisma.suppressedAddress.count({ where }),
    ]);
    return { items: rows.map(entryOf), total, limit, offset };
  }

  @Handles(exportSuppressions)
  async export(request: RequestOf<typeof exportSuppressions>): Promise<ReplyOf<typeof exportSuppressions>> {
    const { service_id, search = '', after } = request;
    const { rows } = await this.database.pool.query<ExportRow>(EXPORT_SUPPRESSED_ADDRESSES, [
      service_id,
      search.trim().toLowerCase(),
      after,
      EXPORTED_AT_ONCE,
    ]);
    const entries = rows.map(({ email_id, ...row }) => entryOf({ ...row, emailId: email_id }));
    return { entries, after: rows.length < EXPORTED_AT_ONCE ? null : rows.at(-1)!.address };
  }
}

const EXPORTED_AT_ONCE = 1_000;

interface ExportRow {
  readonly address: string;
  readonly reason: string;
  readonly email_id: string | null;
  readonly at: Date;
}

const reportedReason = (reason: string): 'hard_bounce' | 'complaint' | 'unsubscribed' =>
  reason === 'complaint' || reason === 'unsubscribed' ? reason : 'hard_bounce';

const entryOf = ({ address, reason, emailId, at }: Omit<SuppressedAddress, 'serviceId'>): Suppression => ({
  address,
  reason: reason === 'added' ? reason : reportedReason(reason),
  email_id: emailId,
  at: at.toISOString(),
});
