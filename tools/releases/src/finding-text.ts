import type { Incompatibility } from './incompatibilities.js';
import { nameOf, type ReleaseContract } from './release-contract.js';

/** `log`: an event that another version of the same service reads from the shared log. */
export type Channel = 'event' | 'log' | 'request' | 'reply' | 'refusal';

interface Mismatch {
  readonly newer: 'writer' | 'reader';
  readonly writer: ReleaseContract;
  readonly reader: ReleaseContract;
  readonly channel: Channel;
  /** The event's type or the request's name. */
  readonly name: string;
  readonly incompatibility: Incompatibility;
}

const release = (contract: ReleaseContract, isNew: boolean): string =>
  isNew ? `the new ${contract.service}` : nameOf(contract);

/** Describes a finding with its services, event or request, and field. */
export const describeFinding = ({ newer, writer, reader, channel, name, incompatibility }: Mismatch): string => {
  const [from, to] = [release(writer, newer === 'writer'), release(reader, newer === 'reader')];
  const field = incompatibility.path === '' ? 'as a whole' : `field ${incompatibility.path}`;
  if (incompatibility.kind === 'missing' && incompatibility.path === '') {
    if (channel === 'request')
      return newer === 'writer'
        ? `${from} sends ${name}, which ${to} does not handle`
        : `${to} no longer handles ${name}, which ${from} sends`;
    return newer === 'writer'
      ? `${from} no longer publishes ${name}, which ${to} consumes`
      : `${to} no longer reads ${name}, which ${from} has written to the shared log`;
  }
  const where = {
    event: `event ${name}, ${field}: ${from} publishes`,
    log: `event ${name}, ${field}: ${from} writes to the shared log`,
    request: `request ${name}, ${field}: ${from} sends`,
    reply: `reply to ${name}, ${field}: ${from} replies with`,
    refusal: `refusal of ${name}: ${from} can refuse with`,
  }[channel];
  const reads = { missing: 'requires', not_always: 'always requires', unknown_field: 'accepts', limits: 'accepts' };
  const verb = channel === 'refusal' ? 'knows' : ((reads as Record<string, string>)[incompatibility.kind] ?? 'reads');
  return `${where} ${incompatibility.writes}, ${to} ${verb} ${incompatibility.reads}`;
};

/** Advice on how to resolve a finding. */
export const adviceFor = (
  { newer, writer, reader, channel, name, incompatibility }: Mismatch,
  verdict: 'breaks' | 'pending',
): string => {
  const older = newer === 'writer' ? reader : writer;
  if (verdict === 'pending')
    return `Release ${older.service} with ${incompatibility.path || name} first, and retire ${nameOf(older)} when nobody runs it any more.`;
  const whole = incompatibility.kind === 'missing' && incompatibility.path === '';
  switch (channel) {
    case 'event':
    case 'log':
      if (whole && channel === 'log') return 'Keep reading it: events stay in the log permanently.';
      if (whole) return `Publish it until ${nameOf(older)} is retired.`;
      return newer === 'writer'
        ? `Keep publishing ${name} unchanged, and publish the new shape as a new version.`
        : `Accept what the older version writes, or read a new version of the event.`;
    case 'request':
      if (whole) return `Handle it until ${nameOf(older)} is retired.`;
      return newer === 'reader'
        ? 'Accept what older clients send: keep the field, its type and its limits, and make new fields optional.'
        : `Send what ${nameOf(older)} accepts, or add a new request.`;
    case 'reply':
      return newer === 'writer'
        ? 'Keep the reply unchanged and add new fields, which older clients ignore, or add a new request.'
        : `Make what ${nameOf(older)} does not send optional.`;
    case 'refusal':
      return `Keep handling the code until ${nameOf(older)} is retired.`;
  }
};
