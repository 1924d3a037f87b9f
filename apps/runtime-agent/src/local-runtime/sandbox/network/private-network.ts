import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { InstanceRecords } from '../../instances/instance-records.js';
import type { NameFiles } from './name-files.js';
import { namedServices, PrivateAddresses, type PrivateService } from './private-names.js';
import type { ServedPort } from './ruleset.js';
import type { SandboxNetwork, TenantNetworks } from './tenant-network.js';

/** A web service with the port of the load balancer that serves it. */
export interface ServedService extends PrivateService {
  readonly served: ServedPort;
}

/** A port of a web service at its address within the project, and the load balancer's port that serves it. */
export interface PrivatePort {
  readonly address: string;
  readonly port: number;
  readonly served: ServedPort;
}

export interface PrivateNetworkParts {
  readonly platformHome: string;
  readonly networks: TenantNetworks;
  readonly files: NameFiles;
}

/**
 * The names by which web services of one project reach each other, through the load balancer, and nobody else does: the rules
 * direct a connection to an address of the project only if it comes from a sandbox of the same project.
 */
export class PrivateNetwork {
  readonly #services = new Map<string, ServedService>();
  /** The web service of each sandbox, by the id of its network. */
  readonly #clients = new Map<string, { readonly webServiceId: string; readonly address: string }>();
  readonly #addresses: PrivateAddresses;
  readonly #records: InstanceRecords;
  readonly #oneAtATime = pLimit(1);
  #knowsEarlier = false;

  constructor(private readonly parts: PrivateNetworkParts) {
    this.#addresses = PrivateAddresses.in(parts.platformHome);
    this.#records = new InstanceRecords(parts.platformHome);
  }

  /** Adds web services, or changes their names and ports. */
  async include(services: readonly ServedService[]): Promise<void> {
    await this.#oneAtATime(async () => {
      const changed = services.filter(
        service => JSON.stringify(this.#services.get(service.webServiceId)) !== JSON.stringify(service),
      );
      for (const service of changed) this.#services.set(service.webServiceId, service);
      if (changed.length > 0) await this.#synchronize();
    });
  }

  async exclude(webServiceId: string): Promise<void> {
    await this.#oneAtATime(async () => {
      const projectId = this.#services.get(webServiceId)?.projectId;
      if (projectId === undefined) return;
      this.#services.delete(webServiceId);
      await this.#synchronize();
      const isLast = [...this.#services.values()].every(service => service.projectId !== projectId);
      if (isLast) await rm(this.#hostsOf(projectId), { force: true });
    });
  }

  /** Lets a new sandbox reach the web services of its project. */
  async permit(webServiceId: string, { id, address }: SandboxNetwork): Promise<void> {
    await this.#oneAtATime(async () => {
      this.#clients.set(id, { webServiceId, address });
      const projectId = this.#services.get(webServiceId)?.projectId;
      const addresses = await this.#addressesNow();
      const neighbours = namedServices(this.#services.values()).filter(service => service.projectId === projectId);
      await this.parts.networks.rules.introduce(
        neighbours.map(service => ({ source: address, destination: addresses.get(service.webServiceId)! })),
      );
    });
  }

  /** The files with which processes of the web service resolve names. */
  async filesOf(webServiceId: string): Promise<NameFiles> {
    const service = this.#services.get(webServiceId);
    if (!service) return this.parts.files;
    await this.#oneAtATime(() => this.#writeHosts());
    return { ...this.parts.files, hosts: this.#hostsOf(service.projectId) };
  }

  async #synchronize(): Promise<void> {
    const { networks } = this.parts;
    const services = namedServices(this.#services.values());
    const addresses = await this.#addressesNow();
    const clients = await this.#clientsNow();
    const pairs = clients.flatMap(({ webServiceId, address: source }) => {
      const projectId = this.#services.get(webServiceId)?.projectId;
      return services
        .filter(service => service.projectId === projectId)
        .map(service => ({ source, destination: addresses.get(service.webServiceId)! }));
    });
    const ports = services.map(({ webServiceId, port, served }) => ({
      address: addresses.get(webServiceId)!,
      port,
      served,
    }));
    await networks.rules.connectServices(ports, pairs);
    // A sandbox that ended meanwhile must not leave its permissions: another one gets its address.
    const left = new Set(await networks.ids());
    for (const { id, address } of clients) if (!left.has(id)) await networks.rules.forget(address);
    await this.#writeHosts();
  }

  #addressesNow(): Promise<ReadonlyMap<string, string>> {
    return this.#addresses.assign([...this.#services.keys()].sort());
  }

  /** Also the sandboxes that an earlier process has made. */
  async #clientsNow() {
    const { networks } = this.parts;
    if (!this.#knowsEarlier)
      for (const { id, webServiceId } of await this.#records.list()) {
        const network = this.#clients.has(id) ? undefined : await networks.find(id);
        if (network) this.#clients.set(id, { webServiceId, address: network.address });
      }
    this.#knowsEarlier = true;
    const ids = new Set(await networks.ids());
    for (const id of this.#clients.keys()) if (!ids.has(id)) this.#clients.delete(id);
    return [...this.#clients].map(([id, client]) => ({ id, ...client }));
  }

  /** Writes in place, because running sandboxes have mounted the files. */
  async #writeHosts(): Promise<void> {
    const { files } = this.parts;
    const addresses = await this.#addressesNow();
    const base = await readFile(files.hosts, 'utf8').catch(() => '');
    const services = namedServices(this.#services.values());
    await mkdir(join(files.hosts, '..'), { recursive: true, mode: 0o700 });
    for (const projectId of new Set([...this.#services.values()].map(service => service.projectId))) {
      const own = services.filter(service => service.projectId === projectId);
      const lines = own.map(({ webServiceId, host }) => `${addresses.get(webServiceId)} ${host}\n`);
      const content = `${base}${lines.join('')}`;
      const path = this.#hostsOf(projectId);
      if ((await readFile(path, 'utf8').catch(() => undefined)) !== content)
        await writeFile(path, content, { mode: 0o644 });
    }
  }

  #hostsOf(projectId: string): string {
    if (!/^[A-Za-z0-9-]{1,64}$/.test(projectId)) throw new Error(`${projectId} is not a valid project id`);
    return join(this.parts.files.hosts, '..', `hosts-${projectId}`);
  }
}
