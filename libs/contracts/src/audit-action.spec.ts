import { describe, expect, it } from '@jest/globals';
import { auditActionOf } from './audit-action.js';
import * as contracts from './index.js';
import { isRequestContract, recordAuditEntry } from './index.js';

/** Actions of released routes. Stored entries and filters of users contain them, so none is renamed. */
const RELEASED = `
  api_key.created api_key.deleted database.created database.deleted deployment.cancelled deployment.created
  deployment.rolled_back email_service.created email_service.limits_set email_service.updated platform_key.created
  platform_key.deleted project.created project_secret.deleted project_secret.set sending_domain.created
  sending_domain.deleted sending_domain.rotated sending_domain.verified suppression.deleted user.created
  user.password_changed variable.deleted variable.set verified_recipient.created verified_recipient.deleted
  verified_recipient.verified web_service.blocked web_service.created web_service.deployed web_service.restarted
  web_service.resumed web_service.started web_service.stopped web_service.suspended web_service.unblocked
  webhook.created webhook.deleted webhook.secret_rotated webhook.secret_switched webhook.tested webhook.updated
  webhook_delivery.replayed workspace.created`.trim();

const actions = Object.values<unknown>(contracts)
  .filter(isRequestContract)
  .flatMap(({ http }) => http)
  .filter(({ method }) => method !== 'GET')
  .map(({ operation, method }) => auditActionOf(operation, method));

describe('The audit log', () => {
  it('names the action of every writing route', () =>
    expect(actions.filter(action => recordAuditEntry.request.shape.action.safeParse(action).error)).toEqual([]));

  it('keeps the names of released actions', () =>
    expect(actions).toEqual(expect.arrayContaining(RELEASED.split(/\s+/))));

  it.each([
    ['Members.invite', 'POST', 'member.invited'],
    ['WebServices.addDomain', 'POST', 'web_service.domain_created'],
    ['Databases.copy', 'POST', 'database.copied'],
    ['Members.remove', 'DELETE', 'member.deleted'],
  ] as const)('derives the action of %s with %s', (operation, method, action) =>
    expect(auditActionOf(operation, method)).toBe(action),
  );

  it.each([
    ['Session.signIn', 'POST', 'session.created'],
    ['Session.signOut', 'DELETE', 'session.deleted'],
    ['Session.switchWorkspace', 'POST', 'session.workspace_switched'],
  ] as const)('has %s as an action of sessions', (operation, method, action) =>
    expect(auditActionOf(operation, method)).toBe(action),
  );
});
