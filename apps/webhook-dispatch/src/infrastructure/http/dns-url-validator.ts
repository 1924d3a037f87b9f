import { lookup } from 'node:dns/promises';
import { Refusal } from '@postern/contracts';
import type { EndpointAddressCheck } from '../../deliveries/ports.js';
import { isPublicAddress, literalAddress } from './public-address.js';

const LOOKUP_WITHIN_MS = 5_000;

const refuse = (why: string): never => {
  throw new Refusal('invalid_url', `url: ${why}`);
};

/** Judges a URL by its form and by the addresses that its host has now. */
export class ResolvingAddressCheck implements EndpointAddressCheck {
  constructor(private readonly allowPrivate: boolean) {}

  async check(text: string): Promise<void> {
    if (!URL.canParse(text)) return refuse('is no URL');
    const url = new URL(text);
    const allowed = this.allowPrivate ? ['https:', 'http:'] : ['https:'];
    if (!allowed.includes(url.protocol))
      return refuse(`must begin with ${allowed.map(protocol => `${protocol}//`).join(' or ')}`);
    if (url.username || url.password) return refuse('must not carry a user name or password');
    if (url.hash) return refuse('must not have a fragment');
    if (this.allowPrivate) return;
    const hidden = (await this.addressesOf(url)).find(address => !isPublicAddress(address));
    if (hidden) return refuse(`${url.hostname} is at ${hidden}, which is no public address`);
  }

  private async addressesOf(url: URL): Promise<readonly string[]> {
    const literal = literalAddress(url);
    if (literal) return [literal];
    const late = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error('no answer in time')), LOOKUP_WITHIN_MS).unref(),
    );
    try {
      return (await Promise.race([lookup(url.hostname, { all: true }), late])).map(({ address }) => address);
    } catch {
      return refuse(`${url.hostname} cannot be resolved`);
    }
  }
}
