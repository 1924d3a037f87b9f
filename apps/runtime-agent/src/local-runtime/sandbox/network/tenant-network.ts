import { randomInt } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import pLimit from 'p-limit';
import {
  type AddressBlock,
  blockText,
  FIRST_SLOT,
  platformAddress,
  SLOTS,
  slotAddresses,
  slotName,
  slotOfName,
} from './address-block.js';
import { claimBlock, claims, clearAbandoned, releaseClaim } from './block-claim.js';
import { closedChains } from './closed-chains.js';
import { inwardPorts, makeNamespace, type NamespaceRequest } from './make-namespace.js';
import type { NetworkHost } from './network-host.js';
import { RuleTable } from './rule-table.js';
import type { AllowedConnection, NetworkPolicy, OpenPort } from './ruleset.js';

/** The network namespace of one sandbox. */
export interface SandboxNetwork {
  readonly id: string;
  /** The path of the namespace, for nsenter. */
  readonly namespace: string;
  /** The IPv4 address at which its processes are reached, from the machine and from sandboxes with a permission. */
  readonly address: string;
  /**
   * Wraps a command to run in the namespace. It must still have Postern's permissions when it starts: the rest of the command drops
   * them.
   */
  wrap(argv: readonly string[]): readonly string[];
}

/** What the processes of a namespace may connect to. `nothing`: they only answer those that may connect to them. */
export type Reach = 'internet' | 'nothing';

export interface NetworkOptions {
  readonly reach: Reach;
  /** A port that reaches programs in the namespace too if they listen on 127.0.0.1 only. */
  readonly inwardPort?: number;
  /** The address of an earlier namespace, which is used again if it is free. */
  readonly address?: string | undefined;
}

export interface TenantNetworksOptions {
  readonly home: string;
  /** The network from which each installation takes a block. */
  readonly pool: AddressBlock;
  readonly host: NetworkHost;
}

/** A link to a sandbox; its id is empty until it is complete. */
interface SlotLink {
  readonly name: string;
  readonly slot: number;
  readonly id: string;
}

interface Link {
  readonly ifname: string;
  readonly ifalias?: string;
}

/** Addresses and routes of namespaces are made one after another; more at a time are not faster. */
const oneAtATime = pLimit(2);

/**
 * The network namespaces of one installation. The kernel holds all state, so that it outlives this process: each link has the id of
 * its sandbox as its alias, and permissions are elements of a set of nftables.
 */
export class TenantNetworks {
  #next: number;
  /** The rules and permissions of the installation. */
  readonly rules: RuleTable;

  private constructor(
    readonly block: AddressBlock,
    private readonly host: NetworkHost,
    private readonly closedUplinks: readonly string[],
  ) {
    this.rules = new RuleTable(host, block);
    // Addresses are not used again soon: a stale connection then meets nobody.
    this.#next = randomInt(FIRST_SLOT, SLOTS);
  }

  /** Claims a block of the pool for the home, and removes what installations left whose home was deleted. */
  static async open({ home, pool, host }: TenantNetworksOptions): Promise<TenantNetworks> {
    await clearAbandoned(block => TenantNetworks.of(block, host).#clear(), host.claims);
    const path = await realpath(home);
    const block = await claimBlock(path, pool, host);
    // The block of an earlier pool.
    for (const claim of await claims(host.claims))
      if (claim.home === path && claim.block.first !== block.first) await TenantNetworks.of(claim.block, host).#clear();
    const closedUplinks = await host.turnOnForwarding();
    const networks = new TenantNetworks(block, host, closedUplinks);
    await networks.#removeWhere(id => id === '');
    return networks;
  }

  /** The networks of a block that another process has claimed and set up. */
  static of(block: AddressBlock, host: NetworkHost): TenantNetworks {
    return new TenantNetworks(block, host, []);
  }

  /** Chains of other firewalls that drop packets of sandboxes. An error of nft is none: these rules would not work either. */
  closedChains(): Promise<readonly string[]> {
    return closedChains(args => this.host.run(this.host.programs.nft, args)).catch(() => []);
  }

  /** The address at which sandboxes reach the platform. */
  get platformAddress(): string {
    return platformAddress(this.block);
  }

  /** Replaces the rules. Open connections and permissions continue. */
  async apply(policy: Omit<NetworkPolicy, 'closedUplinks'>): Promise<void> {
    const { ip } = this.host.programs;
    // A packet to a sandbox that is gone must not leave the machine by its default route.
    await this.host.run(ip, ['route', 'replace', 'unreachable', blockText(this.block)]);
    await this.rules.apply({ ...policy, closedUplinks: this.closedUplinks });
  }

  /** @throws if this machine does not let Postern create a namespace. */
  async tryOut(): Promise<void> {
    const id = `try-${process.pid}`;
    await this.create(id, { reach: 'internet', inwardPort: 1 });
    await this.release(id);
  }

  /** Creates the namespace of a sandbox, or replaces the one that it has. */
  create(id: string, options: NetworkOptions): Promise<SandboxNetwork> {
    return oneAtATime(async () => {
      const links = await this.#links();
      await this.#remove(id, links);
      const taken = new Set(links.map(({ slot }) => slot));
      const before = this.#slotOf(options.address);
      for (let tries = 0; tries < SLOTS; tries += 1) {
        const slot = tries === 0 && before !== undefined ? before : this.#takeSlot();
        if (taken.has(slot)) continue;
        if (await this.#make(id, slot, options)) return this.#networkOf(id, slot);
      }
      throw new Error(`all ${SLOTS - FIRST_SLOT} networks of sandboxes are in use`);
    });
  }

  /** Replaces the `inwardPort` of a namespace by these ports. */
  async reachInward(network: SandboxNetwork, ports: readonly number[]): Promise<void> {
    await this.filter(network, inwardPorts(ports));
  }

  /** Filters connections inside a namespace, where no process of the sandbox can change the filter. */
  async filter({ namespace }: SandboxNetwork, rules: string): Promise<void> {
    const { nft, nsenter } = this.host.programs;
    await this.host.run(nsenter, [`--net=${namespace}`, '--', nft, '-f', '-'], rules);
  }

  /** The namespace of a sandbox that was created before, possibly by an earlier process. */
  async find(id: string): Promise<SandboxNetwork | undefined> {
    const link = (await this.#links()).find(each => each.id === id);
    return link && this.#networkOf(id, link.slot);
  }

  /** The sandboxes that have a namespace, whichever process created it. */
  async ids(): Promise<readonly string[]> {
    return (await this.#links()).map(({ id }) => id);
  }

  /** Removes the namespace of a sandbox and its permissions. Cuts all connections, even if processes are left inside. */
  release(id: string): Promise<void> {
    return oneAtATime(async () => this.#remove(id, await this.#links()));
  }

  /** Lets one sandbox connect to a port of another, until `deny` or the release of either. */
  allow(connection: AllowedConnection): Promise<void> {
    return this.rules.allow(connection);
  }

  /** Revokes a permission; open connections of it end too. */
  deny(connection: AllowedConnection): Promise<void> {
    return this.rules.deny(connection);
  }

  /** The permissions in force. */
  allowed(): Promise<readonly AllowedConnection[]> {
    return this.rules.allowed();
  }

  /** Whether networks outside of the machine can be let in to sandboxes. */
  get areReachable(): boolean {
    return this.host.isReachable;
  }

  /**
   * Opens a port of a sandbox to exactly these networks outside of the machine. It answers them, and still connects to nothing itself.
   * Open connections from other networks end.
   * @param ending runs before and after a change, because the end of a connection is not let through any more afterwards.
   */
  async openTo(
    { address, namespace }: SandboxNetwork,
    port: number,
    networks: readonly string[],
    ending: () => Promise<void>,
  ): Promise<void> {
    const open: OpenPort = { destination: address, port };
    if (await this.rules.isOpenTo(open, networks)) return;
    await ending();
    const { ip, nsenter } = this.host.programs;
    const { platform } = slotAddresses(this.block, this.#slotOf(address)!);
    const route = networks.length === 0 ? ['flush', 'default'] : ['replace', 'default', 'via', platform];
    await this.host.run(nsenter, [`--net=${namespace}`, '--', ip, '-4', 'route', ...route]);
    await this.rules.openTo(open, networks);
    await ending();
  }

  /** Removes all namespaces, rules and routes of the installation, and releases its block. */
  async dismantle(): Promise<void> {
    if (this.host.hasEnded()) await releaseClaim(this.block, this.host.claims);
    else await this.#clear();
    await this.host.end();
  }

  async #clear(): Promise<void> {
    await this.#removeWhere(() => true);
    await this.rules.remove();
    const { ip } = this.host.programs;
    await this.host.run(ip, ['route', 'delete', 'unreachable', blockText(this.block)]).catch(() => {});
    await releaseClaim(this.block, this.host.claims);
  }

  async #make(id: string, slot: number, { reach, inwardPort }: NetworkOptions): Promise<boolean> {
    const request: NamespaceRequest = {
      ...{ id, reach, name: slotName(this.block, slot), block: blockText(this.block) },
      ...slotAddresses(this.block, slot),
      ...(inwardPort !== undefined && { inwardPort }),
    };
    // Before the namespace exists, so that nothing can start in it without the rule.
    if (reach === 'nothing') await this.rules.enclose(request.sandbox);
    return makeNamespace(this.host, request);
  }

  async #remove(id: string, links: readonly SlotLink[]): Promise<void> {
    for (const { name, slot } of links.filter(link => link.id === id)) {
      await this.#removeNamed(name);
      await this.rules.forget(slotAddresses(this.block, slot).sandbox);
    }
  }

  /** Also those that a killed process has not completed: a link without an id, or a namespace without a link. */
  async #removeWhere(matches: (id: string) => boolean): Promise<void> {
    const links = new Map((await this.#links()).map(({ name, id }) => [name, id]));
    const namespaces = await readdir(this.host.namespaces).catch(() => []);
    const names = [...links.keys(), ...namespaces.filter(name => slotOfName(this.block, name) !== undefined)];
    for (const name of new Set(names)) if (matches(links.get(name) ?? '')) await this.#removeNamed(name);
  }

  /** The link first: a namespace lives on as long as a process or a mount uses it. */
  async #removeNamed(name: string): Promise<void> {
    const { ip } = this.host.programs;
    await this.host.run(ip, ['link', 'delete', name]).catch(unlessAbsent);
    await this.host.run(ip, ['netns', 'delete', name]).catch(unlessAbsent);
  }

  async #links(): Promise<readonly SlotLink[]> {
    const links = JSON.parse(
      await this.host.run(this.host.programs.ip, ['-j', 'link', 'show', 'type', 'veth']),
    ) as Link[];
    return links.flatMap(({ ifname, ifalias = '' }) => {
      const slot = slotOfName(this.block, ifname ?? '');
      return slot === undefined ? [] : [{ name: ifname, slot, id: ifalias }];
    });
  }

  #slotOf(address: string | undefined): number | undefined {
    for (let slot = FIRST_SLOT; slot < SLOTS; slot += 1)
      if (slotAddresses(this.block, slot).sandbox === address) return slot;
    return undefined;
  }

  #takeSlot(): number {
    const slot = this.#next;
    this.#next = slot + 1 < SLOTS ? slot + 1 : FIRST_SLOT;
    return slot;
  }

  #networkOf(id: string, slot: number): SandboxNetwork {
    const name = slotName(this.block, slot);
    const enter = this.host.enter(name);
    const address = slotAddresses(this.block, slot).sandbox;
    return { id, namespace: `${this.host.namespaces}/${name}`, address, wrap: argv => [...enter, ...argv] };
  }
}

const unlessAbsent = (error: Error): void => {
  if (!/Cannot find device|No such file/.test(error.message)) throw error;
};
