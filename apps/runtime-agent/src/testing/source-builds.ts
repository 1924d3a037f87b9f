import type { Artefact, BuildOrder, ServicePlan } from '@postern/runtime';
import { buildOrderOf, type Files, GitRepository, never, type RuntimeHarness } from '@postern/runtime/testing';

/** Builds repositories that a test makes, and requests their web services. */
export class SourceBuilds<Harness extends Pick<RuntimeHarness, 'runtime' | 'request'>> {
  readonly #repositories: GitRepository[] = [];

  constructor(readonly harness: Harness) {}

  /** @param prepare adds to the repository what `files` cannot express. */
  async orderOf(
    files: Files,
    changes: Partial<BuildOrder> = {},
    prepare?: (repository: GitRepository) => Promise<unknown>,
  ): Promise<BuildOrder> {
    const repository = await GitRepository.make(files);
    this.#repositories.push(repository);
    await prepare?.(repository);
    const commit = await repository.git('rev-parse', 'HEAD');
    return buildOrderOf({ repositoryUrl: repository.url, commit }, changes);
  }

  async build(order: BuildOrder): Promise<Artefact> {
    const { runtime } = this.harness;
    const output = runtime.logWriter(order.webServiceId, 'build', []);
    return runtime.build(order, output, never).finally(() => output.close());
  }

  async logOf({ webServiceId }: Pick<BuildOrder, 'webServiceId'>): Promise<readonly string[]> {
    const lines = await this.harness.runtime.logs(webServiceId, { tail: 1_000, since: undefined });
    return lines.map(({ message }) => message);
  }

  /** Returns the response of an instance, then stops it. */
  async answerOf(plan: ServicePlan): Promise<string> {
    const { runtime } = this.harness;
    await runtime.roll(plan, never);
    const { body } = await this.harness.request(await runtime.urlOf(plan.webServiceId, plan.name));
    await runtime.stop(plan.webServiceId);
    return body;
  }

  async removeRepositories(): Promise<void> {
    for (const repository of this.#repositories.splice(0)) await repository.remove();
  }
}
