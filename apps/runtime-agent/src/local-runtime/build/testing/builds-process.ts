import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Artefact, BuildFailed, type BuildOrder, type LogWriter } from '@postern/runtime';
import type { Builds } from '../builds.js';
import type { FixtureOptions } from './assemble-for-tests.js';
import type { BuildsAnswer, BuildsOrder } from './builds-main.js';

const ENTRY = fileURLToPath(new URL('../../../../dist/local-runtime/build/testing/builds-main.js', import.meta.url));

/** Runs compiled builds in a separate process, which can run as another user and can be killed. */
export class BuildsProcess implements Pick<Builds, 'build' | 'reconcile'> {
  private constructor(private readonly child: ChildProcess) {}

  static async start(home: string, options: FixtureOptions, uid: number | undefined): Promise<BuildsProcess> {
    const child = fork(ENTRY, [home, JSON.stringify(options)], {
      execArgv: [],
      cwd: home,
      ...(uid !== undefined && { uid, gid: uid }),
    });
    const builds = new BuildsProcess(child);
    await builds.#answer(({ kind }) => kind === 'ready');
    return builds;
  }

  /** The separate process writes the lines. */
  async build(order: BuildOrder, _output: LogWriter, signal: AbortSignal): Promise<Artefact> {
    const { deploymentId } = order;
    const answered = this.#answer(answer => 'deploymentId' in answer && answer.deploymentId === deploymentId);
    this.#order({ kind: 'build', order });
    signal.addEventListener('abort', () => this.#order({ kind: 'cancel', deploymentId }), { once: true });
    const answer = await answered;
    if (answer.kind === 'built') return answer.artefact;
    if (answer.kind === 'failed')
      throw answer.name === 'BuildFailed' ? new BuildFailed(answer.message) : new Error(answer.message);
    throw new Error(`no answer to a build: ${answer.kind}`);
  }

  async reconcile(): Promise<void> {
    const answered = this.#answer(({ kind }) => kind === 'reconciled');
    this.#order({ kind: 'reconcile' });
    await answered;
  }

  /** Kills the process without cleanup, as a crash does. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  #order(order: BuildsOrder): void {
    this.child.send(order);
  }

  #answer(isIt: (answer: BuildsAnswer) => boolean): Promise<BuildsAnswer> {
    return new Promise((resolve, reject) => {
      const receive = (answer: BuildsAnswer) => {
        if (!isIt(answer)) return;
        this.child.off('message', receive).off('exit', onExit);
        resolve(answer);
      };
      const onExit = () => reject(new Error('the platform process ended'));
      this.child.on('message', receive).once('exit', onExit);
    });
  }
}
