import { formatLabel } from '../formatting.js';

/** Actions that are clearer in other words than those of their name. */
const WORDS: Readonly<Record<string, string>> = {
  'session.created': 'Signed in',
  'session.deleted': 'Signed out',
  'session.workspace_switched': 'Workspace switched',
  'user.changed': 'Account changed',
};

/** An action of the audit log in words: `variable.set` becomes `Variable set`. */
export const actionLabel = (action: string): string => WORDS[action] ?? formatLabel(action.replace('.', '_'));
