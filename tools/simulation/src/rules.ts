import { isPublicEvent } from './dispatch.js';
import type { RelayedCopy } from './mail-world.js';
import type { Run } from './simulation.js';

/** The conservation rules: what must hold at the end of a run, whatever has failed. */
export const RULES: Readonly<Record<string, (run: Run) => readonly string[]>> = {
  'an answer of 200 sent means that the relay has the message': ({ intentions, relay }) =>
    intentions.flatMap(({ answers }) =>
      answers
        .filter(({ record }) => record?.status === 'sent' && !relay.copies.some(({ emailId }) => emailId === record.id))
        .map(({ record }) => `${record?.id} is answered as sent and is not at the relay`),
    ),

  'no copy is handed over twice': ({ relay }) =>
    repeated(relay.copies, ({ emailId, recipientIndex }) => `${emailId}.${recipientIndex}`),

  'a client that follows the retry guidance sends nothing twice': run =>
    repeated(run.relay.copies, copy => `${markerOf(run, copy)} to ${copy.address}`),

  'every message reaches a final record': ({ sending }) =>
    sending.log.events
      .filter(({ type, data }) => type.endsWith('email-accepted.v1') && !sending.database.records.has(idOf(data)))
      .map(({ data }) => `${idOf(data)} was accepted and has no record`),

  'a message that the relay has never reads failed': ({ sending, relay }) =>
    relay.copies
      .filter(({ emailId }) => sending.database.records.get(emailId)?.status === 'failed')
      .map(({ emailId }) => `${emailId} is at the relay and its record says failed`),

  'a client knows the id of every message of its that was sent': run =>
    run.relay.copies
      .filter(copy => !idsKnownTo(run, markerOf(run, copy)).has(copy.emailId))
      .map(copy => `${copy.emailId} is at the relay and its client was never told its id`),

  'every copy at the relay has exactly one event of its outcome': ({ relay, tracking }) =>
    relay.copies.flatMap(copy => {
      const found = tracking.log.events.filter(event => isPublicEvent(event) && concerns(event.data, copy));
      const kinds = found.map(({ type }) => type.replace(/^.*email-(.*)\.v1$/, '$1'));
      return kinds.filter(kind => kind === copy.outcome).length === 1
        ? []
        : [
            `${copy.emailId}.${copy.recipientIndex} was ${copy.outcome} and has the events ${kinds.join(', ') || 'none'}`,
          ];
    }),

  'no signal is left waiting': ({ tracking }) =>
    [...tracking.database.waiting.values()].map(({ emailId, signal }) => `${signal.kind} of ${emailId} still waits`),

  'every event reaches every endpoint that subscribes to its kind': ({ tracking, receivers }) =>
    tracking.log.events.filter(isPublicEvent).flatMap(({ type, data }) => {
      const kind = type.replace(/^.*email-(.*)\.v1$/, '$1');
      const endpoints = ['https://all.test/', ...(kind === 'bounced' ? ['https://bounces.test/'] : [])];
      const { email_id, to } = data as { email_id: string; to: string };
      return endpoints
        .filter(url => !receivers.accepted.includes(`${url} ${kind} ${email_id} ${to}`))
        .map(url => `${kind} of ${email_id} for ${to} never reached ${url}`);
    }),
};

/** The violations of a run, each with its rule. */
export const violationsOf = (run: Run): readonly string[] =>
  Object.entries(RULES).flatMap(([rule, check]) => check(run).map(violation => `${rule}: ${violation}`));

/** Ids from records, and from the header `Email-Id` of responses with an unknown outcome. */
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
