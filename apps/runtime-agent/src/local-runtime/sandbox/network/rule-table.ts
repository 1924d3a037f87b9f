import { type AddressBlock, namePrefix } from './address-block.js';
import type { NetworkHost } from './network-host.js';
import type { PrivatePort } from './private-network.js';
import {
  type Acquaintance,
  type AllowedConnection,
  type NetworkPolicy,
  type OpenPort,
  rulesetOf,
  SETS,
  type ServedPort,
} from './ruleset.js';

/** The table of nftables of one installation. */
export class RuleTable {
  constructor(
    private readonly host: Pick<NetworkHost, 'programs' | 'run' | 'reached' | 'hasEnded'>,
    private readonly block: AddressBlock,
  ) {}

  get name(): string {
    return namePrefix(this.block);
  }

  /** Replaces the rules. Open connections and the elements of sets continue. */
  async apply(policy: NetworkPolicy): Promise<void> {
    const entryPoints = policy.entryPoints.map(server => ({ ...server, reached: this.host.reached(server) }));
    await this.#run(rulesetOf(this.block, { ...policy, entryPoints }));
  }

  async remove(): Promise<void> {
    // Adding it first makes it no error if it is absent.
    await this.#run(`add table inet ${this.name}\ndelete table inet ${this.name}\n`);
  }

  /** Forbids the sandbox at this address to begin connections. */
  async enclose(address: string): Promise<void> {
    await this.#run(`add element ${this.#set(SETS.enclosed)} { ${address} }\n`);
  }

  /** Lets one sandbox connect to a port of another, until `deny` or the release of either. */
  async allow({ source, destination, port }: AllowedConnection): Promise<void> {
    await this.#run(`add element ${this.#set(SETS.attached)} { ${source} . ${destination} . ${port} }\n`);
  }

  /** Revokes a permission; open connections of it end too. */
  async deny({ source, destination, port }: AllowedConnection): Promise<void> {
    const element = `${this.#set(SETS.attached)} { ${source} . ${destination} . ${port} }`;
    // Adding it first makes it no error if it is absent.
    await this.#run(`add element ${element}\ndelete element ${element}\n`);
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

  /**
   * Opens a port of a sandbox to exactly these networks outside of the machine, in CIDR notation, none of which contains another one.
   * Open connections from other networks end.
   */
  async openTo({ destination, port }: OpenPort, networks: readonly string[]): Promise<void> {
    const script = [
      ...(await this.#openings(port)).map(element => `delete element inet ${this.name} ${element}\n`),
      ...openingsOf({ destination, port }, networks).map(element => `add element inet ${this.name} ${element}\n`),
    ];
    await this.#run(script.join(''));
  }

  async isOpenTo(open: OpenPort, networks: readonly string[]): Promise<boolean> {
    const present = await this.#openings(open.port);
    return JSON.stringify([...present].sort()) === JSON.stringify([...openingsOf(open, networks)].sort());
  }

  /** The elements that open a port, with the names of their sets. */
  async #openings(port: number): Promise<readonly string[]> {
    const networks = (await this.#elements(SETS.outside)).map(elementText);
    const ports = (await this.#elements(SETS.opened)).map(elementText);
    return [
      ...networks.filter(text => text.endsWith(` . ${port}`)).map(text => `${SETS.outside} { ${text} }`),
      ...ports.filter(text => text.startsWith(`${port} : `)).map(text => `${SETS.opened} { ${text} }`),
    ];
  }

  /** Serves exactly these ports at the platform's address, from the given addresses of this machine. */
  async serve(services: readonly ServedPort[]): Promise<void> {
    await this.#run(`flush map ${this.#set(SETS.services)}\n${this.#entries(services)}`);
  }

  /** Serves these ports in addition to the others. */
  async serveToo(services: readonly ServedPort[]): Promise<void> {
    await this.#run(this.#entries(services));
  }

  /** Serves exactly these ports of web services at their private addresses, to exactly these sandboxes. */
  async connectServices(ports: readonly PrivatePort[], pairs: readonly Acquaintance[]): Promise<void> {
    const elements = ports
      .map(({ address, port, served }) => ({ address, port, to: this.host.reached(served) }))
      .map(({ address, port, to }) => `${address} . ${port} : ${to.host} . ${to.port}`)
      .join(', ');
    await this.#run(
      [
        `flush map ${this.#set(SETS.names)}`,
        ...(elements ? [`add element ${this.#set(SETS.names)} { ${elements} }`] : []),
        `flush set ${this.#set(SETS.neighbours)}`,
        this.#introductions(pairs),
      ].join('\n'),
    );
  }

  /** Lets sandboxes reach these private addresses in addition to the others. */
  async introduce(pairs: readonly Acquaintance[]): Promise<void> {
    if (pairs.length > 0) await this.#run(this.#introductions(pairs));
  }

  #introductions(pairs: readonly Acquaintance[]): string {
    const elements = pairs.map(({ source, destination }) => `${source} . ${destination}`).join(', ');
    return elements && `add element ${this.#set(SETS.neighbours)} { ${elements} }\n`;
  }

  #entries(services: readonly ServedPort[]): string {
    const elements = services
      .map(server => ({ ...this.host.reached(server), at: server.port }))
      .map(({ host, port, at }) => `${at} : ${host} . ${port}`)
      .join(', ');
    return elements && `add element ${this.#set(SETS.services)} { ${elements} }\n`;
  }

  /** The elements of all sets, as text for nft; undefined if the rules are gone. */
  async state(): Promise<string | undefined> {
    const table = this.name;
    if (this.host.hasEnded()) return undefined;
    const listed = await this.host
      .run(this.host.programs.nft, ['-j', 'list', 'table', 'inet', table])
      .catch(unlessAbsent);
    if (listed === undefined) return undefined;
    const { nftables } = JSON.parse(listed) as { nftables: Record<string, unknown>[] };
    return nftables
      .map(entry => {
        const { name = '', elem = [] } = (entry['set'] ?? entry['map'] ?? {}) as { name?: string; elem?: unknown[] };
        if (!(name in SETS) || elem.length === 0) return '';
        return `add element inet ${table} ${name} { ${elem.map(elementText).join(', ')} }\n`;
      })
      .join('');
  }

  /** Adds the elements of an earlier state. */
  async restore(state: string): Promise<void> {
    await this.#run(state);
  }

  /** Removes everything that the sets contain about the address. */
  async forget(address: string): Promise<void> {
    const permissions = (await this.allowed()).filter(
      ({ source, destination }) => source === address || destination === address,
    );
    const neighbours = (await this.#elements(SETS.neighbours)).flatMap(element => {
      const [source, destination] = (element as { concat?: [string, string] }).concat ?? [];
      return source === address && destination !== undefined ? [destination] : [];
    });
    const elements = [
      ...neighbours.map(destination => `${this.#set(SETS.neighbours)} { ${address} . ${destination} }`),
      `${this.#set(SETS.enclosed)} { ${address} }`,
      ...permissions.map(each => `${this.#set(SETS.attached)} { ${each.source} . ${each.destination} . ${each.port} }`),
    ];
    // Adding an element first makes it no error if it is absent.
    await this.#run(elements.map(element => `add element ${element}\ndelete element ${element}\n`).join(''));
    for (const element of (await this.#elements(SETS.opened)).map(elementText)) {
      const [port, destination] = element.split(' : ');
      if (destination === address) await this.openTo({ destination, port: Number(port) }, []);
    }
  }

  async #elements(set: string): Promise<readonly unknown[]> {
    const kind = set === SETS.opened ? 'map' : 'set';
    const output = await this.host.run(this.host.programs.nft, ['-j', 'list', kind, 'inet', this.name, set]);
    const { nftables } = JSON.parse(output) as { nftables: Record<string, { elem?: unknown[] }>[] };
    return nftables.flatMap(entry => entry[kind]?.elem ?? []);
  }

  #set(name: string): string {
    return `inet ${this.name} ${name}`;
  }

  async #run(script: string): Promise<void> {
    await this.host.run(this.host.programs.nft, ['-f', '-'], script);
  }
}

const openingsOf = ({ destination, port }: OpenPort, networks: readonly string[]): readonly string[] =>
  networks.length === 0
    ? []
    : [
        // As nft lists them.
        ...networks.map(network => `${SETS.outside} { ${network.replace(/\/32$/, '')} . ${port} }`),
        `${SETS.opened} { ${port} : ${destination} }`,
      ];

/** An element of a set or a map as nft reads it; JSON has concatenations and networks as objects, and an entry of a map as a pair. */
const elementText = (element: unknown): string => {
  if (Array.isArray(element)) return element.map(elementText).join(' : ');
  if (typeof element !== 'object') return String(element);
  const { concat, prefix } = element as { concat?: unknown[]; prefix?: { addr: string; len: number } };
  return prefix ? `${prefix.addr}/${prefix.len}` : concat!.map(elementText).join(' . ');
};

const unlessAbsent = (error: Error): undefined => {
  if (!/No such file/.test(error.message)) throw error;
};
