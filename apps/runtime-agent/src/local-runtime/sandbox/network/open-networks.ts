import { mkdir, realpath } from 'node:fs/promises';
import { isPublicAddress, NON_PUBLIC_IPV4 } from '@postern/outbound';
import { claims } from './block-claim.js';
import { ownAddresses } from './host-network.js';
import { nameFilesOf, writeNameFiles } from './name-files.js';
import { type CurrentRules, NetworkGuard } from './network-guard.js';
import { machineHost } from './network-host.js';
import { findNetworkPrograms } from './network-programs.js';
import type { NetworkSettings, ServerAddress } from './network-settings.js';
import { findResolvers } from './resolvers.js';
import { TenantNetworks } from './tenant-network.js';
import { existingUserHost, openUserHost } from './user/user-host.js';

/** Why sandboxes share the network of this machine, in words that follow "because". */
export interface NoNetworks {
  readonly unavailable: string;
}

/** What the local runtime needs to know about the networks of this machine. */
export interface MachineNetworks {
  readonly networks: TenantNetworks | NoNetworks;
  /** The API gateway, as processes of this machine reach it. */
  readonly gateway: ServerAddress;
}

/** Opens the networks of this home. */
export const machineNetworks = async (home: string, settings: NetworkSettings): Promise<MachineNetworks> => {
  const [gateway = { host: '127.0.0.1', port: 8080 }] = settings.platformGatewayAddresses;
  return { networks: await openNetworks(home, settings), gateway };
};

const opened = new Map<string, Promise<TenantNetworks | NoNetworks>>();

/** The networks of the sandboxes of this home, with the rules in force. All parts of a process share them. */
export const openNetworks = (home: string, settings: NetworkSettings): Promise<TenantNetworks | NoNetworks> => {
  const known = opened.get(home);
  if (known) return known;
  const opening = open(home, settings);
  opened.set(home, opening);
  return opening;
};

export const hasNetworks = (found: TenantNetworks | NoNetworks): found is TenantNetworks =>
  found instanceof TenantNetworks;

/** The networks that another process of this home has opened; undefined if there are none. */
export const existingNetworks = async (
  home: string,
  settings: Pick<NetworkSettings, 'platformNftBin'> = {},
): Promise<TenantNetworks | undefined> => {
  const programs = findNetworkPrograms(settings.platformNftBin);
  if ('missing' in programs) return undefined;
  const host = isRoot() ? machineHost(programs) : existingUserHost(home, programs);
  const path = await realpath(home).catch(() => undefined);
  const claim = host && (await claims(host.claims)).find(each => each.home === path);
  return host && claim && TenantNetworks.of(claim.block, host);
};

const isRoot = (): boolean => process.getuid?.() === 0;

const open = async (home: string, settings: NetworkSettings): Promise<TenantNetworks | NoNetworks> => {
  const programs = findNetworkPrograms(settings.platformNftBin);
  if ('missing' in programs) return { unavailable: `${programs.missing.join(' and ')} cannot be found` };
  try {
    await mkdir(home, { recursive: true });
    const host = isRoot() ? machineHost(programs) : await openUserHost(home, programs);
    const networks = await TenantNetworks.open({ home, pool: settings.platformNetworkPool, host });
    const current = () => currentRules(home, networks, settings, programs.ip);
    const rules = await current();
    await rules.apply();
    await networks.tryOut();
    const path = await realpath(home);
    const isClaimed = async () =>
      (await claims(host.claims)).some(claim => claim.home === path && claim.block.first === networks.block.first);
    const guarded = async () => {
      if (!(await isClaimed())) return undefined;
      if (host.hasEnded()) restart();
      return current();
    };
    new NetworkGuard(networks, guarded, rules.version).start();
    return networks;
  } catch (error) {
    return { unavailable: (error as Error).message };
  }
};

/** The next process of Postern makes the network again, and starts the instances in it. */
const restart = (): void => {
  setImmediate(() => {
    throw new Error('the network of web services has ended; this process ends, so that the next one makes another');
  });
};

/** The rules for the settings, and for the name servers and addresses that the machine has now. */
const currentRules = async (
  home: string,
  networks: TenantNetworks,
  settings: NetworkSettings,
  ip: string,
): Promise<CurrentRules> => {
  const { servers, configuration } = await findResolvers(settings.platformResolvers);
  const own = await ownAddresses(ip);
  const policy = {
    resolvers: servers,
    refusedNetworks: NON_PUBLIC_IPV4,
    reachableNetworks: settings.platformReachableNetworks,
    ownAddresses: own,
    ownPublicAddresses: own.filter(isPublicAddress),
    entryPoints: settings.platformGatewayAddresses,
    opensSandboxes: settings.platformDatabaseHost !== undefined,
  };
  return {
    version: JSON.stringify([policy, configuration]),
    apply: async () => {
      const { platformAddress } = networks;
      await writeNameFiles(nameFilesOf(home), { platformAddress, resolvers: configuration });
      await networks.apply(policy);
    },
  };
};
