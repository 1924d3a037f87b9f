import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ANY_PREFIX } from './address-block.js';
import { runProgram } from './run-program.js';

const FORWARDING = '/proc/sys/net/ipv4/ip_forward';
/** Exists while Postern, and nobody else before it, has turned on forwarding. */
const TURNED_ON = 'forwarding-turned-on';

interface Address {
  readonly ifname: string;
  readonly addr_info: readonly { readonly family: string; readonly local: string }[];
}

/** The IPv4 addresses of this machine. */
export const ownAddresses = async (ip: string): Promise<readonly string[]> => {
  const interfaces = JSON.parse(await runProgram(ip, ['-j', '-4', 'address', 'show'])) as Address[];
  const addresses = interfaces
    .filter(({ ifname }) => ifname !== undefined && !ifname.startsWith(ANY_PREFIX))
    .flatMap(({ addr_info = [] }) => addr_info.map(({ local }) => local));
  return [...new Set(addresses)].sort();
};

/**
 * Turns on the forwarding of packets. @returns the uplinks from which nothing may be forwarded, because it was off before: the
 * machine must not become a router of other networks. @throws if it cannot be turned on.
 */
export const turnOnForwarding = async (ip: string, claims: string): Promise<readonly string[]> => {
  const mark = join(claims, '..', TURNED_ON);
  const isOn = (await readFile(FORWARDING, 'utf8')).trim() === '1';
  if (!isOn) {
    await writeFile(mark, '');
    await writeFile(FORWARDING, '1');
  } else if ((await readFile(mark).catch(() => undefined)) === undefined) return [];
  const routes = JSON.parse(await runProgram(ip, ['-j', '-4', 'route', 'show', 'default'])) as { dev?: string }[];
  return [...new Set(routes.flatMap(({ dev }) => dev ?? []))].sort();
};
