import { describe, expect, it } from '@jest/globals';
import { parseMailbox } from '@postern/mail';
import { draftEmail, type EmailRequestBody } from './email-draft.js';
import {
  checkRecipientsVerified,
  countsOnSharedSender,
  countsTowardsQuota,
  type EmailMode,
  resolveSender,
  type SenderStatus,
} from './sender-resolution.js';

describe('the From address', () => {
  it('of a production service on a verified domain is the real one', () =>
    expect(resolve({ from: 'Ada <ada@example.com>', reply_to: ['help@example.com'] }, production)).toMatchObject({
      mode: 'production',
      from: { name: 'Ada', address: 'ada@example.com' },
      replyTo: [{ address: 'help@example.com' }],
    }));

  it('of a production service adds no note to the outcome', () =>
    expect(resolve({ from: 'ada@example.com' }, production)).not.toHaveProperty('note'));

  it('of a sandbox service is the shared sandbox sender, even on a domain of its own', () =>
    expect(resolve({ from: 'ada@example.com' }, sandbox)).toMatchObject({
      mode: 'sandbox',
      from: { name: 'Postern Sandbox', address: 'sandbox@sandbox.test' },
    }));

  it('in sandbox mode leaves the original from as the first Reply-To, before any reply_to, each once', () =>
    expect(
      resolve({ from: 'Ada <ada@example.com>', reply_to: ['help@x.io', 'ADA@example.com'] }, sandbox).replyTo,
    ).toMatchObject([{ name: 'Ada', address: 'ada@example.com' }, { address: 'help@x.io' }]));

  it('on an unregistered domain falls back to the sandbox sender and names the domain', () =>
    expect(resolve({ from: 'ada@elsewhere.org' }, production)).toMatchObject({
      mode: 'sandbox_fallback',
      from: { address: 'sandbox@sandbox.test' },
      replyTo: [{ address: 'ada@elsewhere.org' }],
      note: expect.stringMatching(/elsewhere\.org is not a verified domain/),
    }));

  it('on a registered domain that is not verified yet falls back, with the reason', () =>
    expect(resolve({ from: 'ada@pending.org' }, production)).toMatchObject({
      mode: 'sandbox_fallback',
      note: expect.stringMatching(/pending\.org is registered but not verified yet/),
    }));

  it('on a subdomain of a verified domain is not covered', () =>
    expect(resolve({ from: 'ada@mail.example.com' }, production).mode).toBe('sandbox_fallback'));

  it('matches the domain without regard to case', () =>
    expect(resolve({ from: 'ada@EXAMPLE.com' }, production).mode).toBe('production'));
});

describe('the recipient check of a sandbox service', () => {
  it('accepts verified recipients in any case', () =>
    expect(gate({ to: ['Owner@Example.COM'] }, sandbox)).toBeUndefined());

  it.each(['to', 'cc', 'bcc'] as const)('refuses an unverified address in %s and names it', role =>
    expect(gate({ to: ['owner@example.com'], [role]: ['owner@example.com', 'eve@x.io'] }, sandbox)).toMatchObject({
      code: 'recipient_not_verified',
      message: expect.stringMatching(/^eve@x\.io is not a verified sandbox recipient/),
      details: { service_id: 'the-service' },
    }),
  );

  it('accepts addresses of the simulator', () =>
    expect(gate({ to: ['hard-bounce@simulator.test'] }, sandbox)).toBeUndefined());

  it('does not accept subdomains of the simulator', () =>
    expect(gate({ to: ['x@evil.simulator.test'] }, sandbox)).toMatchObject({ code: 'recipient_not_verified' }));

  it('does not apply to a production service, fallback or not', () =>
    expect(gate({ from: 'ada@elsewhere.org', to: ['eve@x.io'] }, production)).toBeUndefined());
});

describe('the cap of the shared sender', () => {
  const countsOnIt = (mode: EmailMode, to: readonly string[]) =>
    countsOnSharedSender(
      mode,
      draft({ to: [...to] }).recipients,
      { verifiedRecipients: new Set(['owner@example.com']) },
      'simulator.test',
    );
  it('counts fallback mail with a recipient that is not verified', () =>
    expect(countsOnIt('sandbox_fallback', ['owner@example.com', 'eve@x.io'])).toBe(true));
  it('does not count fallback mail to verified recipients and the simulator', () =>
    expect(countsOnIt('sandbox_fallback', ['Owner@example.com', 'delivered@simulator.test'])).toBe(false));
  it.each(['production', 'sandbox'] as const)('does not count mail in mode %s', mode =>
    expect(countsOnIt(mode, ['eve@x.io'])).toBe(false),
  );
});

describe('the quota', () => {
  it('does not count mail to the simulator alone', () =>
    expect(counts({ to: ['delivered@simulator.test'] })).toBe(false));
  it('counts mail that also goes elsewhere', () =>
    expect(counts({ to: ['delivered@simulator.test'], cc: ['ada@x.io'] })).toBe(true));
});

const sandbox: SenderStatus = {
  serviceId: 'the-service',
  mode: 'sandbox',
  verifiedDomains: new Map(),
  registeredDomains: new Set(['example.com']),
  verifiedRecipients: new Set(['owner@example.com']),
};
const production: SenderStatus = {
  serviceId: 'the-service',
  mode: 'production',
  verifiedDomains: new Map([['example.com', {}]]),
  registeredDomains: new Set(['example.com', 'pending.org']),
  verifiedRecipients: new Set(),
};
const sandboxSender = parseMailbox('Postern Sandbox <sandbox@sandbox.test>');

function draft(changes: Partial<EmailRequestBody>) {
  const body = { from: 'ada@example.com', to: ['owner@example.com'], cc: [], bcc: [], subject: 'Hi', headers: {} };
  return draftEmail({ ...body, text: 'Hi', ...changes });
}

function resolve(changes: Partial<EmailRequestBody>, sender: SenderStatus) {
  return resolveSender(draft(changes), sender, sandboxSender);
}

function gate(changes: Partial<EmailRequestBody>, sender: SenderStatus): unknown {
  try {
    checkRecipientsVerified(draft(changes).recipients, sender, 'simulator.test');
  } catch (error) {
    return error;
  }
  return undefined;
}

function counts(changes: Partial<EmailRequestBody>): boolean {
  return countsTowardsQuota(draft(changes).recipients, 'simulator.test');
}
