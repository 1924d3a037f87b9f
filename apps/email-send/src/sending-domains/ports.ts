import type { CnameAnswer, RecordState, TxtAnswer } from './domain-records.js';
import type { DkimKey, SendingDomain } from './sending-domain.js';

/** Reads the DNS. Failures are returned: the DNS never causes an exception. */
export abstract class DnsResolver {
  abstract resolveTxt(name: string): Promise<TxtAnswer>;
  abstract resolveCname(name: string): Promise<CnameAnswer>;
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
  /** Adds Ed25519 keys to RSA keys without one, which belong to domains added before Ed25519 support. */
  abstract addMissingEd25519Keys(rsaKeys: readonly DkimKey[]): Promise<void>;
  /** Removes a domain with its keys, its schedule and the reports about it. Refuses with `domain_not_found`. */
  abstract remove(domainId: string, at: Date): Promise<void>;
  /**
   * Records the result of a check and its consequences: status, key rotation, and the move of the email service to
   * production. Schedules the next check. Returns the new state; for a removed domain the initial one.
   */
  abstract recordCheck(check: DomainCheck): Promise<SendingDomain>;
}

/** The public half of an Ed25519 key. */
export interface Ed25519Key {
  readonly rsa_key_id: string;
  readonly selector: string;
  readonly record: string;
}

/** The Ed25519 keys that sign beside RSA keys. They are rotated and deleted together with them. */
export abstract class Ed25519Keys {
  /** The keys beside these RSA keys, in their order. */
  abstract find(rsaKeys: readonly DkimKey[]): Promise<readonly Ed25519Key[]>;
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
