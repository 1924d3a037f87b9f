import type { LookupFunction } from 'node:net';

/** The connection settings of one relay. Every timeout is explicit, in milliseconds. */
export interface RelayConfig {
  readonly host: string;
  readonly port: number;
  /** Resolves the host; `dns.lookup`, which occupies a thread until the name server answers, unless set. */
  readonly lookup?: LookupFunction;
  /** `tls`: from the first byte; `starttls`: required, never a silent fallback; `none`: plain text. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly tls?: {
    readonly rejectUnauthorized?: boolean;
    readonly servername?: string;
    readonly ca?: string;
    readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  };
  readonly auth?: { readonly user: string; readonly pass: string };
  /** The client name in EHLO. */
  readonly name: string;
  readonly maxConnections: number;
  /** DNS, TCP, TLS and the greeting together. */
  readonly connectTimeoutMs: number;
  /** Longest silence of the relay within a dialogue; also how long an idle connection is kept. */
  readonly silenceTimeoutMs: number;
  /** Longest wait for the answer to a whole message; RFC 5321 §4.5.3.2.6 allows ten minutes, for filters. */
  readonly answerTimeoutMs: number;
  /** Longest wait for a free connection. */
  readonly queueTimeoutMs: number;
}

/** The extensions in the relay's last EHLO reply. */
export interface RelayOffers {
  readonly dsnOffered: boolean;
  readonly smtpUtf8Offered: boolean;
}
