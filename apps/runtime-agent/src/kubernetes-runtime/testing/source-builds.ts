import { randomUUID } from 'node:crypto';
import type { Artefact, BuildOrder, ServicePlan } from '@postern/runtime';
import { GitRepository } from '@postern/runtime/testing';
import type { KubernetesHarness } from './kubernetes-harness.js';

const never = new AbortController().signal;

export type Files = NonNullable<Parameters<typeof GitRepository.make>[0]>;

/** Builds of repositories that a test makes, and what they serve. */
export class SourceBuilds {
  readonly #repositories: GitRepository[] = [];

  constructor(private readonly harness: KubernetesHarness) {}

  async orderOf(files: Files, changes: Partial<BuildOrder> = {}): Promise<BuildOrder> {
    const repository = await GitRepository.make(files);
    this.#repositories.push(repository);
    return {
      deploymentId: randomUUID(),
      webServiceId: randomUUID(),
      repositoryUrl: repository.url,
      commit: await repository.git('rev-parse', 'HEAD'),
      buildCommand: undefined,
      startCommand: undefined,
      environment: {},
      secrets: [],
      deadlineMs: 60_000,
      ...changes,
    };
  }

  async build(order: BuildOrder): Promise<Artefact> {
    const { runtime } = this.harness;
    const output = runtime.logWriter(order.webServiceId, 'build', []);
    return runtime.build(order, output, never).finally(() => output.close());
  }

  async logOf({ webServiceId }: BuildOrder): Promise<readonly string[]> {
    const said = await this.harness.runtime.logs(webServiceId, { tail: 100, since: undefined });
    return said.map(({ message }) => message);
  }

  planOf(artefact: Artefact, changes: Partial<ServicePlan> = {}): ServicePlan {
    return {
      webServiceId: randomUUID(),
      name: 'shop',
      rollId: randomUUID(),
      artefact,
      startCommand: undefined,
      port: 8080,
      healthCheckPath: undefined,
      minInstances: 1,
      maxInstances: 1,
      environment: {},
      secrets: [],
      deadlineMs: 20_000,
      ...changes,
    };
  }

  /** What an instance answers; it is stopped then. */
  async answerOf(plan: ServicePlan): Promise<string> {
    const { runtime } = this.harness;
    await runtime.roll(plan, never);
    const { body } = await this.harness.ask(await runtime.urlOf(plan.webServiceId, plan.name));
    await runtime.stop(plan.webServiceId);
    return body;
  }

  async removeRepositories(): Promise<void> {
    for (const repository of this.#repositories.splice(0)) await repository.remove();
  }
}
