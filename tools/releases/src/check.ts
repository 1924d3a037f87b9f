import { adviceFor, type Channel, describeFinding } from './finding-text.js';
import { type Incompatibility, incompatibilities } from './incompatibilities.js';
import { type Exchange, type ReleaseContract } from './release-contract.js';

/**
 * `breaks`: something that works between released versions fails when the new version runs beside them. `pending`:
 * everything keeps working, but the older version does not understand something new yet.
 */
export interface Finding {
  readonly verdict: 'breaks' | 'pending';
  /** The released version that is affected. */
  readonly with: ReleaseContract;
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
  const text = `${describeFinding({ ...side, channel, name, incompatibility })}. ${adviceFor({ ...side, channel, name, incompatibility }, verdict)}`;
  return { verdict, with: newer === 'writer' ? reader : writer, text };
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

const consumedEvents = (writer: ReleaseContract, reader: ReleaseContract, newer: Side['newer']): readonly Finding[] => {
  const side: Side = { newer, writer, reader };
  const consumed = Object.entries(reader.consumes).filter(([type]) => type.startsWith(`${writer.service}.`));
  const ofTypes = consumed.flatMap(([type, reads]) => {
    const writes = writer.publishes[type];
    if (writes)
      return incompatibilities(writes, reads).map(incompatibility => finding(side, 'event', type, incompatibility));
    // An older release that does not publish the event yet never sends it.
    return newer === 'writer' ? [finding(side, 'event', type, MISSING)] : [];
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
      if (!handled) return [finding(sends, 'request', name, MISSING, newer === 'client' ? 'pending' : 'breaks')];
      return compareExchange(name, sent, handled, sends, client);
    });

const compareExchange = (
  name: string,
  sent: Exchange,
  handled: Exchange,
  sends: Side,
  client: ReleaseContract,
): readonly Finding[] => {
  const replies: Side = { newer: sends.newer === 'writer' ? 'reader' : 'writer', writer: sends.reader, reader: client };
  const knownCodes = new Set(Object.values(client.asks).flatMap(({ refusals }) => refusals));
  return [
    // A client that can send more than before still sends what it sent before.
    ...incompatibilities(sent.request, handled.request).map(incompatibility =>
      finding(
        sends,
        'request',
        name,
        incompatibility,
        sends.newer === 'writer' && incompatibility.widened ? 'pending' : 'breaks',
      ),
    ),
    ...incompatibilities(handled.reply, sent.reply).map(incompatibility =>
      finding(replies, 'reply', name, incompatibility),
    ),
    ...handled.refusals
      .filter(code => !knownCodes.has(code))
      .map(code => ({ path: code, kind: 'values' as const, writes: code, reads: 'no such code', widened: true }))
      .map(incompatibility =>
        finding(replies, 'refusal', name, incompatibility, replies.newer === 'writer' ? 'pending' : 'breaks'),
      ),
  ];
};
