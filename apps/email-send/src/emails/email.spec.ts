import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { fold } from '@postern/event-sourcing';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import type { CopyAnswer } from '../relay/hand-over.js';
import { type EmailEvent, type EmailFacts, email, isFinal } from './email.js';

const given = specificationOf(email);
const at = '2026-03-04T10:20:30.000Z';
const facts: EmailFacts = {
  email_id: '01900000-0000-7000-8000-000000000001',
  service_id: '01900000-0000-7000-8000-000000000002',
  workspace_id: '01900000-0000-7000-8000-000000000003',
  mode: 'production',
  from: 'Shop <shop@example.com>',
  subject: 'Hello',
  recipients: [
    { index: 0, address: 'ada@x.io', role: 'to' },
    { index: 1, address: 'bob@x.io', role: 'bcc' },
  ],
  message_id: '01900000-0000-7000-8000-000000000001@example.com',
  counts: true,
  accepted_at: at,
};
const accepted: EmailEvent = { type: 'email-send.email-accepted.v1', data: facts };
const copyAnswer = (result: CopyAnswer['result'], response: string): CopyAnswer => ({
  result,
  response,
  relay: 'upstream',
  relayIsFinal: false,
});
const taken = copyAnswer('accepted', '250 ok');
const later = copyAnswer('deferred', '451 later');

describe('a message', () => {
  it('is accepted once', () => {
    given().when({ kind: 'accept', facts }).yields(accepted);
    given(accepted).when({ kind: 'accept', facts }).refuses('email_exists');
  });

  it('is concluded with the outcome of every copy, in the order of its recipients', () =>
    given(accepted)
      .when({ kind: 'conclude', answers: [taken, copyAnswer('refused', '550 no')], at })
      .yields(handedOver('accepted', 'refused')));

  it('is concluded once, so that nothing is handed over twice', () => {
    given(accepted, handedOver('accepted', 'accepted'))
      .when({ kind: 'conclude', answers: [taken, taken], at })
      .refuses('email_concluded');
    given(accepted, interrupted())
      .when({ kind: 'conclude', answers: [taken, taken], at })
      .refuses('email_concluded');
  });

  it('is finished when no copy was handed over', () =>
    given(accepted)
      .when({ kind: 'conclude', answers: [later, later], at })
      .yields({
        type: 'email-send.email-not-handed-over.v1',
        data: {
          email_id: facts.email_id,
          service_id: facts.service_id,
          reason: 'no relay accepted the message: 451 later',
          at,
        },
      }));

  it('whose process died is interrupted, unless it was concluded before', () => {
    given(accepted).when({ kind: 'interrupt', at }).yields(interrupted());
    given(accepted, handedOver('accepted', 'accepted')).when({ kind: 'interrupt', at }).refuses('email_concluded');
  });

  it('that is given up was not handed over and is finished', () => {
    given(accepted).when({ kind: 'give_up', reason: 'internal error', at }).yields(notHandedOver());
    given(accepted, notHandedOver()).when({ kind: 'give_up', reason: 'again', at }).refuses('email_concluded');
    expect(fold(email, [accepted, notHandedOver()])).toMatchObject({
      status: 'failed',
      message: 'Not sent: internal error',
      handedOver: false,
    });
  });

  it('is final when no copy will be retried', () => {
    expect(finalAfter(accepted)).toBe(false);
    expect(finalAfter(accepted, handedOver('accepted', 'refused'))).toBe(true);
    expect(finalAfter(accepted, handedOver('accepted', 'deferred'))).toBe(false);
    expect(finalAfter(accepted, handedOver('accepted', 'deferred'), retried('deferred'))).toBe(false);
    expect(finalAfter(accepted, handedOver('accepted', 'deferred'), retried('expired'))).toBe(true);
    expect(finalAfter(accepted, interrupted())).toBe(true);
  });
});

describe('a deferred copy', () => {
  const waiting = [accepted, handedOver('accepted', 'deferred')];

  it('that is deferred again keeps waiting until its last retry', () => {
    const again = { kind: 'record_try', index: 1, answer: later, at } as const;
    given(...waiting)
      .when({ ...again, last: false })
      .yields(retried('deferred'));
    given(...waiting)
      .when({ ...again, last: true })
      .yields(retried('expired'));
  });

  it('counts as deferred when no relay could be reached', () =>
    given(...waiting)
      .when({ kind: 'record_try', index: 1, answer: copyAnswer('unreachable', '451 later'), last: false, at })
      .yields(retried('deferred')));

  it('with a known outcome accepts no other', () =>
    given(...waiting, retried('unknown'))
      .when({ kind: 'record_try', index: 1, answer: taken, last: false, at })
      .yields());

  it('is the only copy that is retried', () =>
    given(...waiting)
      .when({ kind: 'record_try', index: 0, answer: taken, last: false, at })
      .yields());
});

describe('a retry of a copy beside one with an unknown outcome', () => {
  const history = [accepted, failedUnknown('deferred')];

  it('makes the message sent when the relay accepts it', () =>
    expect(fold(email, [...history, retried('accepted')])).toMatchObject({ status: 'sent', deferred: [] }));

  it('leaves the outcome to evidence when the attempt was cut off', () => {
    given(...history, retried('unknown'))
      .when({ kind: 'confirm', evidence: { index: 1, kind: 'delivered', at } })
      .yields(confirmed(1));
  });

  it('makes the message sent when evidence arrives before the attempt is recorded', () => {
    given(...history)
      .when({ kind: 'confirm', evidence: { index: 1, kind: 'delivered', at } })
      .yields(confirmed(1));
    for (const result of ['unknown', 'accepted'] as const)
      expect(fold(email, [...history, confirmed(1), retried(result)])).toMatchObject({ status: 'sent', deferred: [] });
    expect(fold(email, [accepted, confirmed(1), failedUnknown('deferred')])).toMatchObject({ status: 'sent' });
  });
});

describe('evidence that the relay accepted a copy', () => {
  const delivered = { kind: 'confirm', evidence: { index: 0, kind: 'delivered', at } } as const;

  it('turns an interrupted message into a sent one, once', () => {
    given(accepted, interrupted()).when(delivered).yields(confirmed(0));
    given(accepted, interrupted(), confirmed(0)).when(delivered).yields();
    expect(fold(email, [accepted, interrupted(), confirmed(0)])).toMatchObject({
      status: 'sent',
      message: expect.stringContaining('a delivery notification shows that it accepted the message'),
    });
  });

  it('also counts when it arrives before the interruption is recorded', () => {
    given(accepted).when(delivered).yields(confirmed(0));
    given(accepted, confirmed(0)).when(delivered).yields();
    given(accepted, confirmed(0)).when({ kind: 'interrupt', at }).yields(interrupted());
    expect(fold(email, [accepted, confirmed(0), interrupted()])).toMatchObject({ status: 'sent' });
  });

  it('counts for its own copy only, if the outcome of that copy is unknown', () => {
    const history = [accepted, failedUnknown()];
    given(...history)
      .when(delivered)
      .yields(confirmed(0));
    given(...history)
      .when({ kind: 'confirm', evidence: { index: 1, kind: 'bounced', at } })
      .yields();
  });

  it('does not change a message that is sent, was not handed over, or does not exist', () => {
    given(accepted, handedOver('accepted', 'unknown')).when(delivered).yields();
    given(accepted, notHandedOver()).when(delivered).yields();
    given().when(delivered).yields();
  });

  it('does not change an outcome that the relay reported', () =>
    expect(fold(email, [accepted, confirmed(0), handedOver('accepted', 'accepted')])).toMatchObject({
      status: 'sent',
      message: 'Sent to the relay for 2 recipients.',
    }));
});

describe('a stored email', () => foldsEveryFixture(join(import.meta.dirname, 'fixtures'), email));

type Result = 'accepted' | 'refused' | 'deferred' | 'expired' | 'unknown';

function outcome(index: number, result: Result) {
  const response = { accepted: '250 ok', refused: '550 no', deferred: '451 later', expired: '451 later', unknown: '' };
  const { address } = facts.recipients[index]!;
  return { index, address, result, smtp_response: response[result], relay: 'upstream', relay_is_final: false, at };
}

function handedOver(first: Result, second: Result): EmailEvent {
  const problem = { refused: 'the relay refused: 550 no', deferred: 'will be retried: 451 later' }[second as string];
  return {
    type: 'email-send.email-handed-over.v1',
    data: {
      email_id: facts.email_id,
      service_id: facts.service_id,
      status: 'sent',
      message: problem ? `Sent to the relay for 1 of 2 recipients: ${problem}.` : 'Sent to the relay for 2 recipients.',
      outcomes: [outcome(0, first), outcome(1, second)],
    },
  };
}

function retried(result: Result): EmailEvent {
  const { email_id, service_id } = facts;
  return { type: 'email-send.email-copy-retried.v1', data: { email_id, service_id, outcome: outcome(1, result) } };
}

function interrupted(): EmailEvent {
  const { email_id, service_id } = facts;
  return { type: 'email-send.email-interrupted.v1', data: { email_id, service_id, at } };
}

function notHandedOver(): EmailEvent {
  const { email_id, service_id } = facts;
  return {
    type: 'email-send.email-not-handed-over.v1',
    data: { email_id, service_id, reason: 'internal error', at },
  };
}

function failedUnknown(other: Result = 'refused'): EmailEvent {
  const { email_id, service_id } = facts;
  return {
    type: 'email-send.email-handed-over.v1',
    data: {
      email_id,
      service_id,
      status: 'failed',
      message: 'interrupted: outcome unknown.',
      outcomes: [outcome(0, 'unknown'), outcome(1, other)],
    },
  };
}

function confirmed(index: number): EmailEvent {
  const { email_id, service_id } = facts;
  return {
    type: 'email-send.email-confirmed.v1',
    data: { email_id, service_id, index, evidence: 'delivered', at },
  };
}

function finalAfter(...history: EmailEvent[]): boolean {
  return isFinal(fold(email, history));
}
