import { describe, expect, it } from '@jest/globals';
import { type CopyAnswer, concludeHandOver, faultyAnswer, suppressedAnswer } from './hand-over.js';

const accepted = answer('accepted', '250 2.0.0 queued');
const refused = answer('refused', '550 5.1.1 no such user');
const deferred = answer('deferred', '451 4.3.0 try later');
const unreachable = answer('unreachable', 'connect ECONNREFUSED');
const unknown = answer('unknown', 'the connection was closed');

describe('a hand-over', () => {
  it('is sent when the relay takes every copy', () =>
    expect(concludeHandOver([accepted])).toEqual({
      kind: 'concluded',
      status: 'sent',
      message: 'Sent to the relay.',
    }));

  it('is sent when the relay takes one copy and refuses another, and says what the relay said', () =>
    expect(concludeHandOver([accepted, refused])).toMatchObject({
      status: 'sent',
      message: 'Sent to the relay for 1 of 2 recipients: the relay refused: 550 5.1.1 no such user.',
    }));

  it('has failed, in the words of the relay, when it refuses every copy', () =>
    expect(concludeHandOver([refused, refused])).toMatchObject({
      status: 'failed',
      message: 'Failed: the relay refused: 550 5.1.1 no such user.',
    }));

  it('is sent when one copy is taken and another deferred, which stays ours to retry', () =>
    expect(concludeHandOver([deferred, accepted])).toMatchObject({
      status: 'sent',
      message: expect.stringMatching(/will be retried: 451 4\.3\.0/),
    }));

  it.each([
    ['every copy is deferred', [deferred, deferred]],
    ['no relay can be reached', [unreachable]],
    ['some are deferred and the rest refused', [refused, deferred]],
    ['some are deferred and the rest suppressed', [suppressedAnswer, unreachable]],
  ])('hands nothing over, so that a retry is safe, when %s', (_, answers) =>
    expect(concludeHandOver(answers)).toMatchObject({ kind: 'nothing_handed_over' }),
  );

  it('has failed with an unknown outcome when the connection died after the end of the data', () =>
    expect(concludeHandOver([unknown])).toMatchObject({
      kind: 'concluded',
      status: 'failed',
      message: expect.stringMatching(/^interrupted: outcome unknown/),
    }));

  it('is never given back for a retry when one copy may have been taken unseen', () =>
    expect(concludeHandOver([unknown, unreachable])).toMatchObject({ kind: 'concluded', status: 'failed' }));

  it('has failed when every recipient is suppressed', () =>
    expect(concludeHandOver([suppressedAnswer])).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/suppressed/),
    }));

  it('keeps a fault of ours apart from what the relay said', () =>
    expect(concludeHandOver([accepted, faultyAnswer(new Error('no boundary'))])).toMatchObject({
      status: 'sent',
      message: 'Sent to the relay for 1 of 2 recipients: this copy could not be composed: no boundary.',
    }));

  it('says first what the mode makes of the message', () =>
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
