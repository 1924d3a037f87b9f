import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const { targetDefaults } = JSON.parse(readFileSync(join(ROOT, 'nx.json'), 'utf8')) as {
  targetDefaults: Readonly<Record<string, { readonly options?: { readonly command?: string } }>>;
};

/** The arguments with which Nx calls Jest, and what a user appends. */
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
  ])('takes a part of the path of a spec: %s', (target, project, part) => {
    const listed = execFileSync('node', ['node_modules/jest/bin/jest.js', ...argumentsOf(target, project, part)], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const files = listed.split('\n').filter(line => line.endsWith('.ts'));
    expect(files.filter(file => !file.includes(part))).toEqual([]);
    expect(files[0]).toContain(part);
  });
});
