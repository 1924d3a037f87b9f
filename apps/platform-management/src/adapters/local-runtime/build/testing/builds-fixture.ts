import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '@postern/messaging';
import type { Artefact, BuildOrder } from '../../../../ports/runtime.js';
import { ArtefactStore } from '../../artefacts/artefact-store.js';
import { MarkedProcesses } from '../../instances/marked-processes.js';
import { LogStore } from '../../logs/log-store.js';
import { redactor } from '../../redactor.js';
import { type Files, GitRepository } from '../../source/testing/git-repository.js';
import { assembleLocalBuilds, type LocalBuildsAssembly, type LocalBuildsOptions } from '../assemble-local-builds.js';
import { BUILD_MARKER } from '../build-environment.js';
import { removeTree } from '../disk.js';

const silentLog: Log = { info() {}, warn() {}, error() {} };
const never = new AbortController().signal;

export type FixtureOptions = Partial<Pick<LocalBuildsOptions, 'limits' | 'times' | 'use' | 'spareMs' | 'variables'>>;

/** Real builds of real repositories in a home of their own. */
export class BuildsFixture {
  readonly webServiceId = randomUUID();
  readonly #repositories: GitRepository[] = [];
  readonly #logs: LogStore;

  private constructor(
    readonly home: string,
    readonly options: FixtureOptions,
    readonly assembly: LocalBuildsAssembly,
  ) {
    this.#logs = new LogStore(home, redactor, { linesPerSecond: 100_000, bytesPerSecond: 2 ** 30 });
  }

  static async start(options: FixtureOptions = {}): Promise<BuildsFixture> {
    const home = await mkdtemp(join(tmpdir(), 'postern-builds-'));
    return new BuildsFixture(home, options, await BuildsFixture.assemble(home, options));
  }

  static assemble(home: string, options: FixtureOptions): Promise<LocalBuildsAssembly> {
    return assembleLocalBuilds({
      platformHome: home,
      allowFileRepositories: true,
      instanceLimits: { memoryBytes: 2 ** 29, cpuMillicores: 1_000, tasks: 128 },
      log: silentLog,
      ...options,
    });
  }

  get builds() {
    return this.assembly.builds;
  }

  get artefacts(): ArtefactStore {
    return new ArtefactStore(this.home);
  }

  async repository(files?: Files, options?: { branch?: string; format?: string }): Promise<GitRepository> {
    const repository = await GitRepository.make(files, options);
    this.#repositories.push(repository);
    return repository;
  }

  /** An order for what the repository's work tree stands at. */
  async order(files: Files, changes: Partial<BuildOrder> = {}): Promise<BuildOrder> {
    const repository = await this.repository(files);
    return {
      deploymentId: randomUUID(),
      webServiceId: this.webServiceId,
      repositoryUrl: repository.url,
      commit: await repository.git('rev-parse', 'HEAD'),
      buildCommand: undefined,
      startCommand: 'node server.js',
      environment: {},
      secrets: [],
      deadlineMs: 60_000,
      ...changes,
    };
  }

  async build(order: BuildOrder, signal: AbortSignal = never): Promise<Artefact> {
    const output = this.#logs.writer(order.webServiceId, 'build', order.secrets);
    try {
      return await this.builds.build(order, output, signal);
    } finally {
      await output.close();
    }
  }

  async lines(): Promise<readonly string[]> {
    const lines = await this.#logs.read(this.webServiceId, { tail: 10_000, since: undefined });
    return lines.map(({ message }) => message);
  }

  pathIn({ reference }: Artefact, name: string): string {
    return join(this.home, 'artefacts', reference, 'tree', name);
  }

  async read(artefact: Artefact, name: string): Promise<string> {
    return readFile(this.pathIn(artefact, name), 'utf8');
  }

  /** All processes that carry the mark of a build of any home. */
  async pids(): Promise<readonly number[]> {
    const marked = await new MarkedProcesses(BUILD_MARKER).scan();
    const own = [...marked].filter(([id]) => id.includes(this.webServiceId));
    return own.flatMap(([, entries]) => entries.map(({ pid }) => pid));
  }

  /** What builds have left in the home besides artefacts, caches and lines. */
  async leftovers(): Promise<readonly string[]> {
    return readdir(join(this.home, 'builds')).catch(() => []);
  }

  async stop(): Promise<void> {
    await this.builds.reconcile();
    await this.#logs.close();
    await removeTree(this.home);
    for (const repository of this.#repositories) await repository.remove();
  }
}
