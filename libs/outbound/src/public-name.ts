import { parse } from 'tldts';

/** Special-use domains without registrations in the public DNS (RFC 9120, RFC 7686). */
const SPECIAL_USE = ['arpa', 'onion'];

/**
 * Whether a domain can be registered in the public DNS: it ends with a suffix of a registry. Names below other
 * suffixes, such as `internal` and `local`, exist only inside a network. `alsoAllowed` are further suffixes that the
 * operator allows.
 */
export const isPublicName = (domain: string, alsoAllowed: readonly string[] = []): boolean => {
  const name = domain.toLowerCase().replace(/\.$/, '');
  if (alsoAllowed.some(suffix => isBelow(name, suffix.toLowerCase().replace(/^\./, '')))) return true;
  if (SPECIAL_USE.some(suffix => isBelow(name, suffix))) return false;
  return parse(name, { allowPrivateDomains: false }).isIcann === true;
};

/** The description of the setting that allows further suffixes. */
export const PRIVATE_SUFFIXES_DESCRIPTION =
  'Suffixes outside the public DNS below which domains may be added too, comma-separated, such as "corp"; only for installations whose users may see what the resolvers answer for them.';

/** The message for a refused domain, with a remedy. */
export const notPublic = (domain: string): string =>
  `domain: ${domain} does not end with a suffix of the public DNS, such as com; add a domain that is registered there, ` +
  'or ask the operator to allow its suffix with POSTERN_PRIVATE_DOMAIN_SUFFIXES';

const isBelow = (name: string, suffix: string): boolean => name === suffix || name.endsWith(`.${suffix}`);
