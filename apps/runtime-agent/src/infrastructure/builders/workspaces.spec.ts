import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startOf } from './builders.js';

describe('A repository whose root folder starts nothing', () => {
  let directory: string;
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const errorFor = async (files: Readonly<Record<string, string>>): Promise<string> => {
    directory = await mkdtemp(join(tmpdir(), 'postern-workspaces-'));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), text);
    }
    return startOf(directory, { rules: [] }, 'unused').then(
      start => `starts ${start.kind}`,
      (error: Error) => error.message,
    );
  };

  const ROOT = '{"workspaces": ["apps/*", "packages/*"]}';
  const STARTS = '{"scripts": {"start": "node server.js"}}';

  it('gets an error that names the workspace with a start script, and the setting', async () => {
    expect(
      await errorFor({ 'package.json': ROOT, 'apps/web/package.json': STARTS, 'packages/ui/package.json': '{}' }),
    ).toBe(
      'no start command: package.json in the root folder has no start script, but apps/web has one; set root_directory to apps/web',
    );
  });

  it('gets an error with all such workspaces, and none that is not valid or inside of packages', async () => {
    const files = { 'package.json': ROOT, 'apps/api/package.json': STARTS, 'web/package.json': STARTS };
    const others = { 'apps/bad/package.json': '{', 'node_modules/x/package.json': STARTS };
    expect(await errorFor({ ...files, ...others })).toContain(
      'apps/api, web have one; set root_directory to one of them, such as apps/api',
    );
  });
});
