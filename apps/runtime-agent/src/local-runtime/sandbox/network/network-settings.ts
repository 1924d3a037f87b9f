import { isIPv4 } from 'node:net';
import { flag, text } from '@postern/service-host/config';
import { type AddressBlock, parseBlock } from './address-block.js';

/** A server of this machine, as `address:port`. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface NetworkSettings {
  readonly platformNetworkPool: AddressBlock;
  readonly platformNftBin?: string | undefined;
  readonly platformResolvers: readonly string[];
  readonly platformReachableNetworks: readonly string[];
  readonly platformGatewayAddresses: readonly ServerAddress[];
  readonly platformDatabaseHost?: string | undefined;
  readonly sharedNetwork: boolean;
}

const HOST = /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

const block = (given: string): AddressBlock => parseBlock(given.trim());

const serverAddress = (given: string): ServerAddress => {
  const [, host = '', port = ''] = /^([\d.]+):(\d{1,5})$/.exec(given) ?? [];
  if (!isIPv4(host) || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(`${given} is not an IPv4 address and a port, such as 127.0.0.1:8080`);
  return { host, port: Number(port) };
};

const address = (given: string): string => {
  if (!isIPv4(given)) throw new Error(`${given} is not an IPv4 address`);
  return given;
};

const network = (given: string): string => {
  parseBlock(given);
  return given;
};

/** Parses with a function that throws, so that the message names the setting. */
const parsed =
  <T>(parse: (text: string) => T) =>
  (given: string, context: { addIssue(message: string): void }): T => {
    try {
      return parse(given);
    } catch (error) {
      context.addIssue((error as Error).message);
      return undefined as never;
    }
  };

const each =
  <T>(parse: (text: string) => T) =>
  (given: string): readonly T[] =>
    given === 'none' ? [] : given.split(',').map(entry => parse(entry.trim()));

/** Settings of the operator for the networks of sandboxes on this machine. */
export const networkSettings = {
  platformNetworkPool: text()
    .default('10.208.0.0/12')
    .transform(parsed(block))
    .describe(
      'IPv4 network from which each installation on this machine takes a /20 for the networks of its sandboxes; it must not be in use around the machine.',
    ),
  platformNftBin: text()
    .optional()
    .describe('Path of nft (nftables), which filters the networks of sandboxes; if not set, PATH is searched.'),
  platformResolvers: text()
    .default('none')
    .transform(parsed(each(address)))
    .describe(
      'IPv4 addresses of the name servers that sandboxes use, comma-separated; "none" uses those of the machine, except one on 127.0.0.1.',
    ),
  platformReachableNetworks: text()
    .default('none')
    .transform(parsed(each(network)))
    .describe(
      'Private IPv4 addresses or networks that web services and builds may reach all the same, comma-separated: a package registry of your own, for example.',
    ),
  platformGatewayAddresses: text()
    .default('127.0.0.1:8080')
    .transform(parsed(each(serverAddress)))
    .describe(
      'Addresses and ports of this machine that sandboxes reach as postern.internal, comma-separated: the API gateway first, then its SMTP submission.',
    ),
  platformDatabaseHost: text()
    .regex(HOST, 'must be a host name or an IPv4 address, such as db.example.com')
    .optional()
    .describe(
      'Host name of this machine for databases that their owners open to networks outside, at ports 10000 to 11999; without it, no database can be reached from outside.',
    ),
  sharedNetwork: flag()
    .default(false)
    .describe(
      'Runs web services and databases of several workspaces although they share the network of the machine; only if you alone deploy here.',
    ),
};
