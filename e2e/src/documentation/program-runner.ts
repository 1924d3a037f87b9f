import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { CodeExample } from './code-examples.js';

const run = promisify(execFile);

const COMMANDS: Readonly<Record<string, (file: string) => readonly [string, ...string[]]>> = {
  sh: file => ['bash', file],
  js: file => ['node', file],
  python: file => ['python3', file],
  go: file => ['go', 'run', file],
  ruby: file => ['ruby', file],
};

const commandOf = ({ language, file, kind }: CodeExample, port?: number): readonly [string, ...string[]] => {
  if (language === 'php' && kind === 'receiver') return ['php', '-S', `127.0.0.1:${port}`, file];
  const command = COMMANDS[language]?.(file);
  if (!command) throw new Error(`nothing runs examples in ${language}`);
  return command;
};

/** Whether the interpreter of an example is on the PATH. */
export const canRun = (example: CodeExample): boolean => {
  const [program] = commandOf(example, 0);
  return (process.env['PATH'] ?? '').split(delimiter).some(folder => existsSync(join(folder, program)));
};

/** curl succeeds on error responses; examples must not. The first folder of PATH contains this script. */
const CURL = `#!/bin/sh
PATH="\${PATH#*:}" exec curl --fail-with-body --max-time 60 "$@"
`;

/** Readers run the shell examples of a page in one shell, so each example starts with the variables of the previous one. */
const inOneShell = (code: string): string => `set +e
[ -f variables ] && . ./variables 2> /dev/null
set -eu
${code}
declare -p > variables
`;

/** Runs the examples of one page in their own folder, with the environment that the documentation describes. */
export class ProgramRunner {
  private readonly children: ChildProcess[] = [];

  constructor(
    private readonly folder: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {
    mkdirSync(join(folder, 'node_modules/@postern'), { recursive: true });
    symlinkSync(join(import.meta.dirname, '../../../libs/sdk'), join(folder, 'node_modules/@postern/sdk'));
    mkdirSync(join(folder, 'bin'), { recursive: true });
    symlinkSync(join(import.meta.dirname, '../../../tools/command/bin/postern.mjs'), join(folder, 'bin/postern'));
    writeFileSync(join(folder, 'bin/curl'), CURL);
    chmodSync(join(folder, 'bin/curl'), 0o755);
  }

  /** @returns the output of the program. @throws with the output if the program fails. */
  async run(example: CodeExample): Promise<string> {
    const { code, file, language } = example;
    writeFileSync(join(this.folder, file), language === 'sh' ? inOneShell(code) : code);
    const [program, ...args] = commandOf(example);
    const { stdout } = await run(program, args, { cwd: this.folder, env: this.env(), timeout: 120_000 });
    return stdout;
  }

  /** Starts a receiver that listens on the port. */
  start(example: CodeExample, port: number): void {
    writeFileSync(join(this.folder, example.file), example.code);
    const [program, ...args] = commandOf(example, port);
    const env = { ...this.env(), PORT: String(port) };
    this.children.push(spawn(program, args, { cwd: this.folder, env, stdio: 'ignore', detached: true }));
  }

  stop(): void {
    for (const { pid } of this.children) if (pid) process.kill(-pid, 'SIGKILL');
  }

  private env(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      ...this.environment,
      NODE_OPTIONS: '',
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      PATH: `${join(this.folder, 'bin')}${delimiter}${process.env['PATH']}`,
    };
  }
}
