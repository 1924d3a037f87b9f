/** The messages from one IP address, as evaluated by a receiver (RFC 7489 §7.2). */
export interface DmarcSource {
  readonly sourceIp: string;
  readonly passed: number;
  readonly failed: number;
  /** Messages whose DKIM or SPF domain aligns with From. */
  readonly dkimAligned: number;
  readonly spfAligned: number;
  readonly quarantined: number;
  readonly rejected: number;
  /** A domain that DKIM or SPF authenticates, of messages that fail DMARC if there are any. */
  readonly dkimDomain?: string;
  readonly spfDomain?: string;
}

/** Connections to one mail server that failed for one reason (RFC 8460 §4.3). */
export interface TlsFailure {
  readonly resultType: string;
  readonly mailServer: string;
  readonly sessions: number;
}

/**
 * A report of a receiver about a domain: messages with their DMARC results (RFC 7489), or connections with TLS results (RFC
 * 8460).
 */
export interface DomainReport {
  readonly kind: 'dmarc' | 'tls';
  /** In lower case and A-labels. */
  readonly domain: string;
  readonly reportId: string;
  readonly beginsAt: Date;
  readonly endsAt: Date;
  /** Messages that pass DMARC, or connections with TLS. */
  readonly passed: number;
  readonly failed: number;
  /** DMARC sources, the most failures first; the totals include omitted sources. */
  readonly sources: readonly DmarcSource[];
  /** TLS failures, in the same order and with the same totals. */
  readonly failures: readonly TlsFailure[];
}
