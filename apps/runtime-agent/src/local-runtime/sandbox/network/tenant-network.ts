import { randomInt } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import pLimit from 'p-limit';
import {
  type AddressBlock,
  blockText,
  FIRST_SLOT,
  namePrefix,
  platformAddress,
  SLOTS,
  slotAddresses,
  slotName,
  slotOfName,
} from './address-block.js';
import { CLAIMS, claimBlock, clearAbandoned, releaseClaim } from './block-claim.js';
import { turnOnForwarding } from './host-network.js';
import { makeNamespace, type NamespaceRequest } from './make-namespace.js';
import type { NetworkPrograms } from './network-programs.js';
import { type AllowedConnection, type NetworkPolicy, rulesetOf, SETS } from './ruleset.js';
import { runProgram } from './run-program.js';

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
}

export interface TenantNetworksOptions {
  readonly home: string;
  /** The network from which each installation takes a block. */
  readonly pool: AddressBlock;
  readonly programs: NetworkPrograms;
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

  private constructor(
    readonly block: AddressBlock,
    private readonly programs: NetworkPrograms,
    private readonly closedUplinks: readonly string[],
  ) {
    // Addresses are not used again soon: a stale connection then meets nobody.
    this.#next = randomInt(FIRST_SLOT, SLOTS);
  }

  /** Claims a block of the pool for the home, and removes what installations left whose home was deleted. */
  static async open({ home, pool, programs }: TenantNetworksOptions): Promise<TenantNetworks> {
    await clearAbandoned(block => TenantNetworks.of(block, programs).dismantle());
    const block = await claimBlock(await realpath(home), pool, programs.ip);
    const closedUplinks = await turnOnForwarding(programs.ip, CLAIMS);
    return new TenantNetworks(block, programs, closedUplinks);
  }

  /** The networks of a block that another process has claimed and set up. */
  static of(block: AddressBlock, programs: NetworkPrograms): TenantNetworks {
    return new TenantNetworks(block, programs, []);
  }

  /** The path of the program of iproute2. */
  get ip(): string {
    return this.programs.ip;
  }

  /** The address at which sandboxes reach the platform. */
  get platformAddress(): string {
    return platformAddress(this.block);
  }

  /** Replaces the rules. Open connections and permissions continue. */
  async apply(policy: Omit<NetworkPolicy, 'closedUplinks'>): Promise<void> {
    const { ip } = this.programs;
    // A packet to a sandbox that is gone must not leave the machine by its default route.
    await runProgram(ip, ['route', 'replace', 'unreachable', blockText(this.block)]);
    await this.#nft(rulesetOf(this.block, { ...policy, closedUplinks: this.closedUplinks }));
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
      await this.#remove(id);
      const taken = new Set((await this.#links()).map(({ slot }) => slot));
      for (let tries = 0; tries < SLOTS; tries += 1) {
        const slot = this.#takeSlot();
        if (taken.has(slot)) continue;
        if (await this.#make(id, slot, options)) return this.#networkOf(id, slot);
      }
      throw new Error(`all ${SLOTS - FIRST_SLOT} networks of sandboxes are in use`);
    });
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
    return oneAtATime(() => this.#remove(id));
  }

  /** Lets one sandbox connect to a port of another, until `deny` or the release of either. */
  async allow({ source, destination, port }: AllowedConnection): Promise<void> {
    await this.#nft(`add element ${this.#set(SETS.attached)} { ${source} . ${destination} . ${port} }\n`);
  }

  /** Revokes a permission; open connections of it end too. */
  async deny({ source, destination, port }: AllowedConnection): Promise<void> {
    const element = `${this.#set(SETS.attached)} { ${source} . ${destination} . ${port} }`;
    // Adding it first makes it no error if it is absent.
    await this.#nft(`add element ${element}\ndelete element ${element}\n`);
  }

  /** The permissions in force. */
  async allowed(): Promise<readonly AllowedConnection[]> {
    const elements = await this.#elements(SETS.attached);
    return elements.flatMap(element => {
      const [source, destination, port] = (element as { concat?: [string, string, number] }).concat ?? [];
      return source !== undefined && destination !== undefined && port !== undefined
        ? [{ source, destination, port }]
        : [];
    });
  }

  /** Serves exactly these ports at the platform's address, from the given addresses of this machine. */
  async serve(services: readonly { readonly host: string; readonly port: number }[]): Promise<void> {
    const map = `inet ${namePrefix(this.block)} ${SETS.services}`;
    const elements = services.map(({ host, port }) => `${port} : ${host} . ${port}`).join(', ');
    await this.#nft(`flush map ${map}\n${elements && `add element ${map} { ${elements} }\n`}`);
  }

  /** Removes all namespaces, rules and routes of the installation, and releases its block. */
  async dismantle(): Promise<void> {
    for (const { name } of await this.#links()) await this.#removeNamed(name);
    await this.#nft(`add table inet ${namePrefix(this.block)}\ndelete table inet ${namePrefix(this.block)}\n`);
    await runProgram(this.programs.ip, ['route', 'delete', 'unreachable', blockText(this.block)]).catch(() => {});
    await releaseClaim(this.block);
  }

  async #make(id: string, slot: number, { reach, inwardPort }: NetworkOptions): Promise<boolean> {
    const request: NamespaceRequest = {
      ...{ id, reach, name: slotName(this.block, slot), block: blockText(this.block) },
      ...slotAddresses(this.block, slot),
      ...(inwardPort !== undefined && { inwardPort }),
    };
    // Before the namespace exists, so that nothing can start in it without the rule.
    if (reach === 'nothing') await this.#nft(`add element ${this.#set(SETS.enclosed)} { ${request.sandbox} }\n`);
    return makeNamespace(this.programs, request);
  }

  async #remove(id: string): Promise<void> {
    const links = (await this.#links()).filter(link => link.id === id);
    for (const { name, slot } of links) {
      await this.#removeNamed(name);
      await this.#forget(slotAddresses(this.block, slot).sandbox);
    }
  }

  /** The link first: a namespace lives on as long as a process or a mount uses it. */
  async #removeNamed(name: string): Promise<void> {
    const { ip } = this.programs;
    await runProgram(ip, ['link', 'delete', name]).catch(unlessAbsent);
    await runProgram(ip, ['netns', 'delete', name]).catch(unlessAbsent);
  }

  async #forget(address: string): Promise<void> {
    for (const permission of await this.allowed())
      if (permission.source === address || permission.destination === address) await this.deny(permission);
    const element = `${this.#set(SETS.enclosed)} { ${address} }`;
    await this.#nft(`add element ${element}\ndelete element ${element}\n`);
  }

  async #links() {
    const links = JSON.parse(await runProgram(this.programs.ip, ['-j', 'link', 'show', 'type', 'veth'])) as Link[];
    return links.flatMap(({ ifname, ifalias = '' }) => {
      const slot = slotOfName(this.block, ifname ?? '');
      return slot === undefined ? [] : [{ name: ifname, slot, id: ifalias }];
    });
  }

  async #elements(set: string): Promise<readonly unknown[]> {
    const output = await runProgram(this.programs.nft, ['-j', 'list', 'set', 'inet', namePrefix(this.block), set]);
    const { nftables } = JSON.parse(output) as { nftables: { set?: { elem?: unknown[] } }[] };
    return nftables.flatMap(entry => entry.set?.elem ?? []);
  }

  #takeSlot(): number {
    const slot = this.#next;
    this.#next = slot + 1 < SLOTS ? slot + 1 : FIRST_SLOT;
    return slot;
  }

  #networkOf(id: string, slot: number): SandboxNetwork {
    const namespace = `/run/netns/${slotName(this.block, slot)}`;
    const enter = [this.programs.nsenter, `--net=${namespace}`, '--'];
    const address = slotAddresses(this.block, slot).sandbox;
    return { id, namespace, address, wrap: argv => [...enter, ...argv] };
  }

  #set(name: string): string {
    return `inet ${namePrefix(this.block)} ${name}`;
  }

  async #nft(script: string): Promise<void> {
    await runProgram(this.programs.nft, ['-f', '-'], script);
  }
}

const unlessAbsent = (error: Error): void => {
  if (!/Cannot find device|No such file/.test(error.message)) throw error;
};
