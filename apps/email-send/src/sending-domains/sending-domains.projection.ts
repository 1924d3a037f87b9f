import { Inject, Injectable } from '@nestjs/common';
import {
  findTrackingHost,
  getSendingDomain,
  listSendingDomains,
  Refusal,
  type ReplyOf,
  type RequestOf,
  type sendingDomain,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CONFIG } from '@postern/service-host';
import type { z } from 'zod';
import type { EmailSendConfig } from '../config.js';
import { EmailServices } from '../email-services/email-services.projection.js';
import type { DkimEd25519Key, SendingDomain } from '../generated/prisma/client.js';
import { PrismaClient } from '../generated/prisma/client.js';
import type { ReadModel } from '../infrastructure/postgres/read-model.js';
import { type ExpectedRecord, expectedRecords, isDmarc, optionalRecords, type RecordState } from './domain-records.js';
import {
  type DkimKey,
  SENDING_DOMAIN_EVENT_TYPES,
  type SendingDomainEvent,
  type SendingDomainStatus,
} from './sending-domain.js';
import {
  DELETE_DOMAIN,
  INSERT_DOMAIN,
  ROTATE_KEY,
  SET_NEXT_KEY,
  SET_RECORDS,
  SET_RECORDS_LOST,
  SET_RESTORED,
  SET_TRACKING_HOST,
  SET_TRACKING_LOST,
  SET_TRACKING_VERIFIED,
  SET_VERIFIED,
} from './sending-domains.sql.js';
import type { TrackingHost } from './tracking-host.js';
import { trackingTargetOf } from './tracking-target.js';

type SendingDomainReply = z.output<typeof sendingDomain>;

/** Sending domains with their public keys and their DNS records at the last check. */
export const sendingDomains: ReadModel<SendingDomainEvent> = {
  tables: ['sending_domains'],
  eventTypes: SENDING_DOMAIN_EVENT_TYPES,

  apply: (event, tx) => {
    const { domain_id: id, at } = event.data;
    switch (event.type) {
      case 'email-send.sending-domain-added.v1': {
        const { service_id, domain, dkim } = event.data;
        return tx.query(INSERT_DOMAIN(tx), [id, service_id, domain, JSON.stringify(dkim), at]);
      }
      case 'email-send.sending-domain-records-seen.v1':
        return tx.query(SET_RECORDS(tx), [id, JSON.stringify(event.data.records)]);
      case 'email-send.sending-domain-verified.v1':
        return tx.query(SET_VERIFIED(tx), [id, at]);
      case 'email-send.sending-domain-records-restored.v1':
        return tx.query(SET_RESTORED(tx), [id]);
      case 'email-send.sending-domain-records-lost.v1':
        return tx.query(SET_RECORDS_LOST(tx), [id]);
      case 'email-send.sending-domain-owner-told.v1':
        return Promise.resolve();
      case 'email-send.dkim-rotation-started.v1':
        return tx.query(SET_NEXT_KEY(tx), [id, JSON.stringify(event.data.dkim)]);
      case 'email-send.dkim-key-rotated.v1':
        return tx.query(ROTATE_KEY(tx), [id]);
      case 'email-send.sending-domain-removed.v1':
        return tx.query(DELETE_DOMAIN(tx), [id]);
      case 'email-send.tracking-host-set.v1':
        return tx.query(SET_TRACKING_HOST(tx), [id, event.data.host]);
      case 'email-send.tracking-host-verified.v1':
        return tx.query(SET_TRACKING_VERIFIED(tx), [id, at]);
      case 'email-send.tracking-host-lost.v1':
        return tx.query(SET_TRACKING_LOST(tx), [id]);
      case 'email-send.tracking-host-owner-told.v1':
        return Promise.resolve();
    }
  },
};

/** Sending domains as the dashboard shows them, each record with its expected and its found value. */
@Injectable()
export class SendingDomains {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly services: EmailServices,
    @Inject(CONFIG)
    private readonly config: Pick<EmailSendConfig, 'spfHost' | 'bounceDomain' | 'trackingHost' | 'publicUrl'>,
  ) {}

  /** Refuses with `service_not_found` or `domain_not_found`. */
  @Handles(getSendingDomain)
  async get(request: RequestOf<typeof getSendingDomain>): Promise<SendingDomainReply> {
    await this.services.get(request);
    const row = await this.prisma.sendingDomain.findUnique({ where: { id: request.domain_id } });
    if (!row || row.serviceId !== request.service_id) {
      throw new Refusal('domain_not_found', 'there is no such sending domain');
    }
    const [reply] = await this.#replies([row]);
    return reply!;
  }

  /** Refuses with `service_not_found`. */
  @Handles(listSendingDomains)
  async list(request: RequestOf<typeof listSendingDomains>): Promise<SendingDomainReply[]> {
    await this.services.get(request);
    return this.#replies(
      await this.prisma.sendingDomain.findMany({
        where: { serviceId: request.service_id },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      }),
    );
  }

  /** Only hosts of verified domains, so that nobody can claim a name that leads here for another reason. */
  @Handles(findTrackingHost)
  async findTrackingHost({ host }: RequestOf<typeof findTrackingHost>): Promise<ReplyOf<typeof findTrackingHost>> {
    const trackingHost = host.toLowerCase().replace(/\.$/, '');
    const found = await this.prisma.sendingDomain.findFirst({
      where: { trackingHost, trackingStatus: 'verified', status: { not: 'pending' } },
      select: { id: true },
    });
    return { verified: found !== null };
  }

  async #replies(rows: readonly SendingDomain[]): Promise<SendingDomainReply[]> {
    const checks = await this.prisma.domainCheck.findMany({ where: { domainId: { in: rows.map(({ id }) => id) } } });
    const checkOf = new Map(checks.map(check => [check.domainId, check]));
    const keyIds = rows.flatMap(keysOf).map(({ key_id }) => key_id);
    const ed25519 = await this.prisma.dkimEd25519Key.findMany({ where: { rsaKeyId: { in: keyIds } } });
    return rows.map(row => ({
      id: row.id,
      domain: row.domain,
      status: row.status as SendingDomainStatus,
      records: this.#records(row),
      optional_records: this.#optionalRecords(row, ed25519),
      tracking: this.#tracking(row),
      last_checked_at: checkOf.get(row.id)?.checkedAt?.toISOString() ?? null,
      next_check_at: checkOf.get(row.id)?.dueAt.toISOString(),
      verified_at: row.verifiedAt?.toISOString() ?? null,
      created_at: row.createdAt.toISOString(),
    }));
  }

  #records(row: SendingDomain): SendingDomainReply['records'] {
    const { spfHost, bounceDomain } = this.config;
    const expected = expectedRecords(row.domain, spfHost, bounceDomain, keysOf(row));
    return expected.map(record => ({ type: 'TXT', ...(inheritedPolicy(row, record) ?? asSeen(row, record)) }));
  }

  #tracking(row: SendingDomain): SendingDomainReply['tracking'] {
    const { trackingHost: host, trackingStatus, trackingVerifiedAt } = row;
    if (host === null) return null;
    const record = { purpose: 'tracking', name: host, value: trackingTargetOf(this.config) ?? '' } as const;
    return {
      host,
      status: trackingStatus as TrackingHost['status'],
      record: { type: 'CNAME', ...asSeen(row, record) },
      verified_at: trackingVerifiedAt?.toISOString() ?? null,
    };
  }

  #optionalRecords(row: SendingDomain, ed25519: readonly DkimEd25519Key[]): SendingDomainReply['optional_records'] {
    const keys = keysOf(row).flatMap(({ key_id }) => ed25519.find(({ rsaKeyId }) => rsaKeyId === key_id) ?? []);
    return optionalRecords(row.domain, this.config.bounceDomain, keys).map(record => ({
      type: record.purpose === 'return_path' ? 'CNAME' : 'TXT',
      ...asSeen(row, record),
    }));
  }
}

const keysOf = ({ dkim, nextDkim }: SendingDomain): DkimKey[] =>
  [dkim, nextDkim].filter(key => key !== null) as unknown as DkimKey[];

/** A record with the result of the last check. */
function asSeen<Purpose extends RecordState['purpose']>(row: SendingDomain, expected: ExpectedRecord<Purpose>) {
  const records = row.records as unknown as RecordState[];
  const {
    found = null,
    ok = false,
    problem = null,
  } = records.find(({ purpose, name }) => purpose === expected.purpose && name === expected.name) ?? {};
  return { ...expected, found: found && [...found], ok, problem };
}

/** The policy of the organizational domain as the record to keep: another one at the domain would replace it. */
function inheritedPolicy(row: SendingDomain, expected: ExpectedRecord) {
  if (expected.purpose !== 'dmarc') return undefined;
  const records = row.records as unknown as RecordState[];
  const seen = records.find(({ purpose, name }) => purpose === 'dmarc' && name !== expected.name);
  const policy = seen?.found?.find(isDmarc);
  if (!seen || policy === undefined) return undefined;
  const { name, found, ok, problem } = seen;
  return { ...expected, name, value: policy, found: found && [...found], ok, problem };
}
