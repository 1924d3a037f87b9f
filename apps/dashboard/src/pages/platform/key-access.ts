import type { PlatformKey, PlatformOperation, Project } from '@postern/contracts';
import type { Values } from '../../components/form.js';
import { counted, formatLabel } from '../../formatting.js';

/** Names of the form fields of a project and of an operation start with these. */
export const PROJECT = 'project ';
export const OPERATION = 'operation ';

/** The resources that operations belong to; one that is added to the contracts does not compile until it is here. */
const RESOURCES: Readonly<Record<PlatformOperation extends `${infer Resource}:${string}` ? Resource : never, true>> = {
  projects: true,
  'project-secrets': true,
  'web-services': true,
  deployments: true,
  environment: true,
  'logs-and-metrics': true,
  databases: true,
  runs: true,
};

export const OPERATIONS = Object.keys(RESOURCES).flatMap(resource => [
  `${resource}:read`,
  `${resource}:write`,
]) as PlatformOperation[];

/** `web-services:write` becomes `Web services: write`. */
export const operationName = (operation: string): string => {
  const [resource = '', access] = operation.split(':');
  return `${formatLabel(resource.replaceAll('-', '_'))}: ${access}`;
};

/** What the values of the form restrict a key to; nothing is sent for what is not restricted. */
export const keyRequest = ({ scope, expires_at, ...values }: Values): Record<string, unknown> => {
  const chosen = (prefix: string) =>
    Object.keys(values).flatMap(name => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  const [projects, operations] = [chosen(PROJECT), chosen(OPERATION)];
  return {
    scope,
    ...(projects.length > 0 && { projects }),
    ...(operations.length > 0 && { operations }),
    ...(expires_at && { expires_at: new Date(expires_at).toISOString() }),
  };
};

/** What a key can access, with the names of its projects; deleted ones have no name any more. */
export const accessOf = (
  { projects, operations }: Pick<PlatformKey, 'projects' | 'operations'>,
  known: readonly Pick<Project, 'id' | 'name'>[],
): string => {
  const names = (projects ?? []).flatMap(id => known.find(project => project.id === id)?.name ?? []);
  const others = (projects?.length ?? 0) - names.length;
  const inProjects = [...names, ...(others > 0 ? [counted(others, 'other project')] : [])].join(', ');
  return [
    projects ? inProjects : 'All projects',
    operations ? operations.map(operationName).join(', ') : 'all operations',
  ].join('; ');
};
