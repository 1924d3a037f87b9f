import { type Misfit, misfits } from './misfits.js';
import { type Exchange, type ReleaseContract } from './release-contract.js';
import { type Channel, remedyFor, wordsOf } from './words.js';

/**
 * `breaks`: something that works between the released versions stops when the new one runs beside them. `waits`: all
 * that worked goes on, but something new of the new version is not understood by the older one yet.
 */
export interface Finding {
  readonly verdict: 'breaks' | 'waits';
  /** The released version that is affected. */
  readonly with: ReleaseContract;
  readonly text: string;
}

/**
 * What does not hold between a new version of a service and a released one, of another service or of itself: both run
 * side by side while either is rolled out, and what one has published lies in the log for the other.
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
        ...asked(next, released, 'asker'),
        ...asked(released, next, 'answerer'),
      ];

/** Against every release that may still run. */
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
  misfit: Misfit,
  verdict: Finding['verdict'] = 'breaks',
): Finding => {
  const { newer, writer, reader } = side;
  const text = `${wordsOf({ ...side, channel, name, misfit })}. ${remedyFor({ ...side, channel, name, misfit }, verdict)}`;
  return { verdict, with: newer === 'writer' ? reader : writer, text };
};

const GONE: Misfit = { path: '', kind: 'missing', writes: 'nothing', reads: 'it', widened: false };

/** What a service published is folded by its other versions, from the log that they share. */
const sharedEvents = (written: ReleaseContract['publishes'], reader: ReleaseContract, side: Side): readonly Finding[] =>
  Object.entries(written).flatMap(([type, writes]) => {
    const reads = reader.publishes[type];
    if (reads) return misfits(writes, reads).map(misfit => finding(side, 'log', type, misfit));
    return side.newer === 'reader' ? [finding(side, 'log', type, GONE)] : [];
  });

const consumedEvents = (writer: ReleaseContract, reader: ReleaseContract, newer: Side['newer']): readonly Finding[] => {
  const side: Side = { newer, writer, reader };
  const consumed = Object.entries(reader.consumes).filter(([type]) => type.startsWith(`${writer.service}.`));
  const ofTypes = consumed.flatMap(([type, reads]) => {
    const writes = writer.publishes[type];
    if (writes) return misfits(writes, reads).map(misfit => finding(side, 'event', type, misfit));
    // An event that an older release does not publish yet simply never comes from it.
    return newer === 'writer' ? [finding(side, 'event', type, GONE)] : [];
  });
  const envelope = consumed.length > 0 ? misfits(writer.envelope, reader.envelope) : [];
  return [...ofTypes, ...envelope.map(misfit => finding(side, 'event', 'the envelope of events', misfit))];
};

const asked = (asker: ReleaseContract, answerer: ReleaseContract, newer: 'asker' | 'answerer'): readonly Finding[] =>
  Object.entries(asker.asks)
    .filter(([name]) => name.startsWith(`${answerer.service}.`))
    .flatMap(([name, ask]) => {
      const answer = answerer.answers[name];
      const sends: Side = { newer: newer === 'asker' ? 'writer' : 'reader', writer: asker, reader: answerer };
      if (!answer) return [finding(sends, 'request', name, GONE, newer === 'asker' ? 'waits' : 'breaks')];
      return exchanged(name, ask, answer, sends, asker);
    });

const exchanged = (
  name: string,
  ask: Exchange,
  answer: Exchange,
  sends: Side,
  asker: ReleaseContract,
): readonly Finding[] => {
  const answers: Side = { newer: sends.newer === 'writer' ? 'reader' : 'writer', writer: sends.reader, reader: asker };
  const understood = new Set(Object.values(asker.asks).flatMap(({ refusals }) => refusals));
  return [
    // An asker that may send more than before still sends what it sent before.
    ...misfits(ask.request, answer.request).map(misfit =>
      finding(sends, 'request', name, misfit, sends.newer === 'writer' && misfit.widened ? 'waits' : 'breaks'),
    ),
    ...misfits(answer.reply, ask.reply).map(misfit => finding(answers, 'reply', name, misfit)),
    ...answer.refusals
      .filter(code => !understood.has(code))
      .map(code => ({ path: code, kind: 'values' as const, writes: code, reads: 'no such code', widened: true }))
      .map(misfit => finding(answers, 'refusal', name, misfit, answers.newer === 'writer' ? 'waits' : 'breaks')),
  ];
};
