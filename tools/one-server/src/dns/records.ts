import { createPrivateKey, createPublicKey } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import type { Configuration } from '../configuration/schema.js';
import { SecretStore } from '../machine/secret-store.js';
import { mailNamesOf } from '../rendering/model.js';

/** A DNS record to publish. */
export interface DnsRecord {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'MX' | 'TXT';
  readonly value: string;
  readonly purpose: string;
}

export interface ServerAddresses {
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}

const PRIVATE_IPV4 =
  /^(10\.|127\.|169\.254\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;

/** The public addresses of this machine. */
export const serverAddresses = (): ServerAddresses => {
  const all = Object.entries(networkInterfaces())
    .filter(([name]) => !name.startsWith('pst'))
    .flatMap(([, addresses = []]) => addresses)
    .filter(({ internal }) => !internal);
  return {
    ipv4: all
      .filter(({ family, address }) => family === 'IPv4' && !PRIVATE_IPV4.test(address))
      .map(({ address }) => address),
    ipv6: all.filter(({ family, address }) => family === 'IPv6' && /^[23]/.test(address)).map(({ address }) => address),
  };
};

/** The DKIM record of the sandbox domain. @param key a PEM in base64. */
const dkimRecord = (key: string): string => {
  const publicKey = createPublicKey(createPrivateKey(Buffer.from(key, 'base64').toString()));
  return `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
};

/** Every record that the installation needs; sending domains have their own. */
export const recordsOf = (
  configuration: Configuration,
  { ipv4, ipv6 }: ServerAddresses,
  dkimKey: string | undefined,
): readonly DnsRecord[] => {
  const { host, apps, mail, databases } = configuration;
  const names = mailNamesOf(configuration);
  const addresses = (name: string, purpose: string): DnsRecord[] => [
    ...ipv4.map(value => ({ name, type: 'A', value, purpose }) as const),
    ...ipv6.map(value => ({ name, type: 'AAAA', value, purpose }) as const),
  ];
  const senders = [...ipv4.map(each => `ip4:${each}`), ...ipv6.map(each => `ip6:${each}`)];
  const spf =
    mail.send === 'direct' ? `v=spf1 ${senders.join(' ')} -all` : 'v=spf1 include:<the SPF name of your relay> -all';
  const txt = (name: string, value: string, purpose: string): DnsRecord => ({ name, type: 'TXT', value, purpose });
  return [
    ...addresses(host, 'gateway and dashboard'),
    ...(apps === undefined ? [] : addresses(`*.${apps}`, 'web services')),
    // Databases are reached over IPv4 only.
    ...addresses(databases.external_host ?? '', 'databases that their owners open').filter(
      ({ name, type }) => name !== '' && name !== host && type === 'A',
    ),
    ...addresses(names.mx, 'incoming reports, and the name of this mail server'),
    { name: names.bounces, type: 'MX', value: `10 ${names.mx}.`, purpose: 'bounces' },
    txt(names.spf, spf, 'SPF of sending domains'),
    txt(names.bounces, `v=spf1 include:${names.spf} -all`, 'SPF of return paths'),
    txt(`*._report._dmarc.${names.bounces}`, 'v=DMARC1', 'DMARC reports about customers'),
    txt(names.sandbox, `v=spf1 include:${names.spf} -all`, 'SPF of the sandbox'),
    ...(dkimKey === undefined
      ? []
      : [txt(`postern._domainkey.${names.sandbox}`, dkimRecord(dkimKey), 'DKIM of the sandbox')]),
    txt(`_dmarc.${names.sandbox}`, 'v=DMARC1; p=none', 'DMARC of the sandbox'),
  ];
};

/** The records of this machine. */
export const records = async (configuration: Configuration): Promise<readonly DnsRecord[]> =>
  recordsOf(configuration, serverAddresses(), new SecretStore().read('sandbox-dkim-key'));
