import type { OutboundGuard } from './outbound-guard.js';
import { literalAddress } from './public-address.js';

/** The encoded URL can be longer than the entered one. */
const MAX_LENGTH = 2_048;

/** The protocol of an endpoint, and the unencrypted one that is accepted only where the guard allows private addresses. */
export interface EndpointProtocols {
  readonly secure: string;
  readonly plain?: string;
}

/** A URL is not accepted; the message completes the sentence "url: …". */
export class InvalidEndpointUrl extends Error {
  override readonly name = 'InvalidEndpointUrl';
}

/**
 * Checks the form of a URL that a user entered and the current addresses of its host. Returns the URL that requests will use.
 * @throws InvalidEndpointUrl
 */
export const acceptEndpointUrl = async (
  text: string,
  guard: OutboundGuard,
  { secure, plain }: EndpointProtocols = { secure: 'https:', plain: 'http:' },
): Promise<URL> => {
  // The URL parser removes or encodes these characters, so the stored URL would differ from the entered one.
  if (/[\s\p{Cc}]/u.test(text)) return refuse('must not contain blanks, line breaks or control characters');
  if (!URL.canParse(text)) return refuse('is not a URL');
  const url = new URL(text);
  const allowed = guard.allowsPrivate && plain ? [secure, plain] : [secure];
  if (!allowed.includes(url.protocol))
    return refuse(`must start with ${allowed.map(protocol => `${protocol}//`).join(' or ')}`);
  // The parser leaves the host as it was entered if it does not know the protocol.
  const hostname = URL.parse(`https://${url.hostname}`)?.hostname;
  if (!hostname) return refuse('must name a host');
  url.hostname = hostname;
  if (url.username || url.password) return refuse('must not contain a user name or password');
  if (url.hash) return refuse('must not have a fragment');
  // Removes an empty query or fragment, which requests do not contain.
  Object.assign(url, { search: url.search, hash: '' });
  if (url.href.length > MAX_LENGTH) return refuse(`must have at most ${MAX_LENGTH} characters when it is encoded`);
  if (guard.allowsPrivate) return url;
  try {
    await guard.addressesOf(literalAddress(url) ?? url.hostname);
  } catch {
    return refuse(`${url.hostname} is not a host with a public address`);
  }
  return url;
};

const refuse = (reason: string): never => {
  throw new InvalidEndpointUrl(reason);
};
