import { reclassifyBounces } from '@postern/contracts';
import type { Operator } from './operator.js';

/** `bounces reclassify`: reclassifies all stored bounce notices by the current rules. */
export const reclassify = async ({ requests, print }: Operator): Promise<boolean> => {
  let [read, changed] = [0, 0];
  for (let after: string | null | undefined; after !== null; ) {
    const reply = await requests.request(reclassifyBounces, after === undefined ? {} : { after_id: after });
    read += reply.read;
    changed += reply.changed;
    after = reply.next_after_id;
    if (after === null)
      print(`Reclassified ${read} notices with rules version ${reply.rules_version}; ${changed} bounces changed.`);
  }
  return true;
};
