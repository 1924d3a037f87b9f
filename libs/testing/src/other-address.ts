import { networkInterfaces } from 'node:os';

/**
 * An IPv4 address of this machine outside 127.0.0.0/8, as the source address of a second client: all loopback addresses are one
 * client. @throws if the machine has none.
 */
export function otherAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap(found => found ?? []);
  const other = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (!other)
    throw new Error('this machine has no address besides loopback: add one, for example to a dummy interface');
  return other.address;
}
