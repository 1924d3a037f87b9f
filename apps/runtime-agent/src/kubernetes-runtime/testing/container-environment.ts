import type { ContainerSpec } from './any-object.js';
import type { NodeApi } from './fake-node.js';

/** The values of a Secret. */
export const secretOf = async (api: NodeApi, name: string): Promise<Record<string, string>> => {
  const { data = {} } = (await api.send('GET', `/secrets/${name}`)) as { data?: Record<string, string> };
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
};

/** The environment of a container. `located` translates paths of the container. */
export const environmentOf = async (
  api: NodeApi,
  { env = [], envFrom = [], ports }: ContainerSpec,
  port: number,
  located: (text: string) => string,
): Promise<Record<string, string>> => {
  const environment: Record<string, string> = {};
  for (const { secretRef } of envFrom) Object.assign(environment, await secretOf(api, secretRef.name));
  for (const { name, value = '', valueFrom } of env) {
    const { secretKeyRef } = valueFrom ?? {};
    const read = secretKeyRef ? (await secretOf(api, secretKeyRef.name))[secretKeyRef.key] : value;
    environment[name] = located(read ?? '');
  }
  if (ports) environment['PORT'] = String(port);
  return environment;
};

/** Expands a command like Kubernetes: `$(NAME)` is a variable, and `$$` a dollar sign. */
export const expand = (part: string, environment: Readonly<Record<string, string>>): string =>
  part.replaceAll(/\$(\$|\((\w+)\))/g, (whole, what: string, name: string) =>
    what === '$' ? '$' : (environment[name] ?? whole),
  );
