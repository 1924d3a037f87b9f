import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { waitFor } from '@postern/testing';
import { temporaryHome } from '../temporary-home.js';

export const COMMAND = join(import.meta.dirname, '../../../tools/command/bin/postern.mjs');

export interface Result {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** Standard output as JSON. */
  json<Value = Record<string, unknown>>(): Value;
}

/** A `postern` command that is still running. */
export class Running {
  out = '';
  err = '';
  readonly ended: Promise<Result>;

  constructor(private readonly child: ChildProcessWithoutNullStreams) {
    child.stdout.on('data', (chunk: Buffer) => {
      this.out += chunk.toString('utf8');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.err += chunk.toString('utf8');
    });
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', code =>
        resolve({ code, out: this.out, err: this.err, json: <Value>() => JSON.parse(this.out) as Value }),
      );
    });
  }

  /** Waits for matching output; returns the captured group. */
  async until(pattern: RegExp, timeoutMs = 20_000): Promise<string> {
    return waitFor(
      async () => {
        const found = pattern.exec(this.out + this.err);
        return found ? (found[1] ?? found[0]) : undefined;
      },
      { timeoutMs, intervalMs: 50, describe: () => `${pattern} in ${JSON.stringify(this.out + this.err)}` },
    );
  }

  /** Writes to the standard input, which `start` has left open. */
  type(text: string): void {
    this.child.stdin.write(text);
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** Sends SIGINT. */
  interrupt(): Promise<Result> {
    this.child.kill('SIGINT');
    return this.ended;
  }
}

/** Runs the `postern` command as a user would, with its own configuration folder. */
export class CommandRunner {
  readonly #home = temporaryHome();
  readonly #started: ChildProcessWithoutNullStreams[] = [];

  constructor(private readonly environment: Readonly<Record<string, string>> = {}) {}

  get folder(): string {
    return this.#home.folder;
  }

  get environmentOfCommand(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.folder,
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      ...this.environment,
    };
  }

  start(args: readonly string[], stdin = '', environment: Readonly<Record<string, string>> = {}): Running {
    const child = this.#spawn(process.execPath, [COMMAND, ...args], environment);
    child.stdin.end(stdin);
    return new Running(child);
  }

  /** Starts the command in a terminal; what is typed goes to it. */
  inTerminal(args: readonly string[]): Running {
    const words = [process.execPath, COMMAND, ...args].map(word => `'${word}'`).join(' ');
    return new Running(this.#spawn('script', ['--quiet', '--return', '--command', `exec ${words}`, '/dev/null']));
  }

  run(args: readonly string[], stdin = '', environment: Readonly<Record<string, string>> = {}): Promise<Result> {
    return this.start(args, stdin, environment).ended;
  }

  #spawn(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const env = { ...this.environmentOfCommand, ...environment };
    const child = spawn(program, args, { env, cwd: this.folder });
    this.#started.push(child);
    child.stdin.on('error', () => undefined);
    return child;
  }

  stop(): void {
    for (const child of this.#started) child.kill('SIGKILL');
    this.#home.remove();
  }
}
