import { adviceFor, type Channel, describeFinding } from './finding-text.js';
import { httpFindings } from './http-findings.js';
import { type Incompatibility, incompatibilities } from './incompatibilities.js';
import { type Exchange, nameOf, type ReleaseContract } from './release-contract.js';

/**
 * `breaks`: something that works between released versions fails when the new version runs beside them. `condition`:
 * everything keeps working, but something new does not work until a newer release of the other service runs.
 */
export interface Finding {
  readonly verdict: 'breaks' | 'condition';
  /** The other release that is affected. */
  readonly with: ReleaseContract;
  /** Equal for findings of several releases that have the same cause. */
  readonly cause: string;
  readonly text: string;
}

/**
 * Finds incompatibilities between a new version of a service and a release of another service or of the same one. Both
 * run side by side during a rollout, and versions of one service share a log.
 */
export const findingsBetween = (next: ReleaseContract, released: ReleaseContract): readonly Finding[] =>
  next.service === released.service
    ? [
        ...sharedEvents(next.publishes, released, { newer: 'writer', writer: next, reader: released }),
        ...sharedEvents(released.publishes, next, { newer: 'reader', writer: released, reader: next }),
        ...renamedConsumers(next, released),
        ...httpFindings(next, released),
      ]
    : [
        ...consumedEvents(next, released, 'writer'),
        ...consumedEvents(released, next, 'reader'),
        ...sharedRequests(next, released, 'client'),
        ...sharedRequests(released, next, 'handler'),
      ];

/** Findings against every release that may still run. */
export const findingsOf = (next: ReleaseContract, released: readonly ReleaseContract[]): readonly Finding[] =>
  released.flatMap(one => findingsBetween(next, one));

/** One text for each cause, with the other releases that it affects. */
export const groupedTexts = (findings: readonly Finding[]): readonly string[] =>
  [...Map.groupBy(findings, ({ cause }) => cause).values()].map(group => {
    const [first, ...others] = group as [Finding, ...Finding[]];
    const also = [...new Set(others.map(({ with: other }) => nameOf(other)))].filter(
      name => name !== nameOf(first.with),
    );
    return also.length > 0 ? `${first.text} The same holds for ${also.join(', ')}.` : first.text;
  });

interface Side {
  readonly newer: 'writer' | 'reader';
  readonly writer: ReleaseContract;
  readonly reader: ReleaseContract;
}

const finding = (
  side: Side,
  channel: Channel,
  name: string,
  incompatibility: Incompatibility,
  verdict: Finding['verdict'] = 'breaks',
): Finding => {
  const { newer, writer, reader } = side;
  const mismatch = { ...side, channel, name, incompatibility };
  const { path, kind, writes, reads } = incompatibility;
  return {
    verdict,
    with: newer === 'writer' ? reader : writer,
    cause: JSON.stringify([verdict, newer, channel, name, path, kind, writes, reads]),
    text: `${describeFinding(mismatch)}. ${adviceFor(mismatch, verdict)}`,
  };
};

const MISSING: Incompatibility = { path: '', kind: 'missing', writes: 'nothing', reads: 'it', widened: false };

/** Events that one version of a service writes and another version of it reads from the shared log. */
const sharedEvents = (written: ReleaseContract['publishes'], reader: ReleaseContract, side: Side): readonly Finding[] =>
  Object.entries(written).flatMap(([type, writes]) => {
    const reads = reader.publishes[type];
    if (reads)
      return incompatibilities(writes, reads).map(incompatibility => finding(side, 'log', type, incompatibility));
    return side.newer === 'reader' ? [finding(side, 'log', type, MISSING)] : [];
  });

/** A consumer under a new name starts with the first event of the log. */
const renamedConsumers = (next: ReleaseContract, released: ReleaseContract): readonly Finding[] => {
  const isNew = (consumer: string) => released.consumers[consumer] === undefined;
  return Object.entries(released.consumers)
    .filter(([consumer]) => next.consumers[consumer] === undefined)
    .flatMap(([consumer, types]) => {
      const successor = Object.entries(next.consumers).find(
        ([other, read]) => isNew(other) && types.some(type => read.includes(type)),
      );
      if (!successor) return [];
      return {
        verdict: 'breaks' as const,
        with: released,
        cause: JSON.stringify(['consumer', consumer, successor[0]]),
        text:
          `consumer ${consumer}: the new ${next.service} reads its events as ${successor[0]}, which has no position yet and ` +
          `handles every event from the first one again. Keep the name ${consumer}.`,
      };
    });
};

const consumedEvents = (writer: ReleaseContract, reader: ReleaseContract, newer: Side['newer']): readonly Finding[] => {
  const side: Side = { newer, writer, reader };
  const consumed = Object.entries(reader.consumes).filter(([type]) => type.startsWith(`${writer.service}.`));
  const ofTypes = consumed.flatMap(([type, reads]) => {
    const writes = writer.publishes[type];
    if (writes)
      return incompatibilities(writes, reads).map(incompatibility => finding(side, 'event', type, incompatibility));
    return [finding(side, 'event', type, MISSING, newer === 'writer' ? 'breaks' : 'condition')];
  });
  const envelope = consumed.length > 0 ? incompatibilities(writer.envelope, reader.envelope) : [];
  return [
    ...ofTypes,
    ...envelope.map(incompatibility => finding(side, 'event', 'the envelope of events', incompatibility)),
  ];
};

const sharedRequests = (
  client: ReleaseContract,
  handler: ReleaseContract,
  newer: 'client' | 'handler',
): readonly Finding[] =>
  Object.entries(client.asks)
    .filter(([name]) => name.startsWith(`${handler.service}.`))
    .flatMap(([name, sent]) => {
      const handled = handler.answers[name];
      const sends: Side = { newer: newer === 'client' ? 'writer' : 'reader', writer: client, reader: handler };
      if (!handled) return [finding(sends, 'request', name, MISSING, newer === 'client' ? 'condition' : 'breaks')];
      return compareExchange(name, sent, handled, sends, client);
    });

const compareExchange = (
  name: string,
  sent: Exchange,
  handled: Exchange,
  sends: Side,
  client: ReleaseContract,
): readonly Finding[] => {
  const isClientNew = sends.newer === 'writer';
  const replies: Side = { newer: isClientNew ? 'reader' : 'writer', writer: sends.reader, reader: client };
  return [
    ...compareCallers(name, handled, sends, client),
    // A client that can send more than before still sends what it sent before.
    ...incompatibilities(sent.request, handled.request).map(incompatibility =>
      finding(
        sends,
        'request',
        name,
        incompatibility,
        isClientNew && (incompatibility.widened || incompatibility.kind === 'default') ? 'condition' : 'breaks',
      ),
    ),
    ...incompatibilities(handled.reply, sent.reply).map(incompatibility =>
      finding(replies, 'reply', name, incompatibility),
    ),
    ...(isClientNew ? compareDeadlines(name, sent, handled, sends) : compareRefusals(name, sent, handled, replies)),
  ];
};

/** NATS refuses requests of users that are not callers. */
const compareCallers = (
  name: string,
  { callers }: Exchange,
  sends: Side,
  { service }: ReleaseContract,
): readonly Finding[] => {
  if (!callers || callers.includes(service) || service === 'sdk' || service === 'command') return [];
  const allowed = callers.join(' and ') || 'nobody';
  const incompatibility: Incompatibility = { path: '', kind: 'values', writes: 'it', reads: allowed, widened: true };
  return [finding(sends, 'caller', name, incompatibility, sends.newer === 'writer' ? 'condition' : 'breaks')];
};

const compareDeadlines = (name: string, sent: Exchange, handled: Exchange, sends: Side): readonly Finding[] =>
  sent.deadlineMs < handled.deadlineMs
    ? [
        finding(sends, 'deadline', name, {
          ...{ path: '', kind: 'limits', widened: false },
          writes: `${sent.deadlineMs} ms`,
          reads: `${handled.deadlineMs} ms`,
        }),
      ]
    : [];

/**
 * A refusal carries its status, so clients handle a code that they do not know as its status. Programs compare the codes
 * that they know, and so these must stay.
 */
const compareRefusals = (name: string, sent: Exchange, handled: Exchange, replies: Side): readonly Finding[] =>
  Object.entries(sent.refusals)
    .filter(([code, status]) => handled.refusals[code] !== status)
    .map(([code, status]) => {
      const now = handled.refusals[code];
      return finding(replies, 'refusal', name, {
        ...{ path: code, kind: 'values', widened: false },
        writes: now === undefined ? `no longer with ${code}` : `${code} as ${now}`,
        reads: now === undefined ? 'it' : `it as ${status}`,
      });
    });
