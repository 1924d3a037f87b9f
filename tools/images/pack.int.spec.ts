import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from '@jest/globals';

const folder = mkdtempSync(join(tmpdir(), 'postern-packed-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Manifest {
  readonly name?: string;
  readonly version?: string;
}

/** `name@version` of every package in a node_modules folder, including nested ones. */
const installedIn = (modules: string): string[] =>
  (existsSync(modules) ? readdirSync(modules) : []).flatMap(name => {
    const path = join(modules, name);
    if (name.startsWith('@')) return installedIn(path);
    const nested = installedIn(join(path, 'node_modules'));
    const manifest = join(path, 'package.json');
    if (!existsSync(manifest)) return nested;
    const { name: packageName, version } = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest;
    return [`${packageName}@${version}`, ...nested];
  });

it('the image of a service has an SBOM of exactly its packages, with their checksums', async () => {
  const pack = join(import.meta.dirname, 'pack.mjs');
  await promisify(execFile)(process.execPath, [pack, 'delivery-tracking', folder]);
  const sbom = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));

  const outside = sbom.components.filter(({ purl }: { purl: string }) => !/postern|generic/.test(purl));
  const described = outside.map((component: Record<string, string>) => component['bom-ref']).sort();
  const folders = ['node_modules', 'tools/command/node_modules'];
  const packed = [...new Set(folders.flatMap(modules => installedIn(join(folder, modules))))];
  expect(described).toEqual(packed.filter(name => !name.startsWith('@postern/')).sort());
  expect(described).toContainEqual(expect.stringMatching(/^smtp-server@/));
  expect(outside.filter(({ hashes }: { hashes?: unknown }) => !hashes)).toEqual([]);
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
}, 300_000);

it('the image of a service has every module that it loads at startup', async () => {
  const env = { PATH: process.env['PATH'], NODE_ENV: 'production' };
  const options = { cwd: folder, env, timeout: 120_000 };
  const start = promisify(execFile)(process.execPath, ['apps/delivery-tracking/dist/main.js'], options);
  const { stderr, stdout } = await start.catch((error: { stderr: string; stdout: string }) => error);

  expect(stderr + stdout).toMatch(/POSTERN_/);
  expect(stderr + stdout).not.toMatch(/MODULE_NOT_FOUND/);
}, 150_000);
