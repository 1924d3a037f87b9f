import type { Misfit } from './misfits.js';
import { nameOf, type ReleaseContract } from './release-contract.js';

/** `log`: an event that another version of the same service reads from the log that they share. */
export type Channel = 'event' | 'log' | 'request' | 'reply' | 'refusal';

interface Mismatch {
  readonly newer: 'writer' | 'reader';
  readonly writer: ReleaseContract;
  readonly reader: ReleaseContract;
  readonly channel: Channel;
  /** The event's type or the request's name. */
  readonly name: string;
  readonly misfit: Misfit;
}

const release = (contract: ReleaseContract, isNew: boolean): string =>
  isNew ? `the new ${contract.service}` : nameOf(contract);

/** What is wrong, with service, event or request, and field. */
export const wordsOf = ({ newer, writer, reader, channel, name, misfit }: Mismatch): string => {
  const [from, to] = [release(writer, newer === 'writer'), release(reader, newer === 'reader')];
  const field = misfit.path === '' ? 'as a whole' : `field ${misfit.path}`;
  if (misfit.kind === 'missing' && misfit.path === '') {
    if (channel === 'request')
      return newer === 'writer'
        ? `${from} asks ${name}, which ${to} does not answer`
        : `${to} no longer answers ${name}, which ${from} asks`;
    return newer === 'writer'
      ? `${from} no longer publishes ${name}, which ${to} consumes`
      : `${to} no longer knows ${name}, which ${from} has written to their log`;
  }
  const where = {
    event: `event ${name}, ${field}: ${from} publishes`,
    log: `event ${name}, ${field}: ${from} writes to their log`,
    request: `request ${name}, ${field}: ${from} sends`,
    reply: `reply to ${name}, ${field}: ${from} answers with`,
    refusal: `refusal of ${name}: ${from} may refuse with`,
  }[channel];
  const reads = { missing: 'needs', not_always: 'always needs', unknown_field: 'takes', limits: 'takes' };
  const verb = channel === 'refusal' ? 'knows' : ((reads as Record<string, string>)[misfit.kind] ?? 'reads');
  return `${where} ${misfit.writes}, ${to} ${verb} ${misfit.reads}`;
};

/** What to do about it. */
export const remedyFor = (
  { newer, writer, reader, channel, name, misfit }: Mismatch,
  verdict: 'breaks' | 'waits',
): string => {
  const older = newer === 'writer' ? reader : writer;
  if (verdict === 'waits')
    return `Release ${older.service} first, with ${misfit.path || name}, and retire ${nameOf(older)} where nobody runs it any more.`;
  const whole = misfit.kind === 'missing' && misfit.path === '';
  switch (channel) {
    case 'event':
    case 'log':
      if (whole && channel === 'log') return 'Keep it readable: what is in the log stays there.';
      if (whole) return `Publish it until ${nameOf(older)} is retired.`;
      return newer === 'writer'
        ? `Publish ${name} as it was, and the new shape as a new version beside it.`
        : `Read it as it was written: take what the older one writes, or read a new version of the event.`;
    case 'request':
      if (whole) return `Answer it until ${nameOf(older)} is retired.`;
      return newer === 'reader'
        ? 'Take what older askers send: keep the field, its type and its limits, and let what is new be optional.'
        : `Send what ${nameOf(older)} takes, or ask a new request that it answers beside this one.`;
    case 'reply':
      return newer === 'writer'
        ? 'Answer as before, with what is new in new fields that older askers ignore; or answer a new request beside it.'
        : `Do without what ${nameOf(older)} does not answer: let it be optional.`;
    case 'refusal':
      return `Go on knowing the code until ${nameOf(older)} is retired.`;
  }
};
