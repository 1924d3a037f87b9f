import type { Plan } from './plan.js';
import type { Step } from './steps.js';

const SIGNS = { create: '+ create', change: '~ change', delete: '- delete' };

/** One line for a step. */
export const lineOf = ({ action, what, changes }: Step): string =>
  `${SIGNS[action]}  ${what}${changes.length === 0 ? '' : `  (${changes.join(', ')})`}`;

/** The plan as the user sees it. */
export const textOf = ({ steps, notes }: Plan): string =>
  [...(steps.length === 0 ? ['Nothing to change.'] : steps.map(lineOf)), ...notes].join('\n');

/** The output with `--json`. */
export const planAsJson = ({ steps, notes }: Plan, applied: boolean): object => ({
  applied,
  steps: steps.map(({ action, what, changes }) => ({ action, what, changes })),
  notes,
});
