import { domainToASCII, domainToUnicode } from 'node:url';

const ATOM_CHARACTERS = /^[^\s"(),:;<>@[\]\\]+$/u;

/**
 * Every spelling of an address that stored text may contain, ignoring case: A-labels and U-labels of the domain (RFC
 * 5890), both Unicode normal forms, a quoted local part (RFC 5321 §4.1.2), and xtext (RFC 3461 §4).
 */
export const formsOf = (address: string): readonly string[] => {
  const at = address.lastIndexOf('@');
  const locals = [address.slice(0, at)].flatMap(localForms);
  const domains = domainForms(address.slice(at + 1));
  const plain = locals.flatMap(local => domains.map(domain => `${local}@${domain}`));
  return unique([...plain, ...plain.map(xtext)]);
};

/**
 * ASCII texts in lower case; every JSON text that contains a form of the address contains at least one. The case
 * mapping of other letters depends on the locale of the database.
 */
export const asciiTracesOf = (address: string): readonly string[] =>
  unique(
    formsOf(address).map(form =>
      JSON.stringify(form)
        .slice(1, -1)
        .split(/[^\x20-\x7e]+/)
        .reduce((longest, run) => (run.length > longest.length ? run : longest), '')
        .replaceAll(/[A-Z]/g, letter => letter.toLowerCase()),
    ),
  );

const localForms = (local: string): string[] => {
  const normal = unique([local, local.normalize('NFC'), local.normalize('NFD')]);
  return normal.flatMap(form => (ATOM_CHARACTERS.test(form) ? [form, `"${form}"`] : [form]));
};

const domainForms = (domain: string): string[] => {
  if (domain.startsWith('[')) return [domain];
  const lower = domain.toLowerCase();
  return unique([domain, domainToASCII(lower), domainToUnicode(lower)]).filter(form => form !== '');
};

/** The format of ORCPT and Original-Recipient: `+`, `=` and non-printable ASCII as `+XX`. */
const xtext = (address: string): string =>
  address.replaceAll(/[+=]|[^\x21-\x7e]/gu, character =>
    Array.from(Buffer.from(character), octet => `+${octet.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
