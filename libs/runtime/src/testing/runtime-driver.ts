import { randomUUID } from 'node:crypto';
import type { BuildOrder, LogLine, Runtime } from '../runtime.js';
import type { Artefact, ServicePlan } from '../service-plan.js';
import { buildOrderOf, servicePlanOf } from './orders.js';
import type { RuntimeHarness } from './runtime-harness.js';

/** A signal that is never aborted. */
export const never: AbortSignal = new AbortController().signal;

/** Builds, runs and requests web services of one runtime, for the suites of its contract. */
export class RuntimeDriver {
  #harness: RuntimeHarness | undefined;
  readonly #planned = new Set<string>();

  /** Has to be called before the first test. */
  async start(start: () => Promise<RuntimeHarness>): Promise<void> {
    this.#harness = await start();
  }

  async stop(): Promise<void> {
    await this.#harness?.stop();
  }

  get harness(): RuntimeHarness {
    if (!this.#harness) throw new Error('the runtime has not been started');
    return this.#harness;
  }

  get runtime(): Runtime {
    return this.harness.runtime;
  }

  readonly orderOf = async (
    files: Readonly<Record<string, string>>,
    changes: Partial<BuildOrder> = {},
  ): Promise<BuildOrder> => {
    const repositoryUrl = await this.harness.makeRepository(files);
    const { commit } = await this.runtime.resolveSource({ repositoryUrl, branch: undefined }, never);
    return buildOrderOf({ repositoryUrl, commit }, { startCommand: 'node server.mjs', ...changes });
  };

  /** Builds, and logs the output like the platform. */
  readonly build = async (order: BuildOrder, signal = never): Promise<Artefact> => {
    const output = this.runtime.logWriter(order.webServiceId, 'build', order.secrets);
    try {
      return await this.runtime.build(order, output, signal);
    } finally {
      await output.close();
    }
  };

  readonly built = async (server: string): Promise<Artefact> =>
    this.build(await this.orderOf({ 'server.mjs': server }));

  readonly planOf = async (server: string, changes: Partial<ServicePlan> = {}): Promise<ServicePlan> => {
    const webServiceId = changes.webServiceId ?? randomUUID();
    this.#planned.add(webServiceId);
    const artefact = changes.artefact ?? (await this.built(server));
    return servicePlanOf(artefact, { startCommand: 'node server.mjs', deadlineMs: 30_000, ...changes, webServiceId });
  };

  /** Stops all planned services, so that they do not use the machine during the next test. */
  async stopServices(): Promise<void> {
    await Promise.all([...this.#planned].map(webServiceId => this.runtime.stop(webServiceId)));
    this.#planned.clear();
  }

  readonly running = async (server: string, changes: Partial<ServicePlan> = {}): Promise<ServicePlan> => {
    const plan = await this.planOf(server, changes);
    await this.runtime.roll(plan, never);
    return plan;
  };

  readonly request = async ({ webServiceId, name }: ServicePlan, path = '/') =>
    this.harness.request(new URL(path, await this.runtime.urlOf(webServiceId, name)).href);

  readonly answerOf = async (plan: ServicePlan, path?: string): Promise<string> =>
    (await this.request(plan, path)).body;

  readonly isAnswered = async (plan: ServicePlan): Promise<boolean> =>
    this.request(plan).then(
      ({ status }) => status === 200,
      () => false,
    );

  readonly linesOf = (webServiceId: string, tail = 1_000): Promise<readonly LogLine[]> =>
    this.runtime.logs(webServiceId, { tail, since: undefined });
}
