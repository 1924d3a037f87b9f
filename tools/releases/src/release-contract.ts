import * as contracts from '@postern/contracts';
import {
  type EventContract,
  eventEnvelope,
  OPERATIONS,
  type RequestContract,
  SERVICE_NAMES,
  type ServiceName,
} from '@postern/contracts';
import { type JsonSchema, jsonSchemaOf } from './json-schema.js';

/** Request, reply and refusals of one request, as one release knows them. */
export interface Exchange {
  readonly request: JsonSchema;
  readonly reply: JsonSchema;
  readonly refusals: readonly string[];
}

/** All that one release of a service says to the others and expects of them; kept for as long as it may run somewhere. */
export interface ReleaseContract {
  readonly service: string;
  readonly version: string;
  /** Digest of the sources that the release was checked and built from; releases from before it was kept have none. */
  readonly sources?: string | undefined;
  /** What every event travels in. */
  readonly envelope: JsonSchema;
  readonly publishes: Readonly<Record<string, JsonSchema>>;
  readonly consumes: Readonly<Record<string, JsonSchema>>;
  readonly answers: Readonly<Record<string, Exchange>>;
  readonly asks: Readonly<Record<string, Exchange>>;
}

/** `email-send@0.2.0`: a release, its tag, and the name of its snapshot. */
export const nameOf = ({ service, version }: Pick<ReleaseContract, 'service' | 'version'>): string =>
  `${service}@${version}`;

/** `email-send.send-email`, as requests are named in snapshots and in words. */
export const requestName = ({ service, name }: Pick<RequestContract, 'service' | 'name'>): string =>
  `${service}.${name}`;

const isRequest = (value: unknown): value is RequestContract =>
  typeof value === 'object' && value !== null && 'subject' in value && 'request' in value;

const isEvent = (value: unknown): value is EventContract =>
  typeof value === 'object' && value !== null && 'subject' in value && 'data' in value;

const exported: ReadonlyMap<string, unknown> = new Map(Object.entries(contracts));

/** Contracts behind a name that code imports; a list of events, and what every service answers, are several. */
export const contractsNamed = (name: string): readonly (RequestContract | EventContract)[] => {
  if (name === 'OPERATIONS')
    return SERVICE_NAMES.flatMap(service => Object.values<RequestContract>(OPERATIONS[service]));
  const value = exported.get(name);
  return (Array.isArray(value) ? value : [value]).filter(one => isRequest(one) || isEvent(one));
};

/** Every request that some service answers, once. */
export const allRequests = (): readonly RequestContract[] =>
  [...exported.keys()].flatMap(contractsNamed).filter(isRequest);

/** Every event that some service publishes, once. */
export const allEvents = (): readonly EventContract[] => [
  ...new Set([...exported.keys()].flatMap(contractsNamed).filter(isEvent)),
];

/** What is asked, and what may come back. */
export const exchangeOf = ({ request, reply, refusals }: RequestContract): Exchange => ({
  request: jsonSchemaOf(request, 'input'),
  reply: jsonSchemaOf(reply, 'output'),
  refusals: Object.keys(refusals).sort(),
});

const byName = <Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> =>
  Object.fromEntries([...entries].sort(([a], [b]) => a.localeCompare(b)));

/**
 * The contract of the checkout's version. A service answers and publishes everything under its name; it asks and
 * consumes what it imports of the others.
 */
export const contractOf = (service: string, version: string, imported: readonly string[]): ReleaseContract => {
  const others = imported.flatMap(contractsNamed).filter(contract => contract.service !== service);
  const own = (contract: { readonly service: ServiceName }) => contract.service === service;
  const events = (of: readonly EventContract[]) =>
    byName(of.map(({ type, data }) => [type, jsonSchemaOf(data, 'output')] as const));
  const requests = (of: readonly RequestContract[]) =>
    byName(of.map(contract => [requestName(contract), exchangeOf(contract)] as const));
  return {
    service,
    version,
    envelope: jsonSchemaOf(eventEnvelope, 'output'),
    publishes: events(allEvents().filter(own)),
    consumes: events(others.filter(isEvent)),
    answers: requests(allRequests().filter(own)),
    asks: requests(others.filter(isRequest)),
  };
};
