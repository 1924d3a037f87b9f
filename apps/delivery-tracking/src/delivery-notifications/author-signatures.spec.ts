import { describe, expect, it } from '@jest/globals';
import { AuthorSignatures } from './author-signatures.js';

const signatures = new AuthorSignatures({ dnsServers: ['127.0.0.1:9'], privateDomainSuffixes: [] });
const isSigned = (...header: string[]) =>
  signatures.isSigned(Buffer.from(`From: a@b.test\r\n${header.join('\r\n')}\r\n\r\nHello\r\n`), 'a@b.test');
const signature = (tag: string) =>
  `DKIM-Signature: v=1; a=rsa-sha256; d=b.test; s=s; h=from; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA; ${tag}`;

describe('a mail counts as not signed without a delay', () => {
  it.each([
    ['a long run of blanks in its signature', signature(`z=${' '.repeat(500_000)}x`)],
    ['a long run of tabs in its signature', signature(`h=${'\t'.repeat(500_000)}x`)],
    ['a signature of many folded lines', signature(`z=${'\r\n '.repeat(200_000)}x`)],
    ['a long run of blanks in another field', `${' '.repeat(500_000)}x: y\r\n${signature('z=x')}`],
    ['a header of more than 64 KiB', `X-Other: ${'x'.repeat(65_536)}\r\n${signature('z=x')}`],
  ])('if it has %s', async (_, header) => {
    expect(await isSigned(header)).toBe(false);
  });
});
