import { describe, expect, it } from '@jest/globals';
import { type Observation, type ObservedTraffic } from '../observed-traffic.js';
import { violationsOf } from './all-rules.js';
import { example, exampleOf } from './example-run.js';

type Mutate = (traffic: Writable<ObservedTraffic>, observation: Writable<Observation>) => void;
type Writable<Type> =
  Type extends ReadonlyMap<infer Key, infer Value>
    ? Map<Key, Writable<Value>>
    : Type extends ReadonlySet<infer Item>
      ? Set<Item>
      : Type extends readonly (infer Item)[]
        ? Writable<Item>[]
        : Type extends object
          ? { -readonly [Key in keyof Type]: Writable<Type[Key]> }
          : Type;

const rulesBroken = (mutate: Mutate): readonly string[] => {
  const { traffic, observation } = exampleOf();
  mutate(traffic as Writable<ObservedTraffic>, observation as Writable<Observation>);
  return [...new Set(violationsOf(traffic, observation).map(({ rule }) => rule))];
};

it('a consistent run breaks no rule', () => {
  const { traffic, observation } = exampleOf();
  expect(violationsOf(traffic, observation)).toEqual([]);
});

describe('an injected violation is found:', () => {
  it.each(INJECTED())('%s', (_, rule, mutate) => expect(rulesBroken(mutate)).toContain(rule));
});

describe('allowed behavior is no violation:', () => {
  it.each(ALLOWED())('%s', (_, mutate) => expect(rulesBroken(mutate)).toEqual([]));
});

const notSent = <Recipient extends { state: string }>(recipients: readonly Recipient[]): Recipient[] =>
  recipients.map(recipient => ({ ...recipient, state: 'not_sent' }));

function INJECTED(): readonly (readonly [what: string, rule: string, mutate: Mutate])[] {
  const { delivered, unanswered, opened } = example;
  const record = (observation: Writable<Observation>, id: string) =>
    observation.records.get(id)?.record as { status: string };
  return [
    ['a message answered sent that the relay never had', 'lost', ({ taken }) => void taken.splice(0, 1)],
    [
      'one message handed over twice',
      'doubled by Postern',
      ({ taken }) => void taken.push({ ...delivered.copy, at: 900 }),
    ],
    [
      'one request handed over as two messages',
      'doubled by an obedient client',
      ({ taken }) => void taken.push({ ...delivered.copy, emailId: 'another' }),
    ],
    [
      'a 503 without Email-Id for a message that was sent',
      'untold',
      ({ requests }) => {
        const [request] = requests.filter(({ marker }) => marker === delivered.copy.marker);
        request!.attempts = [{ ...request!.attempts[0]!, status: 503, record: null }];
      },
    ],
    [
      'a 503 without Email-Id for a message that was sent, hidden by the retry',
      'untold',
      ({ requests }) => {
        const [request] = requests.filter(({ marker }) => marker === delivered.copy.marker);
        const [first] = request!.attempts;
        request!.attempts = [
          { ...first!, status: 503, record: null },
          { ...first!, startedAt: 5_000, endedAt: 5_100 },
        ];
      },
    ],
    [
      'GET reports failed though it was delivered',
      'wrong record',
      (_, observation) => {
        record(observation, delivered.copy.emailId).status = 'failed';
      },
    ],
    [
      'GET does not know an acknowledged message',
      'wrong record',
      (_, { records }) => void records.set(delivered.copy.emailId, { status: 404, record: null }),
    ],
    [
      'GET reports sent for what the relay never had',
      'wrong record',
      ({ taken, requests }) => {
        taken.splice(0, taken.length, ...taken.filter(({ emailId }) => emailId !== unanswered.copy.emailId));
        requests[1]!.attempts[0]!.emailId = unanswered.copy.emailId;
      },
    ],
    ['the list shows as sent what the relay never had', 'wrong list', ({ taken }) => void taken.splice(0, 1)],
    ['the list lacks a message', 'not listed', (_, { listed }) => void listed.splice(0, 1)],
    [
      'the list shows another state than the reports prove',
      'wrong list',
      (_, { listed }) => {
        listed[0]!.recipients[0]!.state = 'handed_over';
      },
    ],
    [
      'a message stays unfinished',
      'unfinished',
      (_, { listed }) => {
        listed[0]!.status = 'accepted';
      },
    ],
    [
      'a count differs from the traffic',
      'wrong statistics',
      (_, { totals }) => {
        totals['delivered'] = 7;
      },
    ],
    [
      'accepted is more than sent, failed and unknown',
      'wrong statistics',
      (_, { totals }) => {
        totals['sent'] = (totals['sent'] ?? 0) - 1;
      },
    ],
    [
      'a request that was answered "try again" is counted',
      'wrong statistics',
      (_, { listed, totals }) => {
        listed.push({ ...listed[0]!, id: 'another', status: 'failed', recipients: notSent(listed[0]!.recipients) });
        Object.assign(totals, { accepted: 3, failed: 1 });
      },
    ],
    [
      'a request is counted as two messages',
      'counted twice',
      (_, { listed }) => void listed.push({ ...listed[0]!, id: 'another', status: 'failed' }),
    ],
    ['an event is never reported', 'event missing', ({ calls }) => void calls.splice(0, 1)],
    [
      'a visit that was answered is never reported',
      'event missing',
      ({ calls }) => void calls.splice(0, calls.length, ...calls.filter(({ event }) => event !== 'opened')),
    ],
    [
      'an event is reported without a valid signature',
      'unsigned',
      ({ calls }) => {
        calls[0]!.unsigned = 'wrong signature';
      },
    ],
    [
      'an event is reported for which nothing happened',
      'invented event',
      ({ calls }) => void calls.push({ ...calls[0]!, event: 'complained' }),
    ],
    [
      'a report is refused for good',
      'report refused',
      ({ reports }) => {
        Object.assign(reports[0]!, { takenAt: null, refusedWith: '550 no' });
      },
    ],
    [
      'a message from before the backup of a restored database is gone',
      'wrong record',
      ({ restored }, { records }) => {
        restored.push({ service: 'email-send', from: 100_000, to: 110_000 });
        records.set('id-of-a', { status: 404, record: null });
      },
    ],
    [
      'an opening proves what GET calls failed',
      'wrong record',
      ({ visits }, observation) => {
        visits.push({ ...opened, emailId: unanswered.copy.emailId, recipient: unanswered.copy.recipient });
        record(observation, unanswered.copy.emailId).status = 'failed';
      },
    ],
  ];
}

function ALLOWED(): readonly (readonly [what: string, mutate: Mutate])[] {
  const { delivered, unanswered } = example;
  return [
    [
      'an event that still waits for its next attempt',
      ({ calls }, { scheduled }) => {
        const [call] = calls.splice(0, 1);
        scheduled.add(`${call?.event} ${call?.emailId} ${call?.recipient}`);
      },
    ],
    [
      'a request that was answered "try again" is listed, and not counted',
      (_, { listed }) =>
        void listed.push({
          ...listed[0]!,
          id: 'another',
          status: 'failed',
          recipients: notSent(listed[0]!.recipients),
        }),
    ],
    ['an event that is reported twice', ({ calls }) => void calls.push({ ...calls[0]! })],
    [
      'a 503 with Email-Id for a message that was sent',
      ({ requests }) => {
        const [request] = requests.filter(({ marker }) => marker === delivered.copy.marker);
        request!.attempts = [{ ...request!.attempts[0]!, status: 503, record: null, emailId: delivered.copy.emailId }];
      },
    ],
    [
      'a message that email-send answered after the backup to which it was restored is gone',
      ({ restored }, { records }) => {
        restored.push({ service: 'email-send', from: 900, to: 5_000 });
        for (const id of records.keys()) records.set(id, { status: 404, record: null });
      },
    ],
    [
      'a report that delivery-tracking took after the backup to which it was restored is unknown',
      ({ restored, calls }, { listed }) => {
        restored.push({ service: 'delivery-tracking', from: 1_400, to: 5_000 });
        calls.splice(0);
        listed[0]!.recipients[0]!.state = 'handed_over';
      },
    ],
    [
      'a message of unknown outcome that reads failed without evidence',
      (_, observation) => {
        observation.records.get(unanswered.copy.emailId)!.record!.status = 'failed';
      },
    ],
  ];
}
