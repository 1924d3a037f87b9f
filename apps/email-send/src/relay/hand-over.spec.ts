import { describe, expect, it } from '@jest/globals';
import { type CopyAnswer, concludeHandOver, faultyAnswer, suppressedAnswer } from './hand-over.js';

const accepted = answer('accepted', '250 2.0.0 queued');
const refused = answer('refused', '550 5.1.1 no such user');
const deferred = answer('deferred', '451 4.3.0 try later');
const unreachable = answer('unreachable', 'connect ECONNREFUSED');
const unknown = answer('unknown', 'the connection was closed');

describe('a hand-over', () => {
  it('is sent when the relay accepts every copy', () =>
    expect(concludeHandOver([accepted])).toEqual({
      kind: 'concluded',
      status: 'sent',
      message: 'Sent to the relay.',
    }));

  it('is sent when the relay accepts one copy and rejects another, and has the response of the relay', () =>
    expect(concludeHandOver([accepted, refused])).toMatchObject({
      status: 'sent',
      message: 'Sent to the relay for 1 of 2 recipients: the relay refused: 550 5.1.1 no such user.',
    }));

  it('has failed, with the response of the relay, when the relay rejects every copy', () =>
    expect(concludeHandOver([refused, refused])).toMatchObject({
      status: 'failed',
      message: 'Failed: the relay refused: 550 5.1.1 no such user.',
    }));

  it('is sent when one copy is accepted and another deferred, which email-send retries', () =>
    expect(concludeHandOver([deferred, accepted])).toMatchObject({
      status: 'sent',
      message: expect.stringMatching(/will be retried: 451 4\.3\.0/),
    }));

  it.each([
    ['every copy is deferred', [deferred, deferred]],
    ['no relay can be reached', [unreachable]],
    ['some are deferred and the rest refused', [refused, deferred]],
    ['some are deferred and the rest suppressed', [suppressedAnswer, unreachable]],
  ])('hands over no copy, so that a retry is safe, when %s', (_, answers) =>
    expect(concludeHandOver(answers)).toMatchObject({ kind: 'nothing_handed_over' }),
  );

  it('has failed with an unknown outcome when the connection was lost after the end of the data', () =>
    expect(concludeHandOver([unknown])).toMatchObject({
      kind: 'concluded',
      status: 'failed',
      message: expect.stringMatching(/^interrupted: outcome unknown/),
    }));

  it('is never returned to the client for a retry when a relay may have accepted one copy', () =>
    expect(concludeHandOver([unknown, unreachable])).toMatchObject({ kind: 'concluded', status: 'failed' }));

  it('has failed when every recipient is suppressed', () =>
    expect(concludeHandOver([suppressedAnswer])).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/suppressed/),
    }));

  it('separates internal errors from responses of the relay', () =>
    expect(concludeHandOver([accepted, faultyAnswer(new Error('no boundary'))])).toMatchObject({
      status: 'sent',
      message: 'Sent to the relay for 1 of 2 recipients: this copy could not be composed: no boundary.',
    }));

  it('begins with the note of the mode', () =>
    expect(concludeHandOver([accepted], 'Sandbox: sent from a@b.test.')).toMatchObject({
      message: 'Sandbox: sent from a@b.test. Sent to the relay.',
    }));

  it('names no more than three different problems', () =>
    expect(concludeHandOver([accepted, ...[1, 2, 3, 4].map(n => answer('refused', `550 5.1.${n} no`))])).toMatchObject({
      message: expect.stringMatching(/5\.1\.3 no; …\.$/),
    }));
});

function answer(result: CopyAnswer['result'], response: string): CopyAnswer {
  return { result, response, relay: 'upstream', relayIsFinal: false };
}
