import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/**
 * Replaces `buildctl-daemonless.sh`: runs the steps of a Dockerfile as processes of this machine, with paths relative
 * to WORKDIR. Base images are empty. It is a separate program, so it imports only Node.js.
 */
const given = process.argv.slice(2);
const option = (prefix: string): string =>
  given.find(argument => argument.startsWith(prefix))?.slice(prefix.length) ?? '';

const report = (progress: object) => process.stderr.write(`${JSON.stringify(progress)}\n`);
const refuse = (reason: string): never => {
  process.stderr.write(`error: failed to solve: ${reason}\n`);
  process.exit(1);
};
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

interface Step {
  readonly line: number;
  readonly instruction: string;
  readonly rest: string;
}

const stepsOf = (dockerfile: string): Step[] =>
  dockerfile.split('\n').flatMap((text, index) => {
    const [, instruction = '', rest = ''] = /^\s*([^\s#]\S*)\s*(.*?)\s*$/.exec(text) ?? [];
    return instruction === '' ? [] : [{ line: index + 1, instruction: instruction.toUpperCase(), rest }];
  });

/** The exec form of a command, or the shell form as BuildKit expands it. */
const commandOf = (rest: string): string[] =>
  rest.startsWith('[') ? (JSON.parse(rest) as string[]) : ['/bin/sh', '-c', rest];

const archive = option('--output=type=oci,dest=');
const work = await mkdtemp(join(tmpdir(), 'postern-buildctl-'));
const folder = join(work, 'image');
await mkdir(folder);
const image = { command: [] as string[], entrypoint: [] as string[], workingDir: '/', environment: {} };
const variables: Record<string, string> = {};
const workingFolder = () => join(folder, image.workingDir);

/** The folders and files that the mounts of a step provide, and the step without its mounts. */
const mounted = (rest: string) => {
  const shown: [string, string][] = [];
  const command = rest.replaceAll(/--mount=(\S+)\s+/g, (_, text: string) => {
    const mount = Object.fromEntries(text.split(',').map(pair => pair.split('=')));
    if (mount.type === 'cache') return '';
    if (mount.type === 'bind') shown.push([mount.target, option(`--local=${mount.from}=`)]);
    else shown.push([mount.target ?? `/run/secrets/${mount.id}`, option(`--secret=id=${mount.id},src=`)]);
    return '';
  });
  return { shown, command };
};

const run = (command: string, vertex: string): Promise<number> => {
  const { shown, command: plain } = mounted(command);
  const located = shown.reduce((text, [target, path]) => text.replaceAll(target, path), plain);
  const [program = '', ...args] = commandOf(located);
  const child = spawn(program, args, {
    cwd: workingFolder(),
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...image.environment,
      // The paths for the platform's own build step.
      POSTERN_APP: join(folder, 'app'),
      POSTERN_OUT: join(folder, 'postern'),
      POSTERN_CACHE: join(folder, 'cache'),
      ...Object.fromEntries(
        shown.map(([target, path]) => [`POSTERN_${target === '/plan' ? 'PLAN' : 'ENVIRONMENT'}`, path]),
      ),
    },
  });
  const onData = (data: Buffer) => report({ logs: [{ vertex, stream: 1, data: data.toString('base64') }] });
  child.stdout.on('data', onData);
  child.stderr.on('data', onData);
  return new Promise(resolve => child.once('close', code => resolve(code ?? 137)));
};

/** @returns the error message, or undefined. */
const execute = async ({ instruction, rest, line }: Step, vertex: string): Promise<string | undefined> => {
  switch (instruction) {
    case 'ARG':
      variables[rest] = option(`--opt=build-arg:${rest}=`);
      return undefined;
    case 'FROM':
    case 'USER':
    case 'EXPOSE':
      return undefined;
    case 'ENV': {
      const [name = '', value = ''] = rest.split('=');
      image.environment = { ...image.environment, [name]: value };
      return undefined;
    }
    case 'WORKDIR':
      image.workingDir = join(image.workingDir, rest);
      await mkdir(workingFolder(), { recursive: true });
      return undefined;
    case 'COPY': {
      const [from = '', to = ''] = rest.split(/\s+/);
      const target = to.startsWith('/') ? join(folder, to) : join(workingFolder(), to);
      return cp(join(option('--local=context='), from), target, { recursive: true }).then(
        () => undefined,
        () =>
          `failed to compute cache key: failed to calculate checksum of ref b4xk::9w2: ${JSON.stringify(join('/', from))}: not found`,
      );
    }
    case 'RUN': {
      const code = await run(rest, vertex);
      const shellCommand = `/bin/sh -c ${mounted(rest).command}`;
      return code === 0
        ? undefined
        : `process ${JSON.stringify(shellCommand)} did not complete successfully: exit code: ${code}`;
    }
    case 'ENTRYPOINT':
      image.entrypoint = commandOf(rest);
      return undefined;
    case 'CMD':
      image.command = commandOf(rest);
      return undefined;
    default:
      return refuse(`dockerfile parse error on line ${line}: unknown instruction: ${instruction}`);
  }
};

/** Refuses images like a source policy with wildcards. */
const refuseDenied = async (base: string): Promise<void> => {
  const file = option('--source-policy-file=');
  if (file === '') return;
  const { rules } = JSON.parse(await readFile(file, 'utf8')) as {
    rules: { action: string; selector: { identifier: string } }[];
  };
  const identifier = `docker-image://${base}`;
  for (const { action, selector } of rules) {
    const [before = '', after = ''] = selector.identifier.split('*');
    if (action === 'DENY' && identifier.startsWith(before) && identifier.endsWith(after))
      refuse(`${base}: could not resolve image due to policy: source "${identifier}" denied by policy`);
  }
};

const steps = stepsOf(await readFile(join(option('--local=dockerfile='), 'Dockerfile'), 'utf8'));
const numbered = steps.filter(({ instruction }) => /^(FROM|WORKDIR|COPY|RUN)$/.test(instruction));
for (const [index, step] of steps.entries()) {
  const { instruction, rest } = step;
  const text = rest.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole);
  if (instruction === 'FROM') await refuseDenied(text);
  const number = numbered.indexOf(step) + 1;
  const name = `[${number}/${numbered.length}] ${instruction} ${text}`;
  const vertex = `sha256:${index}`;
  const started = new Date().toISOString();
  if (number > 0) report({ vertexes: [{ digest: vertex, name, started }] });
  const error = await execute({ ...step, rest: text }, vertex);
  if (number > 0) report({ vertexes: [{ digest: vertex, name, started, completed: started, error }] });
  if (error !== undefined) refuse(error);
}

/** Adds a blob to the OCI image layout. @returns the descriptor of the content. */
const addBlob = async (content: Buffer, mediaType: string) => {
  const digest = createHash('sha256').update(content).digest('hex');
  await writeFile(join(work, 'layout/blobs/sha256', digest), content);
  return { mediaType, digest: `sha256:${digest}`, size: content.length };
};
const addJson = (content: object, type: string) =>
  addBlob(Buffer.from(JSON.stringify(content)), `application/vnd.oci.image.${type}.v1+json`);

await mkdir(join(work, 'layout/blobs/sha256'), { recursive: true });
const pack = (from: string, to: string, format: string, ...names: string[]) => {
  const reproducible = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0'];
  execFileSync('tar', [`--format=${format}`, ...reproducible, '-C', from, '-cf', to, ...names]);
};
pack(folder, join(work, 'layer.tar'), 'gnu', '.');
const layer = await addBlob(
  gzipSync(await readFile(join(work, 'layer.tar'))),
  'application/vnd.oci.image.layer.v1.tar+gzip',
);
const config = await addJson({ architecture: 'amd64', os: 'linux', config: image }, 'config');
const mediaType = 'application/vnd.oci.image.manifest.v1+json';
const manifest = await addJson({ schemaVersion: 2, mediaType, config, layers: [layer] }, 'manifest');
await writeFile(join(work, 'layout/index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
await writeFile(join(work, 'layout/oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
pack(join(work, 'layout'), archive, 'ustar', 'blobs', 'index.json', 'oci-layout');
