import { spawn } from 'node:child_process';

export interface RunOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs?: number;
  /** Shows the output instead of returning it. */
  readonly inherit?: boolean;
}

/** A program that failed; the message has the end of what it printed. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
}

const KEPT = 4_000_000;

/** Runs a program without a shell. @returns its standard output. @throws ProgramError */
export const run = (program: string, args: readonly string[] = [], options: RunOptions = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const output = options.inherit ? 'inherit' : 'pipe';
    const child = spawn(program, args, {
      stdio: [options.input === undefined ? 'ignore' : 'pipe', output, output],
      // Other programs must not start a Node.js with the options of this one.
      env: { ...process.env, NODE_OPTIONS: '', ...options.environment },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: 'SIGKILL' as const }),
    });
    let [printed, failed] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-KEPT);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      failed = (failed + text).slice(-8_000);
    });
    child.stdin?.on('error', () => undefined).end(options.input);
    const named = [program, ...args].join(' ');
    child.on('error', error => reject(new ProgramError(`${named} could not be started: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(printed);
      else
        reject(new ProgramError(`${named} ended with ${code ?? signal}\n${(failed || printed).trim().slice(-2_000)}`));
    });
  });

/** Whether a program succeeds. */
export const succeeds = (program: string, args: readonly string[] = []): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  );

export const systemctl = (...args: readonly string[]): Promise<string> => run('systemctl', args);
