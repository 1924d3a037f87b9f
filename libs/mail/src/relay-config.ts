/** How one relay is reached. Every timeout is explicit, in milliseconds. */
export interface RelayConfig {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte; `starttls`: required, never a silent fallback; `none`: plain text. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly tls?: {
    readonly rejectUnauthorized?: boolean;
    readonly servername?: string;
    readonly ca?: string;
    readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  };
  readonly auth?: { readonly user: string; readonly pass: string };
  /** The name we greet with (EHLO). */
  readonly name: string;
  readonly maxConnections: number;
  /** DNS, TCP, TLS and the greeting together. */
  readonly connectTimeoutMs: number;
  /** Longest silence of the relay within a dialogue; also how long an idle connection is kept. */
  readonly silenceTimeoutMs: number;
  /** Longest wait for a free connection. */
  readonly queueTimeoutMs: number;
}

/** What the relay offers, as its last EHLO said. */
export interface RelayOffers {
  readonly dsnOffered: boolean;
  readonly smtpUtf8Offered: boolean;
}
