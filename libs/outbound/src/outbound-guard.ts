import { isIP, type LookupFunction } from 'node:net';
import { HostResolver } from './host-resolver.js';
import { isPublicAddress } from './public-address.js';

/** An address of a host, as Node.js resolves it. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

export interface OutboundGuardOptions {
  /** Lifts the guard: every address is allowed. For local development and tests. */
  readonly allowPrivate: boolean;
  /** Resolves a host name to all its addresses; {@link HostResolver} with the name servers of the system unless set. */
  readonly resolve?: (hostname: string) => Promise<readonly HostAddress[]>;
  /** Which addresses are public; {@link isPublicAddress} unless set. */
  readonly isPublic?: (address: string) => boolean;
}

/** Longer than a look-up of the resolver, which knows the reason. */
const RESOLVE_TIMEOUT_MS = 6_000;

/**
 * A host has no address, or one that is not public. The error is the same, so that callers cannot enumerate an internal
 * network.
 */
export class NoPublicAddress extends Error {
  override readonly name = 'NoPublicAddress';

  constructor(hostname: string, options?: ErrorOptions) {
    super(`${hostname} is not a host with a public address`, options);
  }
}

/**
 * Resolves and checks the hosts that users choose. A connection must go to an address that {@link addressesOf} or
 * {@link lookup} returned: resolving the name again could give another one (DNS rebinding).
 */
export class OutboundGuard {
  readonly #allowPrivate: boolean;
  readonly #resolve: (hostname: string) => Promise<readonly HostAddress[]>;
  readonly #isPublic: (address: string) => boolean;

  constructor({ allowPrivate, resolve, isPublic = isPublicAddress }: OutboundGuardOptions) {
    this.#allowPrivate = allowPrivate;
    this.#resolve = resolve ?? forNames(new HostResolver());
    this.#isPublic = isPublic;
  }

  /** Whether private addresses are allowed. */
  get allowsPrivate(): boolean {
    return this.#allowPrivate;
  }

  /** Whether a connection to this IP address is allowed. */
  allows(address: string): boolean {
    return this.#allowPrivate || this.#isPublic(address);
  }

  /** All addresses of a host name or literal address, without brackets. @throws NoPublicAddress if one is not allowed. */
  async addressesOf(hostname: string): Promise<readonly HostAddress[]> {
    const family = isIP(hostname);
    const addresses = family > 0 ? [{ address: hostname, family }] : await this.#inTime(hostname);
    if (addresses.length === 0 || !addresses.every(({ address }) => this.allows(address)))
      throw new NoPublicAddress(hostname);
    return addresses;
  }

  /** For `net.connect`, `tls.connect` and undici. They do not call it for a literal address, which {@link allows} checks. */
  readonly lookup: LookupFunction = (hostname, { all, family }, callback) => {
    this.addressesOf(hostname)
      .then(addresses => {
        const wanted = familyNumber(family);
        const usable = wanted === 0 ? addresses : addresses.filter(address => address.family === wanted);
        if (!usable[0]) throw new NoPublicAddress(hostname);
        return usable;
      })
      .then(
        usable => (all ? callback(null, [...usable]) : callback(null, usable[0]!.address, usable[0]!.family)),
        (error: NodeJS.ErrnoException) => callback(error, '', 0),
      );
  };

  async #inTime(hostname: string): Promise<readonly HostAddress[]> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${hostname} was not resolved in time`)), RESOLVE_TIMEOUT_MS).unref();
    });
    try {
      return await Promise.race([this.#resolve(hostname), timeout]);
    } catch (cause) {
      if (this.#allowPrivate) throw cause;
      throw new NoPublicAddress(hostname, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

const forNames =
  (resolver: HostResolver) =>
  (hostname: string): Promise<readonly HostAddress[]> =>
    resolver.resolve(hostname);

const familyNumber = (family: number | 'IPv4' | 'IPv6' | undefined): number =>
  family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : (family ?? 0);
