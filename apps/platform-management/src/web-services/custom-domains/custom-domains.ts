import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DOMAINS_PER_WEB_SERVICE, Refusal } from '@postern/contracts';
import type { CreationLimit } from '@postern/event-sourcing';
import { inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import pLimit from 'p-limit';
import { v7 as uuidv7 } from 'uuid';
import { PrismaClient } from '../../generated/prisma/client.js';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { webServiceNotFound } from '../services/aggregate/refusals.js';
import { webServiceStream } from '../services/aggregate/web-service.js';
import {
  CERTIFICATES_DUE,
  COUNT_DOMAINS,
  FIND_DOMAIN,
  FIND_HOLDER,
  INSERT_DOMAIN,
  LIST_DOMAINS,
  LIST_ROUTES,
  NOTE_CERTIFICATE,
  RELEASE_DOMAIN,
  RELEASE_LEFTOVER,
  VERIFY_DOMAIN,
} from './custom-domains.sql.js';
import type { ServedCertificate } from './served-certificate.js';

/** A domain of a web service. */
export interface DomainRow {
  readonly id: string;
  readonly webServiceId: string;
  readonly domain: string;
  /** The random part of the TXT record. */
  readonly token: string;
  readonly message: string | null;
  readonly createdAt: Date;
  readonly verifiedAt: Date | null;
  readonly certificateUntil: Date | null;
  readonly certificateError: string | null;
  /** Null before the first check, which an installation without a known TLS proxy never makes. */
  readonly certificateCheckedAt: Date | null;
}

/** What a check of a certificate found. */
export type CertificateCheck = ServedCertificate | { readonly error: string };

/** No name server responded; the message contains the reason. */
export class DnsUnavailable extends Error {
  override readonly name = 'DnsUnavailable';
}

const UNIQUE_VIOLATION = '23505';

/** Stores domains as rows without events, because DNS is the authority on their ownership. */
@Injectable()
export class CustomDomains {
  readonly #oneAtATime = pLimit(1);

  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {}

  /** Serialized in this process, because the limit check needs a second connection during the transaction. */
  add(limit: CreationLimit, webServiceId: string, domain: string): Promise<DomainRow> {
    return this.#oneAtATime(() => this.#add(limit, webServiceId, domain));
  }

  /** Oldest first. */
  async of(webServiceId: string): Promise<readonly DomainRow[]> {
    return (await this.database.pool.query<DomainRow>(LIST_DOMAINS, [webServiceId])).rows;
  }

  async find(webServiceId: string, id: string): Promise<DomainRow | undefined> {
    return (await this.database.pool.query<DomainRow>(FIND_DOMAIN, [webServiceId, id])).rows[0];
  }

  /** The row that has verified the domain. */
  async holderOf(domain: string): Promise<DomainRow | undefined> {
    return (await this.database.pool.query<DomainRow>(FIND_HOLDER, [domain])).rows[0];
  }

  /**
   * Verifies a domain; `holderId` is the row that holds it, if any, and becomes unverified.
   * @returns false, without a change, if another row holds the domain in the meantime.
   */
  async verify(id: string, message: string, holderId: string | undefined): Promise<boolean> {
    try {
      await inTransaction(this.database.pool, async client => {
        await client.query(RELEASE_LEFTOVER, [id]);
        if (holderId !== undefined) await client.query(RELEASE_DOMAIN, [holderId]);
        await client.query(VERIFY_DOMAIN, [id, message]);
      });
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return false;
      throw error;
    }
  }

  /** Records the message of a check without changing the status. */
  async note(id: string, message: string): Promise<void> {
    await this.prisma.customDomain.updateMany({ where: { id }, data: { message } });
  }

  /** Verified domains whose certificate has to be checked. */
  async withCertificateDue(): Promise<readonly Pick<DomainRow, 'id' | 'domain'>[]> {
    return (await this.database.pool.query<Pick<DomainRow, 'id' | 'domain'>>(CERTIFICATES_DUE)).rows;
  }

  async noteCertificate(id: string, found: CertificateCheck): Promise<void> {
    const values = 'error' in found ? [id, null, null, found.error] : [id, found.from, found.until, null];
    await this.database.pool.query(NOTE_CERTIFICATE, values);
  }

  /** @returns false if there is no such domain. */
  async remove(webServiceId: string, id: string): Promise<boolean> {
    return (await this.prisma.customDomain.deleteMany({ where: { webServiceId, id } })).count > 0;
  }

  /** All verified domains with their web services. */
  async routes(): Promise<readonly { readonly domain: string; readonly webServiceId: string }[]> {
    return (await this.database.pool.query<{ domain: string; webServiceId: string }>(LIST_ROUTES)).rows;
  }

  async #add(limit: CreationLimit, webServiceId: string, domain: string): Promise<DomainRow> {
    const id = uuidv7();
    const stream = webServiceStream(webServiceId);
    await inTransaction(this.database.pool, async client => {
      await lockStreams(client, [limit.lock, stream]);
      if (await isDeleted(client, stream)) throw webServiceNotFound();
      const { rows } = await client.query<{ count: number }>(COUNT_DOMAINS, [webServiceId]);
      if ((rows[0]?.count ?? 0) >= DOMAINS_PER_WEB_SERVICE)
        throw new Refusal('too_many_domains', `a web service has at most ${DOMAINS_PER_WEB_SERVICE} domains`);
      await limit.check();
      const token = randomBytes(20).toString('hex');
      const { rowCount } = await client.query(INSERT_DOMAIN, [id, webServiceId, domain, token]);
      if (rowCount === 0)
        throw new Refusal('domain_exists', `domain: ${domain} is already a domain of this web service`);
    });
    return (await this.find(webServiceId, id))!;
  }
}
