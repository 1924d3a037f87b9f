import { Refusal } from '@postern/contracts/refusal';
import { isPublicName, notPublic } from '@postern/outbound';
import { parse } from 'tldts';

/**
 * Refuses with `invalid_input` a domain below which registries register domains, such as co.uk: no single owner sends mail
 * from it. Suffixes of companies (github.io) are allowed, because their owners can publish the records. Refuses names
 * outside the public DNS too, except below the suffixes `allowed`, because records of internal networks must not be
 * disclosed to users.
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

/** The domain that its owner registered (RFC 7489 §3.2): `example.co.uk` for `mail.example.co.uk`. */
export const organizationalDomain = (domain: string): string =>
  parse(domain, { allowPrivateDomains: true }).domain ?? domain;
