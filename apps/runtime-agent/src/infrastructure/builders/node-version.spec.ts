import { describe, expect, it } from '@jest/globals';
import { buildCommandOf } from './build-plan.js';
import { node } from './node.js';
import { machineWith } from './testing/machine-with.js';
import { projectOf } from './testing/project-of.js';

const OWN = process.versions.node.split('.')[0]!;
const manifest = { dependencies: { express: '5' }, scripts: { start: 'node server.js' } };

const runtimeOf = async (files: Readonly<Record<string, string | object>>) =>
  (await node(projectOf({ 'package.json': manifest, ...files }), machineWith('npm')))?.runtime;

describe('The Node.js of a project', () => {
  it.each<readonly [string, Readonly<Record<string, string | object>>, string, string]>([
    ['.nvmrc', { '.nvmrc': '22\n' }, '.nvmrc requires Node.js 22', "'node@>=22.0.0 <23.0.0-0'"],
    [
      '.nvmrc with a code name',
      { '.nvmrc': 'lts/hydrogen' },
      '.nvmrc requires Node.js lts/hydrogen',
      "'node@18.x' 'npm@10'",
    ],
    ['.nvmrc with a comment', { '.nvmrc': '# old\nv20.11.1' }, '.nvmrc requires Node.js v20.11.1', "'node@20.11.1'"],
    [
      '.node-version',
      { '.node-version': '20.11' },
      '.node-version requires Node.js 20.11',
      "'node@>=20.11.0 <20.12.0-0'",
    ],
    [
      '.tool-versions',
      { '.tool-versions': 'ruby 3.3.0\nnodejs 22.1.0\n' },
      '.tool-versions requires Node.js 22.1.0',
      "'node@22.1.0'",
    ],
    [
      'engines',
      { 'package.json': { ...manifest, engines: { node: '>=12.22.0 <=16.x.x' } } },
      'package.json requires Node.js >=12.22.0 <=16.x.x',
      "'node@>=12.22.0 <17.0.0-0' 'npm@8'",
    ],
  ])('is the version in %s, which npm installs', async (_, files, rule, packages) => {
    const runtime = await runtimeOf(files);
    expect(runtime?.rule).toBe(`${rule}: npm installs it`);
    expect(runtime?.command).toContain(packages);
  });

  it.each([
    ['nothing requires another version', {}],
    ['the version is that of the machine', { '.nvmrc': OWN }],
    ['the range includes that of the machine', { 'package.json': { ...manifest, engines: { node: '>=18' } } }],
    ['the newest version is required', { '.nvmrc': 'lts/*' }],
    ['the file is empty', { '.nvmrc': '\n' }],
  ])('is that of the machine if %s', async (_, files) => {
    expect(await runtimeOf(files)).toBeUndefined();
  });

  it('is that of the machine, and the log says so, if the file names no version', async () => {
    expect(await runtimeOf({ '.nvmrc': '$(reboot)' })).toEqual({
      rule: `.nvmrc requires Node.js $(reboot), which is not a version: Node.js ${process.versions.node} is used`,
    });
  });

  it('also runs the build command of the owner', () => {
    const runtime = { rule: '', command: 'install-it' };
    expect(buildCommandOf({ rules: [], runtime, command: 'npm ci' }, 'make')).toBe('install-it && { make\n}');
    expect(buildCommandOf({ rules: [], command: 'npm ci' }, 'make')).toBe('make');
    expect(buildCommandOf({ rules: [], runtime }, undefined)).toBe('install-it');
  });
});
