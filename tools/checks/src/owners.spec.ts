import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { codeOwners, ownedServices } from './owners.js';

const ROOT = join(import.meta.dirname, '../../..');
const { release } = JSON.parse(readFileSync(join(ROOT, 'nx.json'), 'utf8')) as {
  readonly release: { readonly projects: readonly string[] };
};

it('every released service names the team that owns it', () =>
  expect(ownedServices(ROOT).map(({ service }) => service)).toEqual(
    release.projects.filter(project => existsSync(join(ROOT, 'apps', project))).sort(),
  ));

it('CODEOWNERS has the teams of the services; `node tools/checks/services.mjs` writes it anew', () =>
  expect(readFileSync(join(ROOT, '.github/CODEOWNERS'), 'utf8')).toBe(codeOwners(ROOT)));
