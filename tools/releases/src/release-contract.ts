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

/** Request, reply and refusals of one request in one release. */
export interface Exchange {
  readonly request: JsonSchema;
  readonly reply: JsonSchema;
  readonly refusals: readonly string[];
}

/** The events and requests of one release of a service; stored while the release may run anywhere. */
export interface ReleaseContract {
  readonly service: string;
  readonly version: string;
  /** Digest of the sources that the release was checked and built from; the oldest releases have none. */
  readonly sources?: string | undefined;
  /** Schema of the envelope of every event. */
  readonly envelope: JsonSchema;
  readonly publishes: Readonly<Record<string, JsonSchema>>;
  readonly consumes: Readonly<Record<string, JsonSchema>>;
  readonly answers: Readonly<Record<string, Exchange>>;
  readonly asks: Readonly<Record<string, Exchange>>;
}

/** `email-send@0.2.0`: the name of a release, its tag and its snapshot. */
export const nameOf = ({ service, version }: Pick<ReleaseContract, 'service' | 'version'>): string =>
  `${service}@${version}`;

/** `email-send.send-email`: the name of a request in snapshots and findings. */
export const requestName = ({ service, name }: Pick<RequestContract, 'service' | 'name'>): string =>
  `${service}.${name}`;

const isRequest = (value: unknown): value is RequestContract =>
  typeof value === 'object' && value !== null && 'subject' in value && 'request' in value;

const isEvent = (value: unknown): value is EventContract =>
  typeof value === 'object' && value !== null && 'subject' in value && 'data' in value;

const exported: ReadonlyMap<string, unknown> = new Map(Object.entries(contracts));

/** The contracts behind an exported name, which can be a list of events or the operations of every service. */
export const contractsNamed = (name: string): readonly (RequestContract | EventContract)[] => {
  if (name === 'OPERATIONS')
    return SERVICE_NAMES.flatMap(service => Object.values<RequestContract>(OPERATIONS[service]));
  const value = exported.get(name);
  return (Array.isArray(value) ? value : [value]).filter(one => isRequest(one) || isEvent(one));
};

/** Every request contract, once. */
export const allRequests = (): readonly RequestContract[] =>
  [...exported.keys()].flatMap(contractsNamed).filter(isRequest);

/** Every event contract, once. */
export const allEvents = (): readonly EventContract[] => [
  ...new Set([...exported.keys()].flatMap(contractsNamed).filter(isEvent)),
];

/** The JSON Schemas and refusal codes of a request contract. */
export const exchangeOf = ({ request, reply, refusals }: RequestContract): Exchange => ({
  request: jsonSchemaOf(request, 'input'),
  reply: jsonSchemaOf(reply, 'output'),
  refusals: Object.keys(refusals).sort(),
});

const byName = <Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> =>
  Object.fromEntries([...entries].sort(([a], [b]) => a.localeCompare(b)));

/**
 * The contract of the version in the checkout. A service handles and publishes everything under its own name; it sends and
 * consumes the contracts of other services that it imports.
 */
export const contractOf = (service: string, version: string, imported: readonly string[]): ReleaseContract => {
  // The gateway sends every request that has an HTTP route, without naming it.
  const routed = service === 'api-gateway' ? allRequests().filter(({ http }) => http.length > 0) : [];
  const others = [...imported.flatMap(contractsNamed), ...routed].filter(contract => contract.service !== service);
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
