import { describe, expect, it } from '@jest/globals';
import { actionLabel } from './audit-actions.js';

describe('an action of the audit log', () => {
  it.each([
    ['variable.set', 'Variable set'],
    ['platform_key.created', 'Platform key created'],
    ['api_key.created', 'API key created'],
    ['second_factor.recovery_codes_renewed', 'Second factor recovery codes renewed'],
    ['session.created', 'Signed in'],
    ['session.workspace_switched', 'Workspace switched'],
  ])('%s is shown as “%s”', (action, words) => expect(actionLabel(action)).toBe(words));
});
