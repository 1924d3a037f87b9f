import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compileCache } from '@postern/testing';

/** Like `bundle.js`, with shorter times. */
const ENTRY = fileURLToPath(new URL('../../../../apps/runtime-agent/dist/bundle-quick-agent.js', import.meta.url));
const STOP_EVERYTHING = fileURLToPath(
  new URL('../../../../apps/runtime-agent/dist/bundle-stop-everything.js', import.meta.url),
);

/** The built runtime agent as a separate process, which can be killed at any moment. */
export class AgentProcess {
  #child: ChildProcess | undefined;

  private constructor(
    readonly home: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  static async start(home: string, environment: Readonly<Record<string, string>>): Promise<AgentProcess> {
    const agent = new AgentProcess(home, environment);
    await agent.start();
    return agent;
  }

  /** Starts or restarts the agent. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [ENTRY], {
      env: {
        PATH: process.env['PATH'],
        POSTERN_PLATFORM_HOME: this.home,
        POSTERN_PLATFORM_ALLOW_FILE_REPOSITORIES: 'true',
        POSTERN_EXIT_WITH_PARENT: 'true',
        POSTERN_LOG_LEVEL: 'warn',
        // Tests create web services of several workspaces on machines that do not separate networks, too.
        POSTERN_SHARED_NETWORK: 'true',
        ...compileCache(),
        ...this.environment,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child = child;
    const ready = Promise.withResolvers<void>();
    createInterface({ input: child.stdout }).on('line', line => {
      if (line.includes('"ready":true')) ready.resolve();
      else if (process.env['POSTERN_TEST_LOG']) process.stderr.write(`${line}\n`);
    });
    const exit = once(child, 'exit').then(() => Promise.reject(new Error('the runtime agent did not start')));
    await Promise.race([ready.promise, exit]);
    exit.catch(() => {});
  }

  /** Kills only this process, without a shutdown. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Stops the process like an operator. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** Kills the process, and stops everything that outlives it. */
  async stopEverything(): Promise<void> {
    await this.#end('SIGKILL');
    await promisify(execFile)(process.execPath, [STOP_EVERYTHING, this.home]);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
}
