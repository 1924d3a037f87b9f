import { isApplicationPending } from '../applying/pending.js';
import { interrupted } from './journal.js';

/** The command that a kill has interrupted and `postern resume` continues, without "postern". */
export const interruptedCommand = (): string | undefined =>
  interrupted()?.operation ?? (isApplicationPending() ? 'config apply' : undefined);
