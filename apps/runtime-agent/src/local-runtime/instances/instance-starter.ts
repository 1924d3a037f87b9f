import { randomBytes } from 'node:crypto';
import type { ServicePlan } from '@postern/runtime';
import { pickFreePort } from './free-ports.js';
import { homePrefix } from './home-prefix.js';
import { Instance } from './instance.js';
import type { InstanceHost } from './instance-host.js';

/** What is run of an artefact, and where. */
export interface Launch {
  readonly directory: string;
  readonly argv: readonly string[];
}

/** Tells how an artefact is started. @throws when it is gone, or when nothing starts it. */
export type LaunchOf = (artefact: string, startCommand: string | undefined) => Promise<Launch>;

/** Gives every new instance an id, a name and a port of its own. */
export class InstanceStarter {
  /** Being started right now: in the ledger, but nobody's yet. */
  readonly #underWay = new Set<string>();
  readonly #ports = new Set<number>();
  /** Ids of different homes on one machine can be told apart. */
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

  async start(plan: ServicePlan): Promise<Instance> {
    const id = `${this.idPrefix}${randomBytes(6).toString('hex')}`;
    this.#underWay.add(id);
    let port: number | undefined;
    try {
      const launch = await this.launchOf(plan.artefact.reference, plan.startCommand);
      const taken = (await this.host.ledger.list()).map(record => record.port);
      port = await pickFreePort(new Set([...taken, ...this.#ports]));
      this.#ports.add(port);
      const record = {
        id,
        name: `web-${id.slice(-4)}`,
        webServiceId: plan.webServiceId,
        rollId: plan.rollId,
        artefact: plan.artefact.reference,
        port,
        ...(plan.healthCheckPath !== undefined && { healthCheckPath: plan.healthCheckPath }),
        secretNames: Object.keys(plan.environment).filter(name => plan.secrets.includes(plan.environment[name]!)),
      };
      const { environment, secrets } = plan;
      return await Instance.start(this.host, { record, ...launch, environment, secrets });
    } finally {
      // A moment later, when the caller has it.
      setImmediate(() => this.#underWay.delete(id));
      if (port !== undefined) this.#ports.delete(port);
    }
  }
}
