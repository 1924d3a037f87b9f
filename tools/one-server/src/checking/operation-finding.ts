import { interruptedCommand } from '../operations/interrupted.js';
import type { Finding } from '../preflight/finding.js';

/** Whether an operation, such as an upgrade, was interrupted and has to be continued. */
export const operationFinding = (): Finding => {
  const command = interruptedCommand();
  if (command === undefined) return { check: 'operations', verdict: 'good', found: 'none was interrupted' };
  return {
    check: 'operations',
    verdict: 'bad',
    found: `"postern ${command}" was interrupted`,
    advice: 'Continue it: postern resume',
  };
};
