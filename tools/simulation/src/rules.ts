import { isOutcome } from './dispatch.js';
import type { RelayedCopy } from './mail-world.js';
import type { Run } from './simulation.js';

/** The conservation rules, which must hold at the end of a run, whatever failed. */
export const RULES: Readonly<Record<string, (run: Run) => readonly string[]>> = {
  'a response of 200 sent means that the relay has the message': ({ intentions, relay }) =>
    intentions.flatMap(({ answers }) =>
      answers
        .filter(({ record }) => record?.status === 'sent' && !relay.ledger.some(({ emailId }) => emailId === record.id))
        .map(({ record }) => `${record?.id} is reported as sent but is not at the relay`),
    ),

  'no copy is sent to the relay twice': ({ relay }) =>
    repeated(relay.ledger, ({ emailId, recipientIndex }) => `${emailId}.${recipientIndex}`),

  'a client that follows the retry guidance sends nothing twice': run =>
    repeated(run.relay.ledger, copy => `${markerOf(run, copy)} to ${copy.address}`),

  'every message reaches a final record': ({ sending }) =>
    sending.log.events
      .filter(({ type, data }) => type.endsWith('email-accepted.v1') && !sending.database.records.has(idOf(data)))
      .map(({ data }) => `${idOf(data)} was accepted but has no record`),

  'a message that the relay has is never recorded as failed': ({ sending, relay }) =>
    relay.ledger
      .filter(({ emailId }) => sending.database.records.get(emailId)?.status === 'failed')
      .map(({ emailId }) => `${emailId} is at the relay but its record says failed`),

  'a client knows the id of every message that it has sent': run =>
    run.relay.ledger
      .filter(copy => !idsKnownTo(run, markerOf(run, copy)).has(copy.emailId))
      .map(copy => `${copy.emailId} is at the relay but its client does not know its id`),

  'every copy at the relay has exactly one matching event': ({ relay, tracking }) =>
    relay.ledger.flatMap(copy => {
      const found = tracking.log.events.filter(event => isOutcome(event) && concerns(event.data, copy));
      const kinds = found.map(({ type }) => type.replace(/^.*email-(.*)\.v1$/, '$1'));
      return kinds.filter(kind => kind === copy.report).length === 1
        ? []
        : [
            `${copy.emailId}.${copy.recipientIndex} was ${copy.report} but its events are ${kinds.join(', ') || 'none'}`,
          ];
    }),

  'no signal waits permanently': ({ tracking }) =>
    [...tracking.database.waiting.values()].map(
      ({ emailId, signal }) => `${signal.kind} of ${emailId} is still waiting`,
    ),

  'every event reaches every subscribed endpoint': ({ tracking, receivers }) =>
    tracking.log.events.filter(isOutcome).flatMap(({ type, data }) => {
      const kind = type.replace(/^.*email-(.*)\.v1$/, '$1');
      const endpoints = ['https://all.test/', ...(kind === 'bounced' ? ['https://bounces.test/'] : [])];
      const { email_id, to } = data as { email_id: string; to: string };
      return endpoints
        .filter(url => !receivers.accepted.includes(`${url} ${kind} ${email_id} ${to}`))
        .map(url => `${kind} of ${email_id} for ${to} did not reach ${url}`);
    }),
};

/** The violations of a run with their rules; empty if every rule holds. */
export const violationsOf = (run: Run): readonly string[] =>
  Object.entries(RULES).flatMap(([rule, check]) => check(run).map(violation => `${rule}: ${violation}`));

/** From records, and from the `Email-Id` header of responses with an unknown outcome. */
const idsKnownTo = ({ intentions }: Run, marker: string): ReadonlySet<string | undefined> =>
  new Set(
    intentions
      .filter(({ intention }) => intention.marker === marker)
      .flatMap(({ answers }) => answers.map(({ record, emailId }) => record?.id ?? emailId)),
  );

const idOf = (data: object): string => (data as { email_id: string }).email_id;

const concerns = (data: object, { emailId, recipientIndex }: RelayedCopy): boolean =>
  idOf(data) === emailId && (data as { recipient_index?: number }).recipient_index === recipientIndex;

const markerOf = ({ sending }: Run, { emailId }: RelayedCopy): string => {
  const accepted = sending.log.stream(`email-${emailId}`)[0];
  return accepted ? (accepted.data as { subject: string }).subject : `a message without events (${emailId})`;
};

function repeated<T>(items: readonly T[], nameOf: (item: T) => string): readonly string[] {
  return [...Map.groupBy(items, nameOf)].filter(([, group]) => group.length > 1).map(([name]) => `${name} twice`);
}
