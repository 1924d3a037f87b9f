import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BuildFailed } from '@postern/runtime';
import { buildPlanFor } from './builders.js';
import { processTypes } from './procfile.js';
import { type Project, projectIn } from './project.js';
import { machineWith } from './testing/machine-with.js';

const MIB = 2 ** 20;
const HERE = machineWith();

describe('A file of a project', () => {
  let root: string;
  let project: Project;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'postern-project-'));
    project = projectIn(root);
  });
  afterEach(() => rm(root, { recursive: true }));

  const write = (name: string, text: string): Promise<void> => writeFile(join(root, name), text);

  it.each(['Procfile', 'package.json', 'composer.json', 'go.mod', 'Cargo.toml', 'pyproject.toml', 'hugo.toml'])(
    'that decides how it is built may have 1 MiB: the build names a larger %s',
    async name => {
      await write(name, `{}${' '.repeat(MIB - 1)}`);
      const refused = expect(buildPlanFor(project, HERE)).rejects;
      await refused.toThrow(BuildFailed);
      await refused.toThrow(`${name} is larger than 1 MiB, the maximum size of such a file: make it smaller`);
      await write(name, `{}${' '.repeat(MIB - 2)}`);
      await expect(buildPlanFor(project, HERE)).resolves.toBeDefined();
    },
  );

  it('may begin with the byte order mark of an editor of Windows', async () => {
    await write('Procfile', '\uFEFFweb: node server.js\r\n');
    await write('package.json', '\uFEFF{"dependencies": {"a": "1"}}');
    expect(processTypes((await project.read('Procfile')) ?? '')).toEqual({ web: 'node server.js' });
    expect((await buildPlanFor(project, HERE)).rules).toEqual(['no lock file found: npm install']);
  });

  it('with source code or locked packages may be larger: its first MiB is read', async () => {
    await write('package.json', '{"dependencies": {"a": "1"}}');
    await write('yarn.lock', `__metadata:\n${' '.repeat(2 * MIB)}`);
    await write('main.js', `${' '.repeat(2 * MIB)}Deno.serve()`);
    expect((await buildPlanFor(project, HERE)).rules[0]).toBe(
      'yarn.lock of Yarn 2 or newer found: yarn install --immutable',
    );
    expect(await project.readBeginning('yarn.lock')).toHaveLength(MIB);
  });

  it('is a regular file: links are not followed', async () => {
    await write('text', 'a');
    await symlink('text', join(root, 'link'));
    expect([await project.read('text'), await project.readBeginning('text')]).toEqual(['a', 'a']);
    for (const name of ['link', '.', 'missing'])
      expect([await project.read(name), await project.readBeginning(name)]).toEqual([undefined, undefined]);
  });
});
