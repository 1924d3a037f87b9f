/** What one IP address sent, as a receiver evaluated it (RFC 7489 §7.2). */
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

/** What a receiver saw of a domain: messages by DMARC (RFC 7489), or connections by TLS (RFC 8460). */
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
  /** Of DMARC, those with the most failures first; the totals include those left out. */
  readonly sources: readonly DmarcSource[];
  /** Of TLS, the same. */
  readonly failures: readonly TlsFailure[];
}
