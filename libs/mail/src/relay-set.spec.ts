import { describe, expect, it } from '@jest/globals';
import type { HandOver } from './hand-over.js';
import { type Relay, RelaySet } from './relay-set.js';
import type { HandOverResult } from './smtp-answer.js';

const mail: HandOver = { from: '', recipients: [{ address: 'ada@example.org' }], bytes: Buffer.from('x') };
const accepted: HandOverResult = { kind: 'accepted', reply: { code: 250, response: '250' }, accepted: [], refused: [] };
const refused: HandOverResult = { kind: 'refused', reply: { code: 550, response: '550' }, refused: [] };
const deferred: HandOverResult = { kind: 'deferred', reply: { code: 451, response: '451' }, refused: [] };
const unreachable: HandOverResult = { kind: 'unreachable', reason: 'away' };
const noSmtpUtf8: HandOverResult = {
  kind: 'refused',
  reply: { code: 553, enhanced: '5.6.7', response: '553 5.6.7 the relay does not offer SMTPUTF8' },
  refused: [],
};
const unknown: HandOverResult = { kind: 'unknown', reason: 'cut', refused: [] };

describe('several relays', () => {
  it.each<[string, HandOverResult, HandOverResult, string, string]>([
    ['the first that accepts is the one', accepted, accepted, 'accepted', 'a'],
    ['the next is tried when one is unreachable', unreachable, accepted, 'accepted', 'b'],
    ['the next is tried when one defers', deferred, accepted, 'accepted', 'b'],
    ['a refusal is final', refused, accepted, 'refused', 'a'],
    ['an unknown outcome is never tried elsewhere', unknown, accepted, 'unknown', 'a'],
    ['a deferral takes precedence over an unreachable relay', deferred, unreachable, 'deferred', 'a'],
    ['a later deferral takes precedence over an unreachable relay', unreachable, deferred, 'deferred', 'b'],
    ['the next is tried when one does not offer SMTPUTF8', noSmtpUtf8, accepted, 'accepted', 'b'],
    ['a relay with SMTPUTF8 that is out of reach is tried again later', noSmtpUtf8, unreachable, 'unreachable', 'b'],
    ['no relay with SMTPUTF8 is a refusal', noSmtpUtf8, noSmtpUtf8, 'refused', 'b'],
    ['all out of reach is unreachable', unreachable, unreachable, 'unreachable', 'b'],
  ])('%s', async (_, first, second, kind, relay) => {
    const set = new RelaySet([
      { relay: 'a', pool: relayThat(() => first) },
      { relay: 'b', pool: relayThat(() => second) },
    ]);
    expect(await set.handOver(mail)).toMatchObject({ kind, relay });
  });

  it('skip a relay that keeps failing, until its rest is over', async () => {
    let now = 0;
    let tries = 0;
    let answer: HandOverResult = unreachable;
    const flaky = relayThat(() => {
      tries++;
      return answer;
    });
    const relays = [
      { relay: 'a', pool: flaky },
      { relay: 'b', pool: relayThat(() => accepted) },
    ];
    const set = new RelaySet(relays, { failuresToRest: 2, restMs: 1_000, now: () => now });
    for (let round = 0; round < 5; round++) await set.handOver(mail);
    expect(tries).toBe(2);
    now = 1_000;
    answer = accepted;
    expect(await set.handOver(mail)).toMatchObject({ relay: 'a' });
    answer = unreachable;
    await set.handOver(mail);
    expect(await set.handOver(mail)).toMatchObject({ relay: 'b' });
    expect(tries).toBe(5);
  });

  it('are all tried if all rest', async () => {
    let answer: HandOverResult = unreachable;
    const relays = [{ relay: 'a', pool: relayThat(() => answer) }];
    const set = new RelaySet(relays, { failuresToRest: 1, restMs: 1_000, now: () => 0 });
    await set.handOver(mail);
    answer = accepted;
    expect(await set.handOver(mail)).toMatchObject({ kind: 'accepted', relay: 'a' });
  });
});

function relayThat(answers: () => HandOverResult): Relay {
  return {
    config: {
      host: 'relay.example.com',
      port: 25,
      security: 'none',
      name: 'mail.example.com',
      maxConnections: 1,
      connectTimeoutMs: 1,
      silenceTimeoutMs: 1,
      answerTimeoutMs: 1,
      queueTimeoutMs: 1,
    },
    offers: undefined,
    handOver: async () => answers(),
    probe: async () => ({ ok: true, dsnOffered: true, smtpUtf8Offered: false }),
    close: async () => {},
  };
}
