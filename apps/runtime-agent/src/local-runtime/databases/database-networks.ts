import type { DatabaseKind, ExternalHost } from '@postern/runtime';
import pLimit from 'p-limit';
import { InstanceRecords } from '../instances/instance-records.js';
import { type AddressBlock, blockText, overlap, parseBlock } from '../sandbox/network/address-block.js';
import type { SandboxNetwork, TenantNetworks } from '../sandbox/network/tenant-network.js';
import { DatabaseFolders, type DatabaseRecord } from './database-folder.js';
import type { LocalServer } from './server-supervisor.js';

/** A client of databases: a sandbox of a web service. */
interface Client {
  readonly webServiceId: string;
  readonly networkId: string;
}

interface Place {
  readonly network: SandboxNetwork;
  /** Whether the network was just created, so that no server can be in it. */
  readonly isNew: boolean;
}

/** The networks of databases. Only instances, builds and commands of attached web services can connect to a database in its network. */
export class DatabaseNetworks {
  readonly #folders: DatabaseFolders;
  readonly #instances: InstanceRecords;
  /** Sandboxes that were prepared by this process; an earlier process has recorded its own. */
  readonly #clients = new Map<string, Client>();
  readonly #oneAtATime = pLimit(1);

  constructor(
    platformHome: string,
    /** Undefined if sandboxes share the network of the machine. */
    private readonly networks: () => Promise<TenantNetworks | undefined>,
    /** The host of this machine at which owners may open databases to networks outside; undefined if they may not. */
    readonly externalHost?: string,
  ) {
    this.#folders = new DatabaseFolders(platformHome);
    this.#instances = new InstanceRecords(platformHome);
  }

  /** The network of a database, which is created if it does not exist; undefined if the machine supports none. */
  place({ databaseId, address }: DatabaseRecord): Promise<Place | undefined> {
    return this.#oneAtATime(async () => {
      const networks = await this.networks();
      if (!networks) return undefined;
      const found = await networks.find(networkOf(databaseId));
      if (found) return { network: found, isNew: false };
      const network = await networks.create(networkOf(databaseId), { reach: 'nothing', address });
      return { network, isNew: true };
    });
  }

  async find(databaseId: string): Promise<SandboxNetwork | undefined> {
    return (await this.networks())?.find(networkOf(databaseId));
  }

  /** Bounds the connections of each client and of all together, so that the server always accepts the platform. */
  async bound({ kind, databaseId, port }: DatabaseRecord, connections: number): Promise<void> {
    const networks = await this.networks();
    const network = await networks?.find(networkOf(databaseId));
    if (!networks || !network) return;
    // PostgreSQL bounds those of the plan itself, after their authentication; Valkey cannot.
    const total = kind === 'relational' ? connections + MOST_BEYOND_PLAN : connections;
    await networks.filter(network, rulesFor(port, connections, total, blockText(networks.block)));
  }

  async externalHostFor(kind: DatabaseKind): Promise<ExternalHost> {
    if (kind === 'key_value') return { refusal: 'a key-value store has no TLS, and cannot be reached from outside' };
    if (this.externalHost === undefined) return { refusal: CLOSED };
    const networks = await this.networks();
    if (!networks) return { refusal: NO_NETWORKS };
    return networks.areReachable ? { host: this.externalHost } : { refusal: USERS };
  }

  /** Lets a new sandbox connect to the databases that are attached to its web service. */
  permit(webServiceId: string, client: SandboxNetwork): Promise<void> {
    return this.#oneAtATime(async () => {
      const networks = await this.networks();
      if (!networks) return;
      await this.#forgetEnded(networks);
      this.#clients.set(client.id, { webServiceId, networkId: client.id });
      for (const id of await this.#folders.ids()) {
        const record = await this.#folders.recordOf(id);
        if (!record?.attachedTo?.includes(webServiceId)) continue;
        const server = await networks.find(networkOf(id));
        if (!server) continue;
        await networks.allow({ source: client.address, destination: server.address, port: record.port });
      }
    });
  }

  /** The networks outside to which a database of this kind may be opened. */
  admissible(cidrs: readonly string[] | undefined, kind: DatabaseKind): readonly string[] | undefined {
    return kind === 'relational' && this.externalHost !== undefined ? cidrs : [];
  }

  /**
   * Makes the permissions of a database match its record. Connections that are no longer permitted are ended before, too, because the end
   * of a connection is not let through any more afterwards.
   */
  update(record: DatabaseRecord, from: Pick<LocalServer, 'disconnect' | 'disconnectOutside'>): Promise<void> {
    // A server that does not run has no connections.
    const disconnect = (addresses: readonly string[]) => from.disconnect(record, addresses).catch(() => undefined);
    const disconnectOutside = () => from.disconnectOutside(record).catch(() => undefined);
    return this.#oneAtATime(async () => {
      const networks = await this.networks();
      const server = await networks?.find(networkOf(record.databaseId));
      if (!networks || !server) return;
      const { port } = record;
      const destination = server.address;
      const clients = await this.#clientsOf(networks, record.attachedTo ?? []);
      const wanted = new Set([...clients.values()]);
      const present = (await networks.allowed()).filter(each => each.destination === destination);
      const revoked = present.filter(each => !wanted.has(each.source) || each.port !== port);
      const addresses = revoked.map(({ source }) => source);
      if (addresses.length > 0) await disconnect(addresses);
      for (const permission of revoked) await networks.deny(permission);
      if (addresses.length > 0) await disconnect(addresses);
      for (const [id, source] of clients) {
        await networks.allow({ source, destination, port });
        // Its address must not keep the permission if it ended meanwhile: another sandbox gets the address.
        if ((await networks.find(id))?.address !== source) await networks.deny({ source, destination, port });
      }
      if (networks.areReachable)
        await networks.openTo(server, port, outermost(record.allowedCidrs ?? []), disconnectOutside);
    });
  }

  /** Cuts all connections to a database. */
  async release(databaseId: string): Promise<void> {
    await (await this.networks())?.release(networkOf(databaseId));
  }

  /** Releases the networks of all other databases. */
  async retain(databaseIds: ReadonlySet<string>): Promise<void> {
    const networks = await this.networks();
    for (const id of (await networks?.ids()) ?? [])
      if (id.startsWith(PREFIX) && !databaseIds.has(id.slice(PREFIX.length))) await networks?.release(id);
  }

  /** The addresses of the sandboxes of these web services by the id of their networks. */
  async #clientsOf(networks: TenantNetworks, webServiceIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const recorded = (await this.#instances.list()).map(({ id, webServiceId }) => ({ networkId: id, webServiceId }));
    const addresses = new Map<string, string>();
    for (const { networkId, webServiceId } of [...recorded, ...this.#clients.values()]) {
      if (!webServiceIds.includes(webServiceId) || addresses.has(networkId)) continue;
      const network = await networks.find(networkId);
      if (network) addresses.set(networkId, network.address);
    }
    return addresses;
  }

  async #forgetEnded(networks: TenantNetworks): Promise<void> {
    const ids = new Set(await networks.ids());
    for (const id of this.#clients.keys()) if (!ids.has(id)) this.#clients.delete(id);
  }
}

const CLOSED =
  'the administrator of the platform has not allowed access to databases from outside, which needs databases.external_host in config.yaml, or POSTERN_PLATFORM_DATABASE_HOST';
export const NO_NETWORKS = 'databases have no networks on this machine, and cannot be reached from outside';
const USERS = 'an ordinary user runs Postern on this machine, whose databases cannot be reached from outside';

const PREFIX = 'database-';

const networkOf = (databaseId: string): string => `${PREFIX}${databaseId}`;

/** Connections of all clients together beyond those of the plan, which they use while they authenticate. */
const MOST_BEYOND_PLAN = 32;

/** Connections from outside together, beyond which those of web services would have too few while they authenticate. */
const MOST_OUTSIDE = 32;
/** Connections of one client outside that begin within a minute, so that it can only try as many passwords. */
const MOST_ATTEMPTS = 60;

const rulesFor = (port: number, perClient: number, total: number, inside: string): string => `
table inet bounds
delete table inet bounds
table inet bounds {
  set clients { type ipv4_addr; flags dynamic; size 4096; }
  set attempts { type ipv4_addr; flags dynamic; size 4096; timeout 1m; }
  chain connections { type filter hook input priority 0; policy accept;
    tcp dport ${port} ct state new ip saddr != ${inside} goto outside
    tcp dport ${port} ct state new add @clients { ip saddr ct count over ${perClient} } reject with tcp reset
    tcp dport ${port} ct state new ct count over ${total} reject with tcp reset
  }
  chain outside {
    update @attempts { ip saddr limit rate over ${MOST_ATTEMPTS}/minute burst ${MOST_OUTSIDE} packets } reject with tcp reset
    add @clients { ip saddr ct count over ${perClient} } reject with tcp reset
    ct count over ${MOST_OUTSIDE} reject with tcp reset
  }
}
`;

/** Without networks that are part of others: nftables accepts none that overlap. */
const outermost = (cidrs: readonly string[]): readonly string[] => {
  const blocks: AddressBlock[] = [];
  for (const block of cidrs.map(parseBlock).sort((one, other) => one.bits - other.bits))
    if (!blocks.some(other => overlap(block, other))) blocks.push(block);
  return blocks.map(blockText);
};
