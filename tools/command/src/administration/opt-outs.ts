import { countCodeOptOuts, Refusal, removeCodeOptOut } from '@postern/contracts';
import { UsageError } from '../errors.js';
import type { Operator } from './operator.js';

/** `recipients opt-outs`: counts the mailboxes that refuse verification codes; their addresses are not stored. */
export const countOptOuts = async ({ requests, print }: Operator): Promise<boolean> => {
  const { count } = await requests.request(countCodeOptOuts, {});
  print(`${count} mailboxes have opted out of verification codes.`);
  return true;
};

/** `recipients remove-opt-out <address>`: the mailbox of the address accepts verification codes again. */
export const removeOptOut = async ({ requests, print }: Operator, [address]: readonly string[]): Promise<boolean> => {
  if (address === undefined) throw new UsageError('recipients remove-opt-out requires an address');
  try {
    const { removed } = await requests.request(removeCodeOptOut, { address });
    print(removed ? 'Removed. The mailbox accepts verification codes again.' : 'The mailbox is not on the list.');
    return removed;
  } catch (error) {
    if (error instanceof Refusal) throw new UsageError(error.message);
    throw error;
  }
};
