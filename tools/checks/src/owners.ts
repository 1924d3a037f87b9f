import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `service.json` of a service: the team that owns it, and what it owns besides. */
interface ServiceManifest {
  readonly owner: string;
  readonly also?: readonly string[];
}

/** @throws with the field that is wrong. */
const readManifest = (root: string, file: string): ServiceManifest => {
  const { owner, also = [], ...others } = JSON.parse(readFileSync(join(root, file), 'utf8')) as ServiceManifest;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`${file}: there is no field ${unknown}`);
  if (typeof owner !== 'string' || !/^[a-z]+$/.test(owner))
    throw new Error(`${file}: owner is not a team in lower case`);
  const missing = also.find(path => !existsSync(join(root, path)));
  if (missing !== undefined) throw new Error(`${file}: also names ${missing}, which does not exist`);
  return { owner, also };
};

/** The team of each service, and the paths that it owns. */
export interface Owned {
  readonly service: string;
  readonly team: string;
  readonly paths: readonly string[];
}

/** @throws with the file and field that is wrong. */
export const ownedServices = (root: string): readonly Owned[] =>
  readdirSync(join(root, 'apps'))
    .sort()
    .filter(service => existsSync(join(root, 'apps', service, 'service.json')))
    .map(service => {
      const { owner, also = [] } = readManifest(root, `apps/${service}/service.json`);
      const own = [
        `apps/${service}`,
        `prisma/${service}`,
        `k8s/values/${service}.yaml`,
        `libs/contracts/src/${service}`,
      ];
      return { service, team: owner, paths: [...own, ...also].filter(path => existsSync(join(root, path))) };
    });

/** `.github/CODEOWNERS`: each change is reviewed by the team of its service. */
export const codeOwners = (root: string): string =>
  [
    '# Written by `node tools/checks/owners.mjs` from apps/*/service.json. Replace @postern with your organization.',
    ...ownedServices(root).flatMap(({ team, paths }) => paths.map(path => `/${path} @postern/${team}`)),
    '',
  ].join('\n');
