import { Refusal } from '@postern/contracts/refusal';
import { isPublicName, notPublic } from '@postern/outbound';
import { parse } from 'tldts';

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * The canonical form of a domain: lower case, A-labels, without a final dot. `target` is the host name of the web
 * service, whose parent domain is reserved for the platform; `allowed` are suffixes in addition to the public ones.
 * @throws the refusal `invalid_input`.
 */
export function domainName(text: string, target: string, allowed: readonly string[]): string {
  const domain = asciiOf(text.replace(/\.$/, ''));
  const labels = domain?.split('.') ?? [];
  if (!domain || domain.length > 253 || labels.length < 2 || !labels.every(label => LABEL.test(label)))
    throw invalid(`${text.slice(0, 100)} is not a domain, such as shop.example.com`);
  const { isIp, publicSuffix } = parse(domain, { allowPrivateDomains: false });
  if (isIp) throw invalid('an IP address is not a domain');
  if (!isPublicName(domain, allowed)) throw new Refusal('invalid_input', notPublic(domain));
  if (publicSuffix === domain)
    throw invalid(`${domain} is a public suffix; add the domain that you registered below it`);
  const platform = target.slice(target.indexOf('.') + 1);
  if (platform.includes('.') && (domain === platform || domain.endsWith(`.${platform}`)))
    throw invalid(`${platform} belongs to the platform; add a domain of your own`);
  return domain;
}

/** Converts a name to A-labels with the URL parser, as browsers do (UTS 46). */
const asciiOf = (text: string): string | undefined => {
  if (!/^[\p{L}\p{N}\p{M}.-]+$/u.test(text)) return undefined;
  try {
    return new URL(`http://${text}`).hostname;
  } catch {
    return undefined;
  }
};

const invalid = (message: string): Refusal => new Refusal('invalid_input', `domain: ${message}`);
