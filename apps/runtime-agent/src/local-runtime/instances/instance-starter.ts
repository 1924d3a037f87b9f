import { randomBytes } from 'node:crypto';
import type { RunOrder, ServicePlan } from '@postern/runtime';
import { pickFreePort } from './free-ports.js';
import { homePrefix } from './home-prefix.js';
import { Instance } from './instance.js';
import type { InstanceHost, InstanceSize } from './instance-host.js';

/** What the configuration of an image tells about its processes. */
export interface LaunchedImage {
  readonly environment: Readonly<Record<string, string>>;
  /** A name or a number, with a group or without one. */
  readonly user?: string | undefined;
}

/** How a command of an artefact is started. */
export interface Launch {
  /** The folder of the artefact. */
  readonly directory: string;
  /** The working directory, relative to `directory`. */
  readonly folder: string;
  readonly argv: readonly string[];
  /** Set if the artefact is an image. */
  readonly image?: LaunchedImage;
}

/**
 * Returns how an artefact, or one of its process types, is started. @throws if it does not exist or has no start
 * command.
 */
export type LaunchOf = (
  artefact: string,
  startCommand: string | undefined | { readonly processType: string },
) => Promise<Launch>;

/** Starts instances, each with its own id, name and port. */
export class InstanceStarter {
  /** Ids of instances that are being started: recorded, but not yet returned to the caller. */
  readonly #underWay = new Set<string>();
  readonly #ports = new Set<number>();
  /** Web services of which an instance with the disk is being started. */
  readonly #disks = new Set<string>();
  /** Distinguishes the instance ids of different homes on one machine. */
  readonly idPrefix: string;

  constructor(
    private readonly host: InstanceHost,
    private readonly launchOf: LaunchOf,
    platformHome: string,
  ) {
    this.idPrefix = homePrefix(platformHome);
  }

  isUnderWay(id: string): boolean {
    return this.#underWay.has(id);
  }

  /** @throws unless the artefact has all process types of the plan. */
  async checkProcesses({ artefact, processes = {} }: ServicePlan): Promise<void> {
    for (const [processType, count] of Object.entries(processes))
      if (count > 0) await this.launchOf(artefact.reference, { processType });
  }

  /** Starts a process that gets no traffic. */
  async startProcess(plan: ServicePlan, processType: string): Promise<Instance> {
    const id = this.#newId();
    try {
      const launch = await this.launchOf(plan.artefact.reference, { processType });
      const record = { ...this.#recordOf(plan, id), name: `${processType}-${id.slice(-4)}`, processType };
      const { environment, files, secrets } = plan;
      return await Instance.start(this.host, { record, ...launch, environment, files, secrets });
    } finally {
      this.#handOver(id);
    }
  }

  async start(plan: ServicePlan, publicHost: string | undefined): Promise<Instance> {
    const id = this.#newId();
    let port: number | undefined;
    let hasDisk = false;
    try {
      if (plan.disk) await this.#claimDisk(plan.webServiceId);
      hasDisk = plan.disk !== undefined;
      const launch = await this.launchOf(plan.artefact.reference, plan.startCommand);
      port = this.host.confinement.hasNetworks ? plan.port : await this.#takeFreePort();
      const { healthCheckPath, healthCheck, firstByteSeconds, drainSeconds, disk } = plan;
      const record = {
        ...this.#recordOf(plan, id),
        name: `web-${id.slice(-4)}`,
        port,
        ...(healthCheckPath !== undefined && { healthCheckPath }),
        ...(healthCheck && { healthCheck }),
        ...(firstByteSeconds !== undefined && { firstByteSeconds }),
        ...(drainSeconds !== undefined && { drainSeconds }),
        ...(publicHost !== undefined && { publicHost }),
        ...(disk && { disk }),
      };
      const { environment, files, secrets } = plan;
      return await Instance.start(this.host, { record, ...launch, environment, files, secrets });
    } finally {
      this.#handOver(id);
      if (port !== undefined) this.#ports.delete(port);
      if (hasDisk) this.#disks.delete(plan.webServiceId);
    }
  }

  /** A port of the network that all instances share. */
  async #takeFreePort(): Promise<number> {
    const taken = (await this.host.instanceRecords.list()).flatMap(record => record.port ?? []);
    const port = await pickFreePort(new Set([...taken, ...this.#ports]));
    this.#ports.add(port);
    return port;
  }

  /** Starts a command without a port. Its output is logged as `stream` instead of stdout and stderr, or goes to a terminal. */
  async startCommand(
    order: RunOrder,
    { stream, terminal }: { readonly stream?: 'build' | undefined; readonly terminal?: number | undefined } = {},
  ): Promise<Instance> {
    const id = this.#newId();
    try {
      const launch = await this.launchOf(order.artefact.reference, order.command);
      const { webServiceId, runId, instance, artefact, size, environment, files, secrets } = order;
      const record = {
        id,
        name: instance,
        webServiceId,
        rollId: runId,
        artefact: artefact.reference,
        command: { id: runId, ...(stream && { stream }), ...(terminal !== undefined && { hasTerminal: true }) },
        ...(size && { size: sizeOf(size) }),
        secretNames: secretNamesOf(order),
      };
      return await Instance.start(this.host, { record, ...launch, environment, files, secrets, terminal });
    } finally {
      this.#handOver(id);
    }
  }

  /** @throws while another instance with the disk is being started or recorded, even after a restart of Postern. */
  async #claimDisk(webServiceId: string): Promise<void> {
    if (this.#disks.has(webServiceId)) throw new Error('another instance with the disk is starting');
    this.#disks.add(webServiceId);
    try {
      const records = await this.host.instanceRecords.list();
      const holder = records.find(({ webServiceId: of, disk }) => of === webServiceId && disk);
      if (holder) throw new Error(`the instance ${holder.name} still uses the disk`);
    } catch (error) {
      this.#disks.delete(webServiceId);
      throw error;
    }
  }

  #recordOf(plan: ServicePlan, id: string) {
    return {
      id,
      webServiceId: plan.webServiceId,
      rollId: plan.rollId,
      artefact: plan.artefact.reference,
      ...(plan.instance && { size: sizeOf(plan.instance) }),
      secretNames: secretNamesOf(plan),
    };
  }

  #newId(): string {
    const id = `${this.idPrefix}${randomBytes(6).toString('hex')}`;
    this.#underWay.add(id);
    return id;
  }

  /** Deferred until the caller has received the instance. */
  #handOver(id: string): void {
    setImmediate(() => this.#underWay.delete(id));
  }
}

const secretNamesOf = ({ environment, secrets }: Pick<ServicePlan, 'environment' | 'secrets'>): string[] =>
  Object.keys(environment).filter(name => secrets.includes(environment[name]!));

const sizeOf = ({ memoryMib, cpuMillicores }: NonNullable<ServicePlan['instance']>): InstanceSize => ({
  memoryBytes: memoryMib * 2 ** 20,
  cpuMillicores,
});
