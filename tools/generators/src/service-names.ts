import { camel, pascal } from './names.ts';
import { read, type Tree } from './workspace.ts';

/** The names of a service in every form that its files need. */
export interface ServiceNames {
  readonly name: string;
  readonly owner: string;
  /** `UsageReports` and `usageReports`. */
  readonly Name: string;
  readonly variable: string;
  /** The port of its health checks on one server. */
  readonly port: number;
  readonly follows: string;
  /** The name of its consumer. */
  readonly events: string;
  /** The exported name of the contract of the event that it follows, and the fields of an example besides `at`. */
  readonly event: string;
  readonly fields: readonly string[];
  readonly manifest: {
    readonly version: string;
    readonly license: string;
    readonly dependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
  };
}

/** Events that every service with data about their subject needs. */
const FOLLOWED: Readonly<Record<string, Pick<ServiceNames, 'event' | 'fields'>>> = {
  'email-send': { event: 'emailServiceDeleted', fields: ['service_id', 'workspace_id'] },
  'delivery-tracking': { event: 'serviceTrackingEnded', fields: ['service_id'] },
  'platform-management': { event: 'workspaceDeleted', fields: ['workspace_id'] },
};

const DEPENDENCIES = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-fastify',
  '@postern/contracts',
  '@postern/event-sourcing',
  '@postern/messaging',
  '@postern/service-host',
  '@prisma/adapter-pg',
  '@prisma/client',
  'pg',
  'reflect-metadata',
  'rxjs',
  'zod',
];

interface Manifest {
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The names of a new service. @throws if there is one of this name, or nothing to follow */
export const namesOfService = (tree: Tree, name: string, owner: string, follows: string): ServiceNames => {
  if (tree.exists(`apps/${name}/package.json`)) throw new Error(`apps/${name} exists already`);
  const followed = FOLLOWED[follows];
  if (!followed) throw new Error(`"${follows}" cannot be followed; say one of ${Object.keys(FOLLOWED).join(', ')}`);
  // The versions of the libraries that every service has.
  const model = JSON.parse(read(tree, 'apps/webhook-dispatch/package.json')) as Manifest;
  const versions = DEPENDENCIES.map(each => [each, model.dependencies[each] as string]);
  const variable = camel(name);
  return {
    name,
    owner,
    Name: pascal(name),
    variable,
    port: 9090 + serviceCount(tree),
    follows,
    events: 'events',
    ...followed,
    manifest: {
      version: '0.1.0',
      license: model.license,
      dependencies: Object.fromEntries(versions),
      devDependencies: { '@postern/testing': model.devDependencies['@postern/testing'] as string },
    },
  };
};

/** One server gives its services ports in the order of their list. */
const serviceCount = (tree: Tree): number => {
  const list = /const SERVICES = \[([^\]]*)\]/.exec(read(tree, 'tools/one-server/src/rendering/model.ts'));
  return list?.[1]?.match(/'[a-z0-9-]+'/g)?.length ?? 0;
};
