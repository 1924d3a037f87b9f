import type { RecordState, TxtAnswer } from './domain-records.js';
import type { SendingDomain } from './sending-domain.js';

/** Reads the DNS. Failures are answers: this never throws because of the DNS. */
export abstract class DnsResolver {
  abstract lookUpTxt(name: string): Promise<TxtAnswer>;
}

/** Identifies a sending domain that is to be added. */
export interface NewSendingDomain {
  readonly serviceId: string;
  readonly domainId: string;
  readonly domain: string;
}

/** The DNS records of a domain as one check read them. */
export interface DomainCheck {
  readonly serviceId: string;
  readonly domainId: string;
  readonly records: readonly RecordState[];
  readonly at: Date;
}

/**
 * Writes sending domains. Each method is one transaction over events, DKIM keys, check schedule and the mode of the email
 * service, and returns once the read models show it. Private keys are stored encrypted and never leave email-send.
 */
export abstract class SendingDomainRepository {
  /** Adds a domain with a new key. Refuses with `domain_exists`. */
  abstract add(domain: NewSendingDomain, at: Date): Promise<void>;
  /** Adds a second key and schedules a check for now. Refuses with `rotation_under_way` or `domain_not_found`. */
  abstract rotateKey(domainId: string, at: Date): Promise<void>;
  /** Removes a domain with its keys and its schedule. Refuses with `domain_not_found`. */
  abstract remove(domainId: string, at: Date): Promise<void>;
  /**
   * Records what a check found, with all that follows: status, key rotation, and the move of the email service to
   * production. Schedules the next check. Returns the new state; for a removed domain the initial one.
   */
  abstract recordCheck(check: DomainCheck): Promise<SendingDomain>;
}

export interface DueDomain {
  readonly serviceId: string;
  readonly domainId: string;
}

/** The schedule of DNS checks, shared by all replicas. A new domain is due at once. */
export abstract class DomainChecks {
  /** Claims domains whose check is due, each for one caller and two minutes. */
  abstract claimDue(atMost: number): Promise<readonly DueDomain[]>;
}
