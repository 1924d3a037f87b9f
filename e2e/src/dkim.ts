import { Resolver } from 'node:dns/promises';
import { verifyWithDkimpy } from '@postern/testing';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';

/** The results of an independent verifier for a mail's signatures, with the keys in the DNS at `dnsAddress`. */
export const verifiedSignatures = async (
  raw: Buffer | string,
  dnsAddress: string,
): Promise<readonly { readonly result: string; readonly domain: string | undefined }[]> => {
  const resolver = new Resolver();
  resolver.setServers([dnsAddress]);
  const { results } = await dkimVerify(Buffer.from(raw), {
    resolver: (name: string, type: string) => resolver.resolve(name, type as 'TXT'),
  });
  return results.map(({ status, signingDomain }) => ({ result: status.result, domain: signingDomain }));
};

/** The result of a second verifier (dkimpy, in Python) for each signature. */
export const verifiedByDkimpy = async (
  raw: Buffer | string,
  dnsAddress: string,
): Promise<readonly (boolean | string)[]> => {
  const resolver = new Resolver();
  resolver.setServers([dnsAddress]);
  const message = Buffer.from(raw);
  const [head = ''] = message.toString('latin1').split('\r\n\r\n', 1);
  const signatures = head.replace(/\r\n[ \t]+/g, ' ').match(/^dkim-signature:.*$/gim) ?? [];
  const tag = (signature: string, name: string): string =>
    new RegExp(`[;:]\\s*${name}=\\s*([^;\\s]+)`).exec(signature)?.[1] ?? '';
  const names = signatures.map(signature => `${tag(signature, 's')}._domainkey.${tag(signature, 'd')}`);
  const keys = names.map(async name => [name, (await resolver.resolveTxt(name)).flat().join('')] as const);
  return verifyWithDkimpy(message, Object.fromEntries(await Promise.all(keys)));
};
