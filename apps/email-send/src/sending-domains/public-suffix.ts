import { Refusal } from '@postern/contracts/refusal';
import { isPublicName, notPublic } from '@postern/outbound';
import { parse } from 'tldts';

/**
 * Refuses with `invalid_input` a domain below which registries register domains, such as co.uk: it has no owner who sends
 * mail. Suffixes of companies (github.io) are allowed, because their owners can publish the records. Refuses names outside the
 * public DNS too: what the resolvers know of an internal network is not for users. `allowed` are suffixes beside it.
 */
export function requireRegistrable(domain: string, allowed: readonly string[]): void {
  if (!isPublicName(domain, allowed)) throw new Refusal('invalid_input', notPublic(domain));
  const { publicSuffix } = parse(domain, { allowPrivateDomains: false });
  if (publicSuffix !== domain) return;
  throw new Refusal(
    'invalid_input',
    `domain: ${domain} is a public suffix; add the domain that you registered below it, such as example.${domain}`,
  );
}
