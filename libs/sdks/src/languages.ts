import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, it } from '@jest/globals';

const HERE = join(import.meta.dirname, '..');
/** For files of the tests. */
export const folder = mkdtempSync(join(tmpdir(), 'postern-sdks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasProgram = (...command: string[]): boolean => {
  try {
    execFileSync(command[0]!, command.slice(1), { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** A library, and the program that carries out one call with it. */
export interface Language {
  readonly name: string;
  readonly isHere: boolean;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}
/** Every library; the one in JavaScript is the model of the others. */
export const LANGUAGES: readonly Language[] = [
  { name: 'JavaScript', isHere: true, command: [process.execPath, join(HERE, 'conformance/javascript.mjs')] },
  {
    name: 'Python',
    isHere: hasProgram('python3', '--version'),
    command: ['python3', '-B', join(HERE, 'conformance/python.py')],
    environment: { PYTHONPATH: join(HERE, 'python') },
  },
  { name: 'Go', isHere: hasProgram('go', 'version'), command: [join(folder, 'conformance')] },
  {
    name: 'PHP',
    isHere: hasProgram('php', '--version'),
    command: ['php', join(HERE, 'conformance/php.php')],
  },
  {
    name: 'Ruby',
    isHere: hasProgram('ruby', '--version'),
    command: ['ruby', '-I', join(HERE, 'ruby/lib'), join(HERE, 'conformance/ruby.rb')],
  },
];

/** Builds the program in Go. */
export const buildPrograms = async (): Promise<void> => {
  if (!LANGUAGES.some(({ name, isHere }) => name === 'Go' && isHere)) return;
  const environment = { ...process.env, GOPROXY: 'off' };
  const options = { cwd: join(HERE, 'conformance/go'), env: environment };
  await promisify(execFile)('go', ['build', '-o', join(folder, 'conformance'), '.'], options);
};

/** Carries out one call, and returns its reply or error. */
export const carryOut = async ({ command, environment }: Language, call: Readonly<Record<string, unknown>>) => {
  const [program, ...args] = command;
  const running = promisify(execFile)(program!, args, { env: { ...process.env, ...environment } });
  running.child.stdin?.end(JSON.stringify(call));
  const { stdout } = await running;
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
};

/** `it` for a library; skipped where the machine does not have its language. */
export const testsOf = ({ isHere }: Language): Pick<typeof it.concurrent, 'each'> & typeof it.concurrent.skip =>
  isHere ? it.concurrent : it.concurrent.skip;
