import { describe, expect, it } from '@jest/globals';
import { HARD_BOUNCE_CAUSES, SOFT_BOUNCE_CAUSES } from '@postern/contracts/bounce-causes';
import { fold } from '@postern/event-sourcing';
import { type BounceName, meaningOf } from '@postern/mail';
import { after, kind, publicEvents, SENT } from '../testing/decided-signals.js';
import { accepted, at, copy, handedOver, notified } from '../testing/example-signals.js';
import { classifyByOwnRules, comparableText, type OwnBounceRule } from './own-bounce-rules.js';
import type { Signal } from './signal.js';
import { trackedEmail } from './tracked-email.js';

const REPLY = '550-5.1.1 Recipient  REJECTED by local policy. 550 Ask your IT';

const rule = (change: Partial<OwnBounceRule> = {}): OwnBounceRule => ({
  id: '1',
  phrase: 'recipient rejected by local policy',
  cause: 'policy',
  domain: null,
  statusCode: null,
  ...change,
});

const causeOf = (rules: readonly OwnBounceRule[], reply = REPLY, address = 'ada@x.test') =>
  classifyByOwnRules(rules, address, reply)?.classification.name;

describe('A rule of the owner', () => {
  it('matches its words whatever their case and spaces, and not parts of other words only', () => {
    expect(causeOf([rule()])).toBe('policy');
    expect(causeOf([rule()], '550 5.1.1 Recipient rejected')).toBeUndefined();
    expect(causeOf([rule({ phrase: comparableText('  LOCAL\tpolicy ') })])).toBe('policy');
  });

  it('is text: characters of patterns have no meaning', () => {
    expect(causeOf([rule({ phrase: 'recipient.*policy' })])).toBeUndefined();
    expect(causeOf([rule({ phrase: '(a+)+$' })], `550 ${'a'.repeat(900)}`)).toBeUndefined();
    expect(causeOf([rule({ phrase: '(a+)+$' })], '550 no (a+)+$ here')).toBe('policy');
  });

  it.each([
    ['550', REPLY, true],
    ['5.1.1', REPLY, true],
    ['5.1.10', REPLY, false],
    ['5.1.1', '550 5.1.10 recipient rejected by local policy', false],
    ['5.7.1', 'recipient rejected by local policy (5.7.1).', true],
  ])('limited to the code %s, the reply %s matches: %s', (statusCode, reply, isMatched) =>
    expect(causeOf([rule({ statusCode })], reply) !== undefined).toBe(isMatched),
  );

  it.each([
    ['x.test', 'Ada@X.test', true],
    ['x.test', 'ada@sub.x.test', false],
    ['x.test', 'ada@otherx.test', false],
    ['xn--bcher-kva.test', 'ada@bücher.test', true],
  ])('limited to recipients at %s, the address %s matches: %s', (domain, address, isMatched) =>
    expect(causeOf([rule({ domain })], REPLY, address) !== undefined).toBe(isMatched),
  );

  it('is read before those that follow it', () => {
    expect(causeOf([rule({ cause: 'reputation' }), rule({ cause: 'unknown_user' })])).toBe('reputation');
  });

  it('gives the type and the advice of its cause', () => {
    expect(classifyByOwnRules([rule({ id: '7', cause: 'unknown_user' })], 'ada@x.test', REPLY)).toEqual({
      bounceType: 'hard',
      classification: {
        name: 'unknown_user',
        rule: 'own.7',
        rules_version: 1,
        advice: meaningOf('unknown_user').advice,
      },
    });
  });

  it('has a cause of the type that the API states', () => {
    const typed = (causes: readonly BounceName[]) => new Set(causes.map(cause => meaningOf(cause).type));
    expect([typed(HARD_BOUNCE_CAUSES), typed(SOFT_BOUNCE_CAUSES)]).toEqual([new Set(['hard']), new Set(['soft'])]);
  });
});

describe('A bounce of a service with rules', () => {
  const NO_USER = '550 5.1.1 no such user';
  const ownRules = [rule({ phrase: 'no such user' })];
  const decided = (history: ReturnType<typeof after>['history'], signal: Signal, rules = ownRules) =>
    trackedEmail.decide(signal, { ...fold(trackedEmail, history), ownRules: rules });
  const corrected: Signal = { kind: 'corrected', index: 0, at: at(90) };

  it('has the class of the rule, in a notification and in the answer of the relay', () => {
    const refused = handedOver(copy(0, { result: 'refused', smtp_response: NO_USER }), copy(1));
    for (const [history, signal] of [
      [after(...SENT).history, notified('failed')],
      [after(accepted).history, refused],
    ] as const) {
      const [bounce] = publicEvents(decided(history, signal));
      expect(bounce).toMatchObject({
        data: { bounce_type: 'soft' },
        classification: { name: 'policy', rule: 'own.1' },
      });
    }
  });

  it('stays soft if it is about a forwarded address', () => {
    const forwarded = notified('failed', { addresses: ['ada@elsewhere.test'] });
    const rules = [rule({ phrase: 'no such user', cause: 'unknown_user' })];
    expect(publicEvents(decided(after(...SENT).history, forwarded, rules))).toMatchObject([
      { data: { bounce_type: 'soft' } },
    ]);
  });

  it('is published again after a correction that changes its type, and once', () => {
    const { history } = after(...SENT, notified('failed'));
    const events = decided(history, corrected);
    expect(events.map(kind)).toEqual(['bounce-reclassified', 'email-bounced']);
    expect(publicEvents(events)).toMatchObject([{ data: { bounce_type: 'soft' }, classification: { rule: 'own.1' } }]);
    expect(decided([...history, ...events], corrected)).toEqual([]);
  });

  it('is not corrected without a rule that matches, without a bounce, or if the suppression list caused it', () => {
    const suppressed = handedOver(
      copy(0, { result: 'suppressed', smtp_response: 'suppressed: no such user' }),
      copy(1),
    );
    expect(decided(after(...SENT, notified('failed')).history, corrected, [])).toEqual([]);
    expect(decided(after(...SENT).history, corrected)).toEqual([]);
    expect(decided(after(accepted, suppressed).history, corrected)).toEqual([]);
  });

  it('keeps the class of the rule when newer rules of Postern classify it again', () => {
    const { history } = after(...SENT, notified('failed'));
    const classification = { name: 'unknown_user', rule: 'code.1.1', rules_version: 4, advice: 'Remove it.' };
    const again: Signal = { kind: 'reclassified', index: 0, bounceType: 'hard', classification, at: at(99) };
    const events = decided(history, corrected);
    expect(decided([...history, ...events], again)).toEqual([]);
  });
});
