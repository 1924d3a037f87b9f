import type { CreationLimit } from '@postern/event-sourcing';

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
}

/** Domains of web services, except deleted web services. */
export abstract class CustomDomains {
  /** @throws the refusals `web_service_not_found`, `domain_exists`, `too_many_domains` and those of the limit. */
  abstract add(limit: CreationLimit, webServiceId: string, domain: string): Promise<DomainRow>;
  /** Oldest first. */
  abstract of(webServiceId: string): Promise<readonly DomainRow[]>;
  abstract find(webServiceId: string, id: string): Promise<DomainRow | undefined>;
  /** The row that has verified the domain. */
  abstract holderOf(domain: string): Promise<DomainRow | undefined>;
  /**
   * Verifies a domain; `holderId` is the row that holds it, if any, and becomes unverified.
   * @returns false, without a change, if another row holds the domain in the meantime.
   */
  abstract verify(id: string, message: string, holderId: string | undefined): Promise<boolean>;
  /** Records the message of a check without changing the status. */
  abstract note(id: string, message: string): Promise<void>;
  /** @returns false if there is no such domain. */
  abstract remove(webServiceId: string, id: string): Promise<boolean>;
  /** All verified domains with their web services. */
  abstract routes(): Promise<readonly { readonly domain: string; readonly webServiceId: string }[]>;
}

/** DNS lookups of custom domains; an absent record is an empty list. @throws `DnsUnavailable`. */
export abstract class DomainDns {
  abstract texts(name: string): Promise<readonly string[]>;
  abstract aliases(name: string): Promise<readonly string[]>;
}

/** No name server responded; the message contains the reason. */
export class DnsUnavailable extends Error {
  override readonly name = 'DnsUnavailable';
}
