import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { writeLayout } from './testing/oci-layout.js';
import { ScratchRegistry } from './testing/scratch-registry.js';

const ROOT = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'postern-publish-'));
const SERVICE = 'webhook-dispatch';
const TAG = `${SERVICE}@0.1.0`;

jest.setTimeout(240_000);

/** A program that ended. */
interface Ended {
  readonly code: number | null;
  readonly output: string;
}

const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '', ...env } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)));
    child.once('error', reject);
    child.once('close', code => resolve({ code, output }));
  });

let registry: ScratchRegistry;
let address: string;

/** An archive as `helm package` makes it, and a `helm` that shows its Chart.yaml. */
const chartOf = (): string => {
  const description = 'apiVersion: v2\nname: webhook-dispatch\nversion: 0.1.0\nappVersion: 0.1.0\n';
  mkdirSync(join(folder, 'chart', SERVICE), { recursive: true });
  writeFileSync(join(folder, 'chart', SERVICE, 'Chart.yaml'), description);
  execFileSync('tar', ['czf', join(folder, 'chart.tgz'), '-C', join(folder, 'chart'), SERVICE]);
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/helm'), `#!/bin/sh\ntar xzOf "$3" ${SERVICE}/Chart.yaml\n`, { mode: 0o755 });
  return join(folder, 'chart.tgz');
};

const keyPair = (name: string): void => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(folder, `${name}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(join(folder, `${name}.pub`), publicKey.export({ type: 'spki', format: 'pem' }));
};

const node = (...args: readonly string[]) =>
  run(process.execPath, args, { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` });
const published = join(ROOT, `published/${TAG}.json`);
let layouts: readonly string[];
let chart: string;

const publish = (...more: readonly string[]) =>
  node(
    ...['tools/releases/publish.mjs', TAG, '--to', `${address}/postern`, '--key', join(folder, 'ours.pem')],
    ...['--sbom', join(folder, 'image/postern/sbom.cdx.json'), '--chart', chart, ...more],
  );
const verify = (file: string, key: string) =>
  node('tools/releases/verify.mjs', file, '--key', join(folder, `${key}.pub`));

beforeAll(async () => {
  registry = await ScratchRegistry.start(folder);
  address = registry.address;
  keyPair('ours');
  keyPair('theirs');
  chart = chartOf();
  expect(await node('tools/images/pack.mjs', SERVICE, join(folder, 'image/postern'))).toMatchObject({ code: 0 });
  execFileSync('tar', ['cf', join(folder, 'files.tar'), '-C', join(folder, 'image'), 'postern']);
  const files = readFileSync(join(folder, 'files.tar'));
  layouts = ['amd64', 'arm64'].map(architecture =>
    writeLayout(join(folder, `layout-${architecture}`), architecture, files),
  );
});
afterAll(() => {
  registry?.stop();
  rmSync(folder, { recursive: true, force: true });
  rmSync(published, { force: true });
});

const layoutOptions = () => layouts.flatMap(layout => ['--layout', layout]);

it('A release is published for two architectures, with its packages and chart, and read back by digest with every signature', async () => {
  const { code, output } = await publish(...layoutOptions());
  expect(output).toContain('for amd64 and arm64');
  expect(code).toBe(0);
  const verified = await verify(published, 'ours');
  expect(verified.output).toMatch(
    /webhook-dispatch@0\.1\.0 is signed: amd64 and arm64, \d{2,} packages, and its chart/,
  );
  expect(verified.code).toBe(0);
});

it('A signature of another key, and another content of the digest, are refused', async () => {
  expect(await verify(published, 'theirs')).toMatchObject({
    code: 1,
    output: expect.stringContaining('is not signed with this key'),
  });
  const changed = JSON.parse(readFileSync(published, 'utf8')) as { image: { digest: string } };
  const file = join(folder, 'changed.json');
  changed.image.digest = `sha256:${'0'.repeat(64)}`;
  writeFileSync(file, JSON.stringify(changed));
  expect(await verify(file, 'ours')).toMatchObject({ code: 1, output: expect.stringContaining('has no signature') });
});

it('A file that was not published, or was changed, is refused with the field', async () => {
  const file = join(folder, 'wrong.json');
  const changed = (change: object) =>
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(published, 'utf8')), ...change }));
  const refusal = async () => (await verify(file, 'ours')).output;
  writeFileSync(file, '{');
  expect(await refusal()).toContain('cannot be read as JSON');
  changed({ version: 'latest' });
  expect(await refusal()).toContain(`${SERVICE}: version: is no version, such as 0.2.0`);
  changed({ image: { repository: `${address}/postern/${SERVICE}`, digest: 'latest', architectures: [] } });
  expect(await refusal()).toContain(`${SERVICE}: image.digest: is not sha256: and 64 hexadecimal digits`);
});

const unpack = async (key: string, architecture: string, change: object = {}) => {
  const { unpackImage } = (await import(new URL('../unpack-image.mjs', import.meta.url).href)) as {
    unpackImage(release: object, target: string, options: object): Promise<void>;
  };
  const release = { ...JSON.parse(readFileSync(published, 'utf8')), ...change };
  const options = { architecture, key: readFileSync(join(folder, `${key}.pub`)), known: new Set() };
  const target = mkdtempSync(join(folder, 'unpacked-'));
  await unpackImage(release, target, options);
  return target;
};

it('The files of a published service are read back from its image, with their links', async () => {
  const target = await unpack('ours', 'arm64');
  execFileSync('diff', ['--recursive', '--no-dereference', join(folder, 'image/postern'), target]);
});

it('The files of an image that is not signed with the key, or not for the machine, are not read', async () => {
  await expect(unpack('theirs', 'x64')).rejects.toThrow('is not signed with this key');
  await expect(unpack('ours', 'riscv64')).rejects.toThrow(`${TAG} has no image for riscv64`);
  const image = { repository: `${address}/postern/elsewhere`, digest: `sha256:${'0'.repeat(64)}`, architectures: [] };
  await expect(unpack('ours', 'x64', { image })).rejects.toThrow('has no signature');
});

it('An archive for one server is not built from releases that the checkout does not contain, and not without a key', async () => {
  const one = JSON.parse(readFileSync(published, 'utf8')) as object;
  const names = ['api-gateway', 'delivery-tracking', 'email-send', 'load-balancer', 'platform-management'];
  const releases = [one, ...[...names, 'runtime-agent'].map(service => ({ ...one, service, version: '99.0.0' }))];
  const file = join(folder, 'set.json');
  writeFileSync(file, JSON.stringify({ version: '99.0.0', releases }));
  const bundle = (...more: readonly string[]) =>
    node('tools/releases/bundle.mjs', '99.0.0', join(folder, 'bundles'), '--set', file, ...more);
  expect(await bundle()).toMatchObject({ code: 2, output: expect.stringContaining('--set needs --key') });
  expect(await bundle('--key', join(folder, 'ours.pub'))).toMatchObject({
    code: 1,
    output: expect.stringMatching(/postern 99\.0\.0 has api-gateway@99\.0\.0, which this checkout does not contain/),
  });
});

it('An image without one of the architectures is not published', async () => {
  const { code, output } = await publish('--layout', layouts[0] as string);
  expect(output).toContain('have images for amd64, not amd64, arm64');
  expect(code).toBe(1);
});

it('The releases of all services are one set, which the postern chart and the bundle read', async () => {
  const { setOf, valuesOf, demandSet } = (await import(new URL('../set-file.mjs', import.meta.url).href)) as {
    setOf(
      root: string,
      version: string,
      published: readonly object[],
    ): { readonly releases: readonly { service: string }[] };
    valuesOf(set: object): string;
    demandSet(root: string, set: object): void;
  };
  const one = JSON.parse(readFileSync(published, 'utf8')) as { readonly image: { readonly digest: string } };
  const names = ['api-gateway', 'delivery-tracking', 'email-send', 'load-balancer', 'platform-management'];
  const others = [...names, 'runtime-agent'].map(service => ({ ...one, service }));
  expect(() => setOf(ROOT, '0.2.0', [one])).toThrow('name one published release of api-gateway; there is none');
  expect(() => setOf(ROOT, 'latest', [one])).toThrow('latest is not a version');
  const set = setOf(ROOT, '0.2.0', [one, ...others]);
  expect(valuesOf(set)).toContain(`tag: "0.1.0", digest: "${one.image.digest}"`);
  const newer = { ...set, version: '0.2.0', releases: [{ ...one, service: 'email-send', version: '9.0.0' }] };
  expect(() => demandSet(ROOT, newer)).toThrow(
    'postern 0.2.0 has email-send@9.0.0, which this checkout does not contain',
  );
});
