import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { isKebab } from './names.ts';
import { namesOfService, type ServiceNames } from './service-names.ts';
import { serviceSources } from './service-sources.ts';
import { workspaceFiles } from './service-workspace.ts';
import { create, finish, insert, read, type Tree } from './workspace.ts';

export interface ServiceGeneratorOptions {
  readonly name: string;
  readonly owner: string;
  readonly follows?: string;
}

/**
 * Adds a service with a database: it follows the events of another service, counts them, and answers the operator with the
 * counts. `service.json` in its folder is the source of every list of services in shared files.
 */
export default function service(tree: Tree, { name, owner, follows = 'email-send' }: ServiceGeneratorOptions) {
  if (!isKebab(name)) throw new Error(`"${name}" is not in kebab case, such as usage-reports`);
  if (!/^[a-z]+$/.test(owner)) throw new Error(`the owner "${owner}" is not a team in lower case, such as reports`);
  const names = namesOfService(tree, name, owner, follows);
  for (const [path, text] of Object.entries({ ...serviceSources(names), ...workspaceFiles(names) }))
    create(tree, path, text);
  addContracts(tree, names);
  addToLockfile(tree, names);
  const formatted = finish(tree, [
    'npm install',
    `npx nx run ${name}:generate && npx tsc -b`,
    'POSTERN_WRITE_SNAPSHOTS=1 npx nx test contracts --skip-nx-cache',
    'node tools/checks/nats-users.mjs && node tools/checks/configuration.mjs && node k8s/check/check.mjs --write',
    `npx nx test:integration ${name}`,
  ]);
  return (): void => {
    writeLists(tree.root);
    formatted();
  };
}

/** Writes the lists of services in shared files. */
const writeLists = (root: string): void => {
  const run = (...args: readonly string[]) => execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  run(join(root, 'node_modules/typescript/bin/tsc'), '-b', '--singleThreaded', 'tools/checks');
  run('tools/checks/services.mjs');
};

const addContracts = (tree: Tree, { name, variable, follows, events, event }: ServiceNames): void => {
  const consumers = 'libs/contracts/src/event-consumers.ts';
  const from = `from './${follows}/events.js';`;
  if (!new RegExp(`import \\{[^}]*\\b${event}\\b[^}]*\\} ${from}`).test(read(tree, consumers)))
    insert(tree, consumers, new RegExp(`\\} ${from}`), `, ${event} } ${from}`);
  insert(
    tree,
    consumers,
    /\/\*\* Every consumer of every service\. \*\//,
    `/** Counts events of ${follows}. */
export const ${variable}Consumer = consumerOf('${name}', '${events}', [${event}]);

$&`,
  );
  insert(
    tree,
    consumers,
    /(EVENT_CONSUMERS: readonly EventConsumer\[\] = \[[^\]]*?),?\s*\]/,
    `$1, ${variable}Consumer]`,
  );
  const index = 'libs/contracts/src/index.ts';
  tree.write(index, `${read(tree, index)}export * from './${name}/requests.js';\n`);
};

/** As `npm install` writes it, which needs no network then. */
const addToLockfile = (tree: Tree, { name, manifest }: ServiceNames): void => {
  const lockfile = JSON.parse(read(tree, 'package-lock.json')) as { packages: Record<string, unknown> };
  const { version, license, dependencies, devDependencies } = manifest;
  const added = {
    ...lockfile.packages,
    [`apps/${name}`]: { name: `@postern/${name}`, version, license, dependencies, devDependencies },
    [`node_modules/@postern/${name}`]: { resolved: `apps/${name}`, link: true },
  };
  const packages = Object.fromEntries(Object.entries(added).sort(([a], [b]) => a.localeCompare(b, 'en')));
  tree.write('package-lock.json', `${JSON.stringify({ ...lockfile, packages }, null, 2)}\n`);
};
