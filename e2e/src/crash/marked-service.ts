import { randomUUID } from 'node:crypto';
import { waitFor } from '@postern/testing';
import type { Deployment, PlatformWorld, Service } from '../platform/platform-world.js';
import { processesWith } from '../platform/processes.js';
import { type Gates, gatedApp } from './gate.js';

const STATE_WITHIN_MS = 30_000;

/** A web service of which every build and instance is found among the processes of the machine. */
export class MarkedService {
  private constructor(
    readonly service: Service,
    /** Among the arguments of each of its processes. */
    readonly mark: string,
    readonly url: string,
  ) {}

  /** Runs as version one already. */
  static async running(platform: PlatformWorld, gates: Gates = {}): Promise<MarkedService> {
    const mark = `story-${randomUUID()}`;
    const service = await platform.service(gatedApp('one', gates), {
      build_command: `node build.js ${mark}`,
      start_command: `exec node server.js ${mark}`,
    });
    await service.deploy();
    return new MarkedService(service, mark, await service.url());
  }

  get builds(): readonly number[] {
    return this.processes('node build.js');
  }

  /** One for each instance. */
  get instances(): readonly number[] {
    return this.processes('node server.js');
  }

  /** Everything of it, shells and all. */
  get all(): readonly number[] {
    return processesWith(this.mark).map(({ pid }) => pid);
  }

  /** Asks for version two, which passes these gates. */
  deployTwo(gates: Gates = {}): Promise<Deployment> {
    this.service.repository.commit(gatedApp('two', gates));
    return this.service.requestDeployment();
  }

  /** Both releases are there: the one that serves, and the one that is on its way up. */
  untilTwoInstances(): Promise<unknown> {
    return this.until(() => this.instances.length === 2, 'two instances');
  }

  until(condition: () => boolean | Promise<boolean>, describe: string): Promise<unknown> {
    return waitFor(condition, { timeoutMs: STATE_WITHIN_MS, intervalMs: 20, describe });
  }

  private processes(command: string): readonly number[] {
    return processesWith(this.mark)
      .filter(process => process.command === `${command} ${this.mark}`)
      .map(({ pid }) => pid);
  }
}
