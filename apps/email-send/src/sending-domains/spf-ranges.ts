import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Address ranges of `ip4:` and `ip6:` terms. */
export interface SpfRanges {
  /** Whether the first and the last address of the term's range are in the ranges. */
  covers(term: string): boolean;
}

interface Range {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

export function addressRanges(terms: readonly string[]): SpfRanges {
  const list = new BlockList();
  for (const term of terms) {
    const range = rangeOf(term);
    if (range) list.addSubnet(range.address, range.prefix, range.family);
  }
  return {
    covers: term => {
      const range = rangeOf(term);
      return range !== undefined && ends(range).every(address => list.check(address, range.family));
    },
  };
}

function rangeOf(term: string): Range | undefined {
  const match = /^ip([46]):([^/]+)(?:\/(\d{1,3}))?$/i.exec(term);
  if (!match) return undefined;
  const [, version, address = '', length] = match;
  const bits = version === '4' ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits || !(version === '4' ? isIPv4(address) : isIPv6(address))) return undefined;
  return { address, prefix, family: version === '4' ? 'ipv4' : 'ipv6' };
}

/** The first and the last address of a range. */
function ends({ address, prefix, family }: Range): string[] {
  const bits = family === 'ipv4' ? 32n : 128n;
  const size = 1n << (bits - BigInt(prefix));
  const first = (toNumber(address, family) / size) * size;
  return [first, first + size - 1n].map(value => toText(value, family));
}

function toNumber(address: string, family: Range['family']): bigint {
  if (family === 'ipv4') return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  // The URL parser writes an embedded IPv4 address and every group in hexadecimal.
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const full = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  return full.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

function toText(value: bigint, family: Range['family']): string {
  const width = family === 'ipv4' ? 8n : 16n;
  const count = family === 'ipv4' ? 4 : 8;
  const parts = Array.from({ length: count }, (_, index) =>
    Number((value >> (width * BigInt(count - 1 - index))) & ((1n << width) - 1n)),
  );
  return family === 'ipv4' ? parts.join('.') : parts.map(part => part.toString(16)).join(':');
}
