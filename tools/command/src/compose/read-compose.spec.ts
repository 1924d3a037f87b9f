import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { composeFileIn, isComposeFile, readCompose } from './read-compose.js';

let folder: string;
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const git = (...args: readonly string[]) => execFileSync('git', ['-C', folder, ...args]);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-compose-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('A Compose file in a folder', () => {
  it('is found by the names of Docker Compose, in its order', () => {
    expect(composeFileIn(folder)).toBeUndefined();
    write('docker-compose.yml', '');
    expect(composeFileIn(folder)).toBe('docker-compose.yml');
    write('compose.yaml', '');
    expect(composeFileIn(folder)).toBe('compose.yaml');
  });

  it.each([
    ['deploy/compose.yaml', true],
    ['compose.production.yml', true],
    ['docker-compose.yml', true],
    ['postern.yaml', false],
    ['decompose.yaml', false],
  ])('%s: %s', (path, expected) => {
    expect(isComposeFile(path)).toBe(expected);
  });

  it('is read with .env, which the environment overrides, its env files and its repository', () => {
    git('init', '--quiet');
    git('remote', 'add', 'origin', 'https://ada:token@git.example.com/shop.git');
    mkdirSync(join(folder, 'deploy'));
    write('deploy/.env', 'PORT_OF_WEB=3000\nNAME=of-file\n');
    write('deploy/web.env', 'FROM_FILE="two words"\n');
    write(
      'deploy/compose.yaml',
      'services: {web: {build: ../web, expose: [$PORT_OF_WEB], env_file: web.env, environment: [NAME]}}',
    );
    write('deploy/compose.override.yaml', '');
    const { blueprint, notes, secrets } = readCompose(join(folder, 'deploy/compose.yaml'), { NAME: 'of-environment' });
    expect(blueprint).toMatchObject({
      project: 'deploy',
      services: { web: { repository: 'https://git.example.com/shop.git', root_directory: 'web', port: 3000 } },
    });
    expect([...secrets]).toEqual([
      ['web/FROM_FILE', 'two words'],
      ['web/NAME', 'of-environment'],
    ]);
    expect(notes).toEqual([`${join(folder, 'deploy/compose.override.yaml')} is not read.`]);
  });

  it('is refused if it is too large', () => {
    write('compose.yaml', `# ${'x'.repeat(2 ** 20)}`);
    expect(() => readCompose(join(folder, 'compose.yaml'), {})).toThrow('has more than 1048576 bytes');
  });
});
