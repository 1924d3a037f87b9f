import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pathsBelow } from './source-tree.js';

const ROOT = join(import.meta.dirname, '../../..');
const { targetDefaults } = JSON.parse(readFileSync(join(ROOT, 'nx.json'), 'utf8')) as {
  targetDefaults: Readonly<Record<string, { readonly options?: { readonly command?: string } }>>;
};

/** The arguments with which Nx calls Jest, and the arguments that a user appends. */
const argumentsOf = (target: string, project: string, appended: string): string[] => {
  const command = targetDefaults[target]?.options?.command ?? '';
  const [, options = ''] = command.split(/\bjest /);
  return [...options.replace('{projectRoot}', project).split(' '), appended, '--listTests'];
};

describe('A target that runs tests', () => {
  it.each([
    ['test', 'apps/email-send', 'verified-recip'],
    ['test:integration', 'apps/email-send', 'email-services'],
    ['e2e', 'e2e', 'sandbox'],
    ['e2e:crash', 'e2e', 'platform-kill'],
  ])('accepts a part of the path of a spec: %s', (target, project, part) => {
    const listed = execFileSync('node', ['node_modules/jest/bin/jest.js', ...argumentsOf(target, project, part)], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const files = listed.split('\n').filter(line => line.endsWith('.ts'));
    expect(files.filter(file => !file.includes(part))).toEqual([]);
    expect(files[0]).toContain(part);
  });
});

/** The target that runs a spec file. */
const targetOf = (path: string): string => {
  if (path.includes('/crash/')) return 'e2e:crash';
  if (path.endsWith('.e2e.spec.ts')) return 'e2e';
  return path.endsWith('.int.spec.ts') ? 'test:integration' : 'test';
};

/** The targets that a project declares, in its package.json or project.json. */
const targetsOf = (folder: string): string[] => {
  const read = (name: string) => {
    const file = join(ROOT, folder, name);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  };
  return Object.keys({ ...read('package.json').nx?.targets, ...read('project.json').targets });
};

const projects = [
  ...['apps', 'libs', 'tools'].flatMap(parent => readdirSync(join(ROOT, parent)).map(name => `${parent}/${name}`)),
  'e2e',
].filter(folder => ['package.json', 'project.json'].some(name => existsSync(join(ROOT, folder, name))));

describe('Every project', () => {
  it.each(projects)('has the targets that run its spec files: %s', folder => {
    const needed = new Set(pathsBelow(ROOT, [folder], /\.spec\.ts$/).map(targetOf));
    expect(targetsOf(folder)).toEqual(expect.arrayContaining(['lint', ...needed]));
  });
});
