import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { services } from '../../setup/services.mjs';

/** The team of each service, and the paths that it owns. */
export interface Owned {
  readonly service: string;
  readonly team: string;
  readonly paths: readonly string[];
}

/** @throws with the file and field that is wrong. */
export const ownedServices = (root: string): readonly Owned[] =>
  services(root).map(({ name, owner, also }) => {
    const own = [`apps/${name}`, `prisma/${name}`, `k8s/values/${name}.yaml`, `libs/contracts/src/${name}`];
    return { service: name, team: owner, paths: [...own, ...also].filter(path => existsSync(join(root, path))) };
  });

/** `.github/CODEOWNERS`: each change is reviewed by the team of its service. */
export const codeOwners = (root: string): string =>
  [
    '# Written by `node tools/checks/services.mjs` from apps/*/service.json. Replace @postern with your organization.',
    ...ownedServices(root).flatMap(({ team, paths }) => paths.map(path => `/${path} @postern/${team}`)),
    '',
  ].join('\n');
