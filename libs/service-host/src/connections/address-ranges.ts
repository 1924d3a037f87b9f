import { BlockList, isIP } from 'node:net';

/** The named ranges of Fastify. */
const NAMED_RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Parses addresses, CIDR ranges and names of ranges. @throws for any other text. */
export const rangesOf = (entries: readonly string[]): BlockList => {
  const ranges = new BlockList();
  for (const entry of entries.flatMap(name => NAMED_RANGES[name] ?? name)) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const most = family === 'ipv6' ? 128 : 32;
    if (!isIP(address) || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)))
      throw new Error(`${entry} is not an address or a CIDR range`);
    ranges.addSubnet(address, Number(bits ?? most), family);
  }
  return ranges;
};
