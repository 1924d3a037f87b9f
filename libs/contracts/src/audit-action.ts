import type { HttpRoute } from './http-route.js';

/** A call of the platform API whose key was refused. */
export const PLATFORM_KEY_USED = 'platform_key.used';

/** A log-in to SMTP submission whose API key was refused. */
export const API_KEY_USED = 'api_key.used';

/** A call of a deploy hook. */
export const DEPLOY_HOOK_CALLED = 'deploy_hook.called';

/** Operations whose action does not follow from their name. */
const ACTIONS: Readonly<Record<string, string>> = {
  'Session.signIn': 'session.created',
  'Session.switchWorkspace': 'session.workspace_switched',
  'Users.createWorkspace': 'workspace.created',
  'Users.changeMe': 'user.changed',
  'SecondFactor.start': 'second_factor.started',
  'SecondFactor.renewRecoveryCodes': 'second_factor.recovery_codes_renewed',
  'Users.removeSecondFactor': 'second_factor.removed',
  'Members.leave': 'workspace.left',
  'VerifiedRecipients.addMyself': 'verified_recipient.created',
  'ProjectSecrets.setAll': 'project_secret.set',
  'Environment.set': 'variable.set',
  'Environment.setAll': 'variable.set',
  'Environment.delete': 'variable.deleted',
  'Moderation.block': 'web_service.blocked',
  'Moderation.unblock': 'web_service.unblocked',
  'Moderation.suspend': 'web_service.suspended',
  'Moderation.resume': 'web_service.resumed',
  'Deployments.rollBack': 'deployment.rolled_back',
  'WebhookDeliveries.test': 'webhook.tested',
  'WebhookDeliveries.replaySince': 'webhook_delivery.replayed',
};

const PAST: Readonly<Record<string, string>> = {
  cancel: 'cancelled',
  add: 'created',
  set: 'set',
  stop: 'stopped',
  send: 'sent',
};

/**
 * The public action of an operation `<Tag>.<action>`, such as `email_service.created`. Every operation with the method
 * DELETE is `<resource type>.deleted`.
 */
export const auditActionOf = (operation: string, method: HttpRoute['method']): string => {
  const known = ACTIONS[operation];
  if (known) return known;
  const [tag = '', action = ''] = operation.split('.');
  const resource = snakeCase(singular(tag));
  if (method === 'DELETE') return `${resource}.deleted`;
  const [verb = '', ...object] = snakeCase(action).split('_');
  const rest = object.join('_');
  return `${resource}.${rest && rest !== resource ? `${rest}_` : ''}${pastOf(verb)}`;
};

const pastOf = (verb: string): string => {
  if (PAST[verb]) return PAST[verb];
  if (verb.endsWith('e')) return `${verb}d`;
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${verb}ed`;
};

const singular = (tag: string): string => {
  if (tag.endsWith('ies')) return `${tag.slice(0, -3)}y`;
  return tag.endsWith('s') ? tag.slice(0, -1) : tag;
};

const snakeCase = (name: string): string => name.replace(/(?<=[a-z0-9])[A-Z]/g, letter => `_${letter}`).toLowerCase();
