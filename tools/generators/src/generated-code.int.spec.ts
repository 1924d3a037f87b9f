import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import command from './command.ts';
import feature from './feature.ts';
import type { Tree } from './workspace.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Inside the repository, so that packages are found. */
const COPY = join(ROOT, 'tools/generators/dist/generated');

/** A file tree that writes at once. */
const treeOf = (root: string): Tree => {
  const changed = new Set<string>();
  return {
    root,
    exists: path => existsSync(join(root, path)),
    read: path => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null),
    write: (path, content) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
      changed.add(path);
    },
    listChanges: () => [...changed].map(path => ({ path })),
  };
};

const run = (program: string, ...args: string[]) =>
  execFileSync(process.execPath, [join(ROOT, 'node_modules/.bin', program), ...args], { cwd: COPY, encoding: 'utf8' });

beforeAll(() => {
  rmSync(COPY, { recursive: true, force: true });
  for (const path of ['apps/email-send/src', 'libs/contracts/src', 'biome.json', '.gitignore', 'tsconfig.base.json'])
    cpSync(join(ROOT, path), join(COPY, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(COPY, 'node_modules'));
  const paths = {
    '@postern/contracts': ['./libs/contracts/src/index.ts'],
    '@postern/contracts/refusal': ['./libs/contracts/src/refusal.ts'],
  };
  const compilerOptions = { composite: false, noEmit: true, paths };
  const include = ['apps/email-send/src/notes', 'apps/email-send/src/email-send.module.ts'];
  writeFileSync(
    join(COPY, 'tsconfig.json'),
    JSON.stringify({ extends: './tsconfig.base.json', compilerOptions, include }),
  );
});
afterAll(() => rmSync(COPY, { recursive: true, force: true }));

describe('the generators', () => {
  it('write a feature with commands that compile and are formatted', () => {
    const service = 'email-send';
    feature(treeOf(COPY), { service, name: 'notes' })();
    command(treeOf(COPY), { service, feature: 'notes', name: 'rename-note' })();
    command(treeOf(COPY), { service, feature: 'notes', name: 'send-note', event: 'sent' })();
    expect(readFileSync(join(COPY, 'apps/email-send/src/notes/note.ts'), 'utf8')).toContain('email-send.note-sent.v1');
    run('biome', 'ci', '--error-on-warnings', 'apps/email-send/src/notes', 'libs/contracts/src');
    expect(run('tsc', '-p', '.')).toBe('');
  }, 300_000);

  it('overwrite nothing', () =>
    expect(() => command(treeOf(COPY), { service: 'email-send', feature: 'notes', name: 'create-note' })).toThrow(
      'exists already',
    ));

  it('name a decider that they cannot extend', () => {
    const named = { service: 'email-send', feature: 'daily-quotas', name: 'reset-daily-quota' };
    expect(() => command(treeOf(COPY), named)).toThrow(
      'apps/email-send/src/daily-quotas/daily-quota.ts does not exist',
    );
  });
});
