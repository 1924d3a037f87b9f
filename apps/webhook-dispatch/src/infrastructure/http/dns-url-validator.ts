import { lookup } from 'node:dns/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { WebhookDispatchConfig } from '../../config.js';
import { WebhookUrlValidator } from '../../webhooks/ports.js';
import { isPublicAddress, literalAddress } from './public-address.js';

const LOOKUP_TIMEOUT_MS = 5_000;

const refuse = (reason: string): never => {
  throw new Refusal('invalid_url', `url: ${reason}`);
};

/** Validates the form of a URL and the current addresses of its host. */
@Injectable()
export class DnsUrlValidator extends WebhookUrlValidator {
  readonly #allowPrivate: boolean;

  constructor(@Inject(CONFIG) { webhooksAllowPrivate }: Pick<WebhookDispatchConfig, 'webhooksAllowPrivate'>) {
    super();
    this.#allowPrivate = webhooksAllowPrivate;
  }

  override async validate(text: string): Promise<void> {
    if (!URL.canParse(text)) return refuse('is not a URL');
    const url = new URL(text);
    const allowed = this.#allowPrivate ? ['https:', 'http:'] : ['https:'];
    if (!allowed.includes(url.protocol))
      return refuse(`must start with ${allowed.map(protocol => `${protocol}//`).join(' or ')}`);
    if (url.username || url.password) return refuse('must not contain a user name or password');
    if (url.hash) return refuse('must not have a fragment');
    if (this.#allowPrivate) return;
    const privateAddress = (await this.#addressesOf(url)).find(address => !isPublicAddress(address));
    if (privateAddress) return refuse(`${url.hostname} resolves to ${privateAddress}, which is not a public address`);
  }

  async #addressesOf(url: URL): Promise<readonly string[]> {
    const literal = literalAddress(url);
    if (literal) return [literal];
    const timeout = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error('the lookup timed out')), LOOKUP_TIMEOUT_MS).unref(),
    );
    try {
      return (await Promise.race([lookup(url.hostname, { all: true }), timeout])).map(({ address }) => address);
    } catch {
      return refuse(`${url.hostname} cannot be resolved`);
    }
  }
}
