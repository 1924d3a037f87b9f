import { interrupted } from '../operations/journal.js';
import type { Finding } from '../preflight/finding.js';

/** Whether an operation, such as an upgrade, was interrupted and has to be continued. */
export const operationFinding = (): Finding => {
  const journal = interrupted();
  if (!journal) return { check: 'operations', verdict: 'good', found: 'none was interrupted' };
  return {
    check: 'operations',
    verdict: 'bad',
    found: `"postern ${journal.operation}" of ${journal.startedAt} was interrupted`,
    advice: 'Continue it: postern resume',
  };
};
