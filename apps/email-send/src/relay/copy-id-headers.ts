/** Providers whose events contain neither the Message-ID nor the headers of a message, but the value of one header. */
const HEADERS: readonly (readonly [host: RegExp, header: string])[] = [
  [/(?:^|\.)postmarkapp\.com$/i, 'X-PM-Metadata-postern-id'],
  [/(?:^|\.)(?:brevo|sendinblue)\.com$/i, 'X-Mailin-custom'],
];

/** The headers by which events of the relays name a copy. */
export const copyIdHeadersFor = (hosts: readonly string[]): string[] =>
  HEADERS.filter(([pattern]) => hosts.some(host => pattern.test(host))).map(([, header]) => header);
