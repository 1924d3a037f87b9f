import { spawn } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RegistryStandIn } from './registry-stand-in.js';

export interface BuildkitRun {
  readonly arguments: readonly string[];
  /** Where the container would see a path. */
  readonly locate: (path: string) => string;
  /** For the image under way. */
  readonly folder: string;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * What rootless BuildKit does with the orders of the platform's Jobs, without containers: copies the context, runs the
 * Dockerfile's one RUN as a process of this machine, says its progress as `--progress=rawjson` does, and pushes.
 * @returns the exit code, and the metadata file.
 */
export const runBuildkit = async (
  run: BuildkitRun,
  registry: RegistryStandIn,
): Promise<{ readonly code: number; readonly metadata?: string }> => {
  const option = (name: string, key: string) =>
    run.arguments.find(argument => argument.startsWith(`--${name}=${key}`))?.slice(`--${name}=${key}`.length) ?? '';
  const plan = run.locate(option('local', 'plan='));
  const app = join(run.folder, 'app');
  await mkdir(run.folder, { recursive: true });
  await cp(run.locate(option('local', 'context=')), app, { recursive: true });
  const environment = run.locate(/src=([^,]+)/.exec(option('secret', 'id=environment,'))?.[1] ?? '');
  const { PATH, HOME } = process.env;
  const steps = (await import('node:fs')).readFileSync(join(plan, 'Dockerfile'), 'utf8');
  const program = / node \/plan\/(\S+)/.exec(steps)?.[1] ?? '';
  const child = spawn(process.execPath, ['--no-warnings', join(plan, program)], {
    cwd: app,
    detached: true,
    env: {
      PATH,
      HOME,
      POSTERN_APP: app,
      POSTERN_PLAN: plan,
      POSTERN_OUT: join(run.folder, 'postern'),
      POSTERN_ENVIRONMENT: environment,
    },
  });
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  run.signal.addEventListener('abort', end, { once: true });
  const say = (progress: object) => run.say(`${JSON.stringify(progress)}\n`);
  const vertex = 'sha256:run';
  const onData = (data: Buffer) => say({ logs: [{ vertex, stream: 1, data: data.toString('base64') }] });
  child.stdout.on('data', onData);
  child.stderr.on('data', onData);
  const code = await new Promise<number>(resolve => child.once('close', exit => resolve(exit ?? 137)));
  run.signal.removeEventListener('abort', end);
  if (code !== 0) {
    const error = `process "/bin/sh -c node /plan/${program}" did not complete successfully: exit code: ${code}`;
    say({ vertexes: [{ digest: vertex, name: 'RUN', error }] });
    return { code: 1 };
  }
  const tag = /:([0-9a-z-]+),push=true/.exec(option('output', 'type=image,'))?.[1] ?? '';
  const digest = await registry.push(tag, run.folder);
  return { code: 0, metadata: JSON.stringify({ 'containerimage.digest': digest }) };
};
