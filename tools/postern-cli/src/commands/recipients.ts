import { randomBytes } from 'node:crypto';
import type { ServiceName } from '@postern/contracts';
import { ask, type Operator } from '../operator.js';
import { table } from '../table.js';
import { UsageError } from '../usage-error.js';
import { rebuild } from './projections.js';

/** In the direction in which events go, so that what one passes on meanwhile is erased by the next. */
const HOLDERS: readonly ServiceName[] = ['email-send', 'delivery-tracking', 'webhook-dispatch'];

/** `recipients erase <address>`: erases a recipient over all services; a second time finds what was under way. */
export const eraseRecipient = async (operator: Operator, [address]: readonly string[]): Promise<boolean> => {
  if (address === undefined || !/^[^\s@<>]+@[^\s@<>]+$/.test(address))
    throw new UsageError('recipients erase needs one address, such as ada@example.net');
  const replacement = `erased-${randomBytes(8).toString('hex')}@erased.invalid`;
  const rows: (readonly (string | number)[])[] = [];
  for (const service of HOLDERS) {
    const { erased, rebuild: stale } = await ask(operator, service, 'eraseRecipient', { address, replacement });
    for (const { kind, rows: count } of erased) if (count > 0) rows.push([service, kind, count]);
    for (const name of stale) await rebuild(operator, service, name);
  }
  if (rows.length === 0) {
    operator.print('No service keeps anything of this address.');
    return true;
  }
  operator.print(table(['SERVICE', 'WHAT', 'ROWS'], rows));
  operator.print(`\nThe address reads ${replacement} from now on. Left over are:`);
  operator.print('  what was under way meanwhile: run this again in a minute, until nothing is found');
  operator.print('  events in JetStream, which forgets them after 7 days');
  operator.print('  backups: erase again after restoring one');
  return true;
};
