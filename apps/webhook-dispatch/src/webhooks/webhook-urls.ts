import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { literalAddress, OutboundGuard } from '@postern/outbound';
import { calledUrl } from './called-url.js';

/** Equals the limit of the contract on the entered URL, because the encoded URL can be longer. */
const MAX_LENGTH = 2_048;

const refuse = (reason: string): never => {
  throw new Refusal('invalid_url', `url: ${reason}`);
};

/** Decides which webhook URLs are accepted. Checks the form of a URL and the current addresses of its host. */
@Injectable()
export class WebhookUrls {
  constructor(private readonly guard: OutboundGuard) {}

  /** Returns the URL that requests will use. Refuses `invalid_url` with the reason. */
  async accept(text: string): Promise<string> {
    // The URL parser removes or encodes these characters, so the stored URL would differ from the entered one.
    if (/[\s\p{Cc}]/u.test(text)) return refuse('must not contain blanks, line breaks or control characters');
    if (!URL.canParse(text)) return refuse('is not a URL');
    const url = new URL(text);
    const allowed = this.guard.allowsPrivate ? ['https:', 'http:'] : ['https:'];
    if (!allowed.includes(url.protocol))
      return refuse(`must start with ${allowed.map(protocol => `${protocol}//`).join(' or ')}`);
    if (url.username || url.password) return refuse('must not contain a user name or password');
    if (url.hash) return refuse('must not have a fragment');
    const called = calledUrl(url);
    if (called.length > MAX_LENGTH) return refuse(`must have at most ${MAX_LENGTH} characters when it is encoded`);
    if (!this.guard.allowsPrivate) await this.#check(url);
    return called;
  }

  async #check(url: URL): Promise<void> {
    try {
      await this.guard.addressesOf(literalAddress(url) ?? url.hostname);
    } catch {
      refuse(`${url.hostname} is not a host with a public address`);
    }
  }
}
