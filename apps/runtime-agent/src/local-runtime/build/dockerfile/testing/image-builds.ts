import { randomUUID } from 'node:crypto';
import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Artefact, BuildOrder, RunEnd, ServicePlan } from '@postern/runtime';
import { type Files, GitRepository } from '@postern/runtime/testing';
import { machineOf } from '../../../../infrastructure/builders/machine.js';
import { isProgram } from '../../../../infrastructure/is-program.js';
import { LocalHarness } from '../../../testing/local-harness.js';
import { programPath } from '../../host-environment.js';
import { findContainerTool } from '../container-tool.js';

const never = new AbortController().signal;
const BUSYBOX = ['/bin/busybox', '/usr/bin/busybox'];

/** What this machine lacks to build images, where it lacks something. BusyBox is what they consist of. */
export const missingForImages = (): string | undefined => {
  const answer = findContainerTool(machineOf(programPath(process.env)), true);
  if ('missing' in answer) return answer.missing;
  return BUSYBOX.some(isProgram) ? undefined : 'this machine has no BusyBox: install busybox-static on it';
};

/** Steps that make a small Linux of the file `busybox` of the repository. */
export const LINUX: readonly string[] = [
  'FROM scratch',
  'COPY busybox /bin/busybox',
  'RUN ["/bin/busybox", "sh", "-c", "mkdir -p /tmp /etc; for name in $(/bin/busybox --list); do [ $name = busybox ] || /bin/busybox ln -s busybox /bin/$name; done"]',
];

/** Steps that serve /srv/shop, and answer /cgi-bin/run with the output of the file `run` of the repository, a shell script. */
export const SERVER: readonly string[] = [
  ...LINUX,
  'WORKDIR /srv/shop',
  'COPY run cgi-bin/run',
  'RUN chmod +x cgi-bin/run',
  'CMD ["sh", "-c", "exec httpd -f -p $PORT -h /srv/shop"]',
];

/** A script for `run`. */
export const scriptOf = (...commands: readonly string[]): string =>
  ['#!/bin/sh', `printf 'Content-Type: text/plain\\r\\n\\r\\n'; exec 2>&1`, ...commands, ''].join('\n');

export const dockerfileOf = (...steps: readonly string[]): string => `${steps.join('\n')}\n`;

/** The files of a web service that answers /cgi-bin/run with its environment. */
export const shop = (...steps: readonly string[]) => ({
  Dockerfile: dockerfileOf(...SERVER, ...steps),
  run: scriptOf('env'),
});

/** Builds and runs repositories with a Dockerfile on this machine, with all that it offers. */
export class ImageBuilds {
  readonly #repositories: GitRepository[] = [];

  private constructor(readonly harness: LocalHarness) {}

  static async start(): Promise<ImageBuilds> {
    return new ImageBuilds(await LocalHarness.start());
  }

  /** The repository has a program `busybox` as well. */
  async orderOf(files: Files, changes: Partial<BuildOrder> = {}): Promise<BuildOrder> {
    const repository = await GitRepository.make(files);
    this.#repositories.push(repository);
    const program = join(repository.folder, 'busybox');
    await mkdir(repository.folder, { recursive: true });
    await copyFile(BUSYBOX.find(isProgram) ?? '', program);
    await chmod(program, 0o755);
    return {
      deploymentId: randomUUID(),
      webServiceId: randomUUID(),
      repositoryUrl: repository.url,
      commit: await repository.commit({}),
      buildCommand: undefined,
      startCommand: undefined,
      environment: {},
      secrets: [],
      deadlineMs: 120_000,
      ...changes,
    };
  }

  async build(order: BuildOrder): Promise<Artefact> {
    const { runtime } = this.harness;
    const output = runtime.logWriter(order.webServiceId, 'build', []);
    return runtime.build(order, output, never).finally(() => output.close());
  }

  /** What a step of a build writes. */
  async outputOf(command: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const order = await this.orderOf(shop(`RUN ${command}`), { environment });
    await this.build(order);
    const log = await this.logOf(order);
    const output = log.slice(log.findIndex(line => line.includes(`RUN ${command}`)) + 1);
    return output.slice(0, output.indexOf('COMMIT')).join('\n');
  }

  async logOf({ webServiceId }: Pick<BuildOrder, 'webServiceId'>): Promise<readonly string[]> {
    const lines = await this.harness.runtime.logs(webServiceId, { tail: 1_000, since: undefined });
    return lines.map(({ message }) => message);
  }

  planOf({ webServiceId }: BuildOrder, artefact: Artefact, changes: Partial<ServicePlan> = {}): ServicePlan {
    return {
      webServiceId,
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

  /** Builds and starts it. @returns what asks an instance. */
  async serve(files: Files, changes: Partial<BuildOrder> = {}, planned: Partial<ServicePlan> = {}) {
    const order = await this.orderOf(files, changes);
    const plan = this.planOf(order, await this.build(order), { startCommand: order.startCommand, ...planned });
    await this.harness.runtime.roll(plan, never);
    const url = await this.harness.runtime.urlOf(plan.webServiceId, plan.name);
    const ask = async (path = '/') => (await this.harness.ask(new URL(path, url).href)).body;
    return { order, plan, ask };
  }

  async run({ webServiceId, artefact }: ServicePlan, command: string): Promise<RunEnd> {
    const order = { runId: randomUUID(), webServiceId, instance: 'run', artefact, command };
    const settings = { environment: {}, secrets: [], size: undefined, deadlineMs: 20_000 };
    return this.harness.runtime.run({ ...order, ...settings }, never);
  }

  async stop(): Promise<void> {
    await this.harness.stop();
    for (const repository of this.#repositories) await repository.remove();
  }
}
