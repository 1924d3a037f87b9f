import { Resolver } from 'node:dns/promises';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';

/** What an independent verifier says of a mail's signatures, with the keys that the DNS at `dnsAddress` publishes. */
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
