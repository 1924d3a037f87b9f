import { randomUUID } from 'node:crypto';
import { chown, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Artefact, BuildOrder, LogWriter, ResolvedSource, SourceCredentials } from '@postern/runtime';
import { type Files, GitRepository } from '@postern/runtime/testing';
import { removeTree } from '../../../infrastructure/disk.js';
import { ArtefactStore } from '../../artefacts/artefact-store.js';
import { MarkedProcesses } from '../../instances/marked-processes.js';
import { BUILD_MARKER } from '../../instances/process-markers.js';
import { LogStore } from '../../logs/log-store.js';
import { redactor } from '../../redactor.js';
import type { LocalBuildsAssembly } from '../assemble-local-builds.js';
import type { Builds } from '../builds.js';
import { assembleForTests, type FixtureOptions } from './assemble-for-tests.js';
import { BuildsProcess } from './builds-process.js';

export const silence: LogWriter = { write: () => {}, close: () => Promise.resolve() };
const never = new AbortController().signal;

export interface BuildsFixtureOptions extends FixtureOptions {
  /** Runs builds in a separate process, as this user if the test runs as root. */
  readonly as?: number;
}

/** Runs builds of Git repositories in a temporary home. */
export class BuildsFixture {
  readonly webServiceId = randomUUID();
  readonly #repositories: GitRepository[] = [];
  readonly #processes: BuildsProcess[] = [];
  readonly #logs: LogStore;

  private constructor(
    readonly home: string,
    private readonly options: BuildsFixtureOptions,
    readonly builds: Pick<Builds, 'build' | 'reconcile'>,
    private readonly assembly: LocalBuildsAssembly | undefined,
  ) {
    this.#logs = new LogStore(home, redactor, { linesPerSecond: 100_000, bytesPerSecond: 2 ** 30 });
  }

  static async start({ as, ...options }: BuildsFixtureOptions = {}): Promise<BuildsFixture> {
    const home = await mkdtemp(join(tmpdir(), 'postern-builds-'));
    if (as === undefined) {
      const assembly = await assembleForTests(home, options);
      return new BuildsFixture(home, options, assembly.builds, assembly);
    }
    if (process.getuid?.() === 0) await chown(home, as, as);
    return new BuildsFixture(
      home,
      { ...options, as },
      await BuildsFixture.#elsewhere(home, { ...options, as }),
      undefined,
    );
  }

  static #elsewhere(home: string, { as, ...options }: BuildsFixtureOptions): Promise<BuildsProcess> {
    return BuildsProcess.start(home, options, process.getuid?.() === 0 ? as : undefined);
  }

  /** Starts another process on the same home, which can be killed. */
  async elsewhere(): Promise<BuildsProcess> {
    const started = await BuildsFixture.#elsewhere(this.home, this.options);
    this.#processes.push(started);
    return started;
  }

  resolve(
    repositoryUrl: string,
    branch?: string,
    signal: AbortSignal = never,
    credentials?: SourceCredentials,
  ): Promise<ResolvedSource> {
    return this.here.builds.resolveSource({ repositoryUrl, branch, credentials }, signal);
  }

  /** The assembly. @throws if builds run in a separate process. */
  get here(): LocalBuildsAssembly {
    if (!this.assembly) throw new Error('builds run elsewhere');
    return this.assembly;
  }

  get artefacts(): ArtefactStore {
    return new ArtefactStore(this.home);
  }

  async repository(files?: Files, options?: { branch?: string; format?: string }): Promise<GitRepository> {
    const repository = await GitRepository.make(files, options);
    this.#repositories.push(repository);
    return repository;
  }

  /** An order for a new repository with these files, at its HEAD commit. */
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
    // A separate process writes the lines itself.
    const output = this.assembly ? this.#logs.writer(order.webServiceId, 'build', order.secrets) : silence;
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

  /** All processes that are marked as builds of this web service, in any home. */
  async pids(): Promise<readonly number[]> {
    const marked = await new MarkedProcesses(BUILD_MARKER).scan();
    const own = [...marked].filter(([id]) => id.includes(this.webServiceId));
    return own.flatMap(([, entries]) => entries.map(({ pid }) => pid));
  }

  /** Workspaces and source folders that builds left in the home. */
  async leftovers(): Promise<readonly string[]> {
    return readdir(join(this.home, 'builds')).catch(() => []);
  }

  async stop(): Promise<void> {
    for (const elsewhere of this.#processes) await elsewhere.kill();
    await this.builds.reconcile();
    if (this.builds instanceof BuildsProcess) await this.builds.kill();
    await this.#logs.close();
    await removeTree(this.home);
    for (const repository of this.#repositories) await repository.remove();
  }
}
