import { setTimeout as after } from 'node:timers/promises';
import type { ServiceName } from '@postern/contracts';
import { ask, askAll, type Operator, serviceNamed, servicesNamed } from '../operator.js';
import { table } from '../table.js';
import { UsageError } from '../usage-error.js';

const LOOK_EVERY_MS = 300;

/** `projections status [service]` */
export const projectionsStatus = async (operator: Operator, [service]: readonly string[]): Promise<boolean> => {
  const answers = await askAll(operator, servicesNamed(service), 'listProjections', {});
  const rows = answers.flatMap(answer =>
    'failure' in answer
      ? [[answer.service, answer.failure, '', '', '']]
      : answer.reply.projections.map(({ name, generation, lag, rebuilding, last_error }) => [
          answer.service,
          name,
          generation,
          lag,
          rebuilding ? 'rebuilding' : (last_error ?? 'follows'),
        ]),
  );
  operator.print(table(['SERVICE', 'PROJECTION', 'GENERATION', 'EVENTS BEHIND', 'STATE'], rows));
  return answers.every(answer => 'reply' in answer);
};

/** `projections rebuild <service> [name]`: returns when the new generation is in its place. */
export const rebuildProjections = async (operator: Operator, [asked, name]: readonly string[]): Promise<boolean> => {
  const service = serviceNamed(asked);
  const { projections } = await ask(operator, service, 'listProjections', {});
  const known = projections.map(projection => projection.name);
  if (name !== undefined && !known.includes(name))
    throw new UsageError(`${service} has no projection ${name}; it has ${known.join(', ')}`);
  for (const projection of name === undefined ? known : [name]) await rebuild(operator, service, projection);
  return true;
};

/** @throws when the rebuild ended without a new generation. */
export const rebuild = async (operator: Operator, service: ServiceName, name: string): Promise<void> => {
  const began = Date.now();
  const { generation } = await ask(operator, service, 'rebuildProjection', { name });
  for (let idle = 0; idle < 3; ) {
    await after(LOOK_EVERY_MS);
    const { projections } = await ask(operator, service, 'listProjections', {});
    const now = projections.find(projection => projection.name === name);
    if (now && now.generation > generation) {
      operator.print(`${service}: ${name} is rebuilt (generation ${now.generation}, ${Date.now() - began} ms)`);
      return;
    }
    if (now?.last_error) throw new Error(`${service}: ${name} could not be rebuilt: ${now.last_error}`);
    // Between its begin and its lock, and between its end and ours looking, a rebuild is not seen.
    idle = now?.rebuilding ? 0 : idle + 1;
  }
  throw new Error(`${service}: the rebuild of ${name} ended without a new generation; its log says why`);
};
