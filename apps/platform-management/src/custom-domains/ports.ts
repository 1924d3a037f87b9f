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

/** Domains of web services; those of deleted ones are not found. */
export abstract class CustomDomains {
  /** @throws the refusals `web_service_not_found`, `domain_exists`, `too_many_domains` and those of the limit. */
  abstract add(limit: CreationLimit, webServiceId: string, domain: string): Promise<DomainRow>;
  /** Oldest first. */
  abstract of(webServiceId: string): Promise<readonly DomainRow[]>;
  abstract find(webServiceId: string, id: string): Promise<DomainRow | undefined>;
  /** Who has verified a domain. */
  abstract holderOf(domain: string): Promise<DomainRow | undefined>;
  /**
   * Verifies a domain that `holderId` has, if given, and takes it from that one.
   * @returns false, without a change, when somebody else has it meanwhile.
   */
  abstract verify(id: string, message: string, holderId: string | undefined): Promise<boolean>;
  /** Records what a check found; the status stays. */
  abstract note(id: string, message: string): Promise<void>;
  /** @returns false when there is none. */
  abstract remove(webServiceId: string, id: string): Promise<boolean>;
  /** All verified domains with their web services. */
  abstract routes(): Promise<readonly { readonly domain: string; readonly webServiceId: string }[]>;
}

/** DNS look-ups of custom domains; an absent record is an empty list. @throws `DnsUnavailable`. */
export abstract class DomainDns {
  abstract texts(name: string): Promise<readonly string[]>;
  abstract aliases(name: string): Promise<readonly string[]>;
}

/** No name server answered; the message says why. */
export class DnsUnavailable extends Error {
  override readonly name = 'DnsUnavailable';
}
