import { setTimeout as after } from 'node:timers/promises';
import type { ServiceName } from '@postern/contracts';
import { UsageError } from '../errors.js';
import { table } from '../output/table.js';
import { type Operator, requestFromAll, requestOperation, serviceNamed, servicesNamed } from './operator.js';

const POLL_MS = 300;

/** `projections status [service]`: lists read models and their lag. */
export const projectionsStatus = async (operator: Operator, [service]: readonly string[]): Promise<boolean> => {
  const results = await requestFromAll(operator, servicesNamed(service), 'listProjections', {});
  const rows = results.flatMap(result =>
    'failure' in result
      ? [[result.service, result.failure, '', '', '']]
      : result.reply.projections.map(({ name, generation, lag, rebuilding, last_error }) => [
          result.service,
          name,
          generation,
          lag,
          rebuilding ? 'rebuilding' : (last_error ?? 'running'),
        ]),
  );
  operator.print(table(['SERVICE', 'PROJECTION', 'GENERATION', 'LAG', 'STATUS'], rows));
  return results.every(result => 'reply' in result);
};

/** `projections rebuild <service> [name]`: returns when the new generation is active. */
export const rebuildProjections = async (
  operator: Operator,
  [serviceName, name]: readonly string[],
): Promise<boolean> => {
  const service = serviceNamed(serviceName);
  const { projections } = await requestOperation(operator, service, 'listProjections', {});
  const known = projections.map(projection => projection.name);
  if (name !== undefined && !known.includes(name))
    throw new UsageError(`${service} has no projection ${name}. Its projections are ${known.join(', ')}`);
  for (const projection of name === undefined ? known : [name]) await rebuild(operator, service, projection);
  return true;
};

/** Starts a rebuild and waits for it. @throws if it ends without a new generation. */
export const rebuild = async (operator: Operator, service: ServiceName, name: string): Promise<void> => {
  const startedAt = Date.now();
  const { generation } = await requestOperation(operator, service, 'rebuildProjection', { name });
  for (let idle = 0; idle < 3; ) {
    await after(POLL_MS);
    const { projections } = await requestOperation(operator, service, 'listProjections', {});
    const now = projections.find(projection => projection.name === name);
    if (now && now.generation > generation) {
      operator.print(`${service}: ${name} rebuilt (generation ${now.generation}, ${Date.now() - startedAt} ms)`);
      return;
    }
    if (now?.last_error) throw new Error(`${service}: ${name} could not be rebuilt: ${now.last_error}`);
    // A rebuild is not visible before it holds its lock, nor after it has ended.
    idle = now?.rebuilding ? 0 : idle + 1;
  }
  throw new Error(`${service}: the rebuild of ${name} ended without a new generation. Read the log of the service.`);
};
