import type { Incompatibility } from './incompatibilities.js';
import { nameOf, type ReleaseContract } from './release-contract.js';

/** `log`: an event that another version of the same service reads from the shared log. */
export type Channel = 'event' | 'log' | 'request' | 'reply' | 'refusal' | 'deadline' | 'caller';

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

const isWhole = ({ kind, path }: Incompatibility): boolean => kind === 'missing' && path === '';

/** Describes a finding with its services, event or request, and field. */
export const describeFinding = ({ newer, writer, reader, channel, name, incompatibility }: Mismatch): string => {
  const [from, to] = [release(writer, newer === 'writer'), release(reader, newer === 'reader')];
  const field = incompatibility.path === '' ? 'as a whole' : `field ${incompatibility.path}`;
  if (isWhole(incompatibility)) {
    if (channel === 'request')
      return newer === 'writer'
        ? `${from} sends ${name}, which ${to} does not handle`
        : `${to} no longer handles ${name}, which ${from} sends`;
    if (channel === 'event' && newer === 'reader') return `${to} consumes ${name}, which ${from} does not publish`;
    return newer === 'writer'
      ? `${from} no longer publishes ${name}, which ${to} consumes`
      : `${to} no longer reads ${name}, which ${from} has written to the shared log`;
  }
  const where = {
    event: `event ${name}, ${field}: ${from} publishes`,
    log: `event ${name}, ${field}: ${from} writes to the shared log`,
    request: `request ${name}, ${field}: ${from} sends`,
    reply: `reply to ${name}, ${field}: ${from} replies with`,
    refusal: `refusal of ${name}: ${from} refuses`,
    deadline: `request ${name}: ${from} waits`,
    caller: `request ${name}: ${from} sends`,
  }[channel];
  return `${where} ${incompatibility.writes}, ${to} ${verbOf(channel, incompatibility.kind)} ${incompatibility.reads}`;
};

const VERBS: Partial<Record<Incompatibility['kind'], string>> = {
  missing: 'requires',
  not_always: 'always requires',
  unknown_field: 'accepts',
  limits: 'accepts',
  default: 'uses',
};

const verbOf = (channel: Channel, kind: Incompatibility['kind']): string => {
  if (channel === 'refusal') return 'knows';
  if (channel === 'deadline') return 'may take';
  if (channel === 'caller') return 'accepts it only from';
  return VERBS[kind] ?? 'reads';
};

/** Advice on how to resolve a finding. */
export const adviceFor = (mismatch: Mismatch, verdict: 'breaks' | 'condition'): string => {
  const { newer, writer, reader, channel, name, incompatibility } = mismatch;
  const older = newer === 'writer' ? reader : writer;
  if (verdict === 'condition') return conditionOf(mismatch, older);
  const whole = isWhole(incompatibility);
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
      return 'Programs compare the code: keep it declared with its status, and add a new code for another reason.';
    case 'deadline':
      return `Keep the deadline until ${nameOf(older)} is retired.`;
    case 'caller':
      return `Keep the caller until ${nameOf(older)} is retired.`;
  }
};

/** What does not work until a newer release of the other service runs. */
const conditionOf = ({ channel, name, incompatibility }: Mismatch, { service }: ReleaseContract): string => {
  if (channel === 'caller')
    return `Deploy a release of ${service} that accepts it first: until it runs, NATS refuses it.`;
  const whole = isWhole(incompatibility);
  const what = whole ? name : `${name} ${incompatibility.path}`.trimEnd();
  const until = {
    event: 'no such event arrives, and its consumer waits',
    request: whole ? 'it is answered with 503' : 'requests with it are refused',
  }[channel as 'event' | 'request'];
  return `Deploy a release of ${service} with ${what} first: until it runs, ${until}.`;
};
