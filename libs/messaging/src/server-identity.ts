import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { NodeConnectionOptions } from '@nats-io/transport-node';
import type { NatsOptions } from './connection.js';

type Tls = NonNullable<NodeConnectionOptions['tls']>;

/**
 * Verifies the names in the certificates of the servers. The client passes `localhost` for a server that is configured by
 * its IP address; such a server must have one of the configured addresses in its certificate.
 */
export class ServerIdentity {
  #validUntil: Date | undefined;
  private readonly addresses: readonly string[];
  private readonly isLocalhost: boolean;

  constructor(hosts: readonly string[]) {
    this.addresses = hosts.filter(host => isIP(host) > 0);
    this.isLocalhost = hosts.includes('localhost');
  }

  /** When the certificate of the server of the last connection expires. */
  get validUntil(): Date | undefined {
    return this.#validUntil;
  }

  readonly check = (host: string, certificate: PeerCertificate): Error | undefined => {
    const failure = this.failureOf(host, certificate);
    if (!failure) this.#validUntil = new Date(certificate.valid_to);
    return failure;
  };

  private failureOf(host: string, certificate: PeerCertificate): Error | undefined {
    if (host !== 'localhost' || this.addresses.length === 0) return checkServerIdentity(host, certificate);
    const accepted = this.isLocalhost ? [host, ...this.addresses] : this.addresses;
    const failures = accepted.map(name => checkServerIdentity(name, certificate));
    return failures.includes(undefined) ? undefined : failures[0];
  }
}

/**
 * The TLS options of a connection; undefined if it may be unencrypted. The client ignores the scheme of a URL, and without
 * these options it sends the password to any server that accepts the connection.
 */
export const encryptionOf = ({
  servers,
  tls,
  user,
  token,
  clearText = false,
}: NatsOptions): { readonly tls: Tls; readonly identity: ServerIdentity } | undefined => {
  const urls = [servers].flat().flatMap(server => server.split(',').map(url => url.trim()));
  const isRequested = tls != null || urls.some(url => /^tls:/i.test(url));
  const isSecret = Boolean(user ?? token);
  if (!isRequested && (clearText || !isSecret)) return undefined;
  const identity = new ServerIdentity(urls.map(hostOf));
  return { tls: { ...tls, checkServerIdentity: identity.check } as Tls, identity };
};

const hostOf = (url: string): string =>
  url
    .replace(/^\w+:\/\//, '')
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '');
