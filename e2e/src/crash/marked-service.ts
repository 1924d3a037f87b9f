import { randomUUID } from 'node:crypto';
import { waitFor } from '@postern/testing';
import type { Deployment, PlatformWorld, Service } from '../platform/platform-world.js';
import { processesWith } from '../platform/processes.js';
import { type Gates, gatedApp } from './gate.js';

const STATE_WITHIN_MS = 30_000;

/** A web service whose builds and instances can be found in the process table. */
export class MarkedService {
  private constructor(
    readonly service: Service,
    /** An argument of each of its processes. */
    readonly mark: string,
    readonly url: string,
  ) {}

  /** Already runs version one. */
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

  /** Process ids, one per instance. */
  get instances(): readonly number[] {
    return this.processes('node server.js');
  }

  /** All of its processes, including shells. */
  get all(): readonly number[] {
    return processesWith(this.mark).map(({ pid }) => pid);
  }

  /** Requests a deployment of version two, which waits at these gates. */
  deployTwo(gates: Gates = {}): Promise<Deployment> {
    this.service.repository.commit(gatedApp('two', gates));
    return this.service.requestDeployment();
  }

  /** Waits until both releases run: the present one and the new one. */
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
