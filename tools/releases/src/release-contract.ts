import { type Exchange, jsonSchemaOf, type ReleaseContract } from '@postern/compatibility';
import * as contracts from '@postern/contracts';
import {
  EVENT_CONSUMERS,
  EVENT_FEEDS,
  type EventContract,
  eventEnvelope,
  isEventContract,
  isRequestContract,
  OPERATIONS,
  type RequestContract,
  SERVICE_NAMES,
  type ServiceName,
} from '@postern/contracts';
import type { HttpSurface } from './http-surface.js';

/** `email-send.send-email`: the name of a request in snapshots and findings. */
export const requestName = ({ service, name }: Pick<RequestContract, 'service' | 'name'>): string =>
  `${service}.${name}`;

const exported: ReadonlyMap<string, unknown> = new Map(Object.entries(contracts));

/** The contracts behind an exported name, which can be a list of events, or a function that makes the feeds of events. */
export const contractsNamed = (name: string): readonly (RequestContract | EventContract)[] => {
  if (name === 'OPERATIONS')
    return SERVICE_NAMES.flatMap(service => Object.values<RequestContract>(OPERATIONS[service]));
  const value = name === 'eventFeed' ? EVENT_FEEDS : exported.get(name);
  return (Array.isArray(value) ? value : [value]).filter(one => isRequestContract(one) || isEventContract(one));
};

/** Every request contract, once. */
export const allRequests = (): readonly RequestContract[] => [
  ...new Set([...exported.keys()].flatMap(contractsNamed).filter(isRequestContract)),
];

/** Every event contract, once. */
export const allEvents = (): readonly EventContract[] => [
  ...new Set([...exported.keys()].flatMap(contractsNamed).filter(isEventContract)),
];

const exchangeOf = ({ request, reply, refusals, deadlineMs }: RequestContract): Exchange => ({
  request: jsonSchemaOf(request, 'input'),
  reply: jsonSchemaOf(reply, 'output'),
  refusals: Object.fromEntries(Object.entries(refusals).sort(([a], [b]) => a.localeCompare(b))),
  deadlineMs,
});

const handledOf = (contract: RequestContract): Exchange => ({
  ...exchangeOf(contract),
  callers: [...contract.callers].sort(),
});

const byName = <Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> =>
  Object.fromEntries([...entries].sort(([a], [b]) => a.localeCompare(b)));

/** NATS permits only the callers of a request to send it, so the code of others cannot, whatever it imports. */
const maySend = (service: string, { callers }: RequestContract): boolean =>
  callers.some(caller => caller === (service === 'command' ? 'operator' : service));

/** Requests that a release sends. */
export interface SentRequests {
  /** Through the gateway, as a client of the HTTP API. */
  readonly called: readonly RequestContract[];
  /** Over NATS: what its code and its libraries import. */
  readonly imported: readonly RequestContract[];
}

/**
 * The contract of the version in the checkout. A service handles and publishes everything under its own name; it sends
 * what its code and its libraries import as far as NATS permits it, and consumes the events of its consumers.
 */
export const contractOf = (
  service: string,
  version: string,
  { called, imported }: SentRequests,
  { http, webhooks }: HttpSurface = { http: {}, webhooks: {} },
): ReleaseContract => {
  // The gateway sends every request that has an HTTP route, without naming it.
  const routed = service === 'api-gateway' ? allRequests().filter(route => route.http.length > 0) : [];
  const sent = new Set([...called, ...[...imported, ...routed].filter(contract => maySend(service, contract))]);
  const own = (contract: { readonly service: ServiceName }) => contract.service === service;
  const consumers = EVENT_CONSUMERS.filter(own);
  const consumed = consumers.flatMap(consumer => consumer.contracts).filter(contract => !own(contract));
  const events = (of: readonly EventContract[]) =>
    byName(of.map(({ type, data }) => [type, jsonSchemaOf(data, 'output')] as const));
  const requests = (of: readonly RequestContract[], exchange: (contract: RequestContract) => Exchange) =>
    byName(of.map(contract => [requestName(contract), exchange(contract)] as const));
  return {
    service,
    version,
    envelope: jsonSchemaOf(eventEnvelope, 'output'),
    publishes: events(allEvents().filter(own)),
    consumes: events(consumed),
    consumers: byName(
      consumers.map(({ consumer, contracts: read }) => [consumer, read.map(({ type }) => type).sort()] as const),
    ),
    answers: requests(allRequests().filter(own), handledOf),
    asks: requests(
      [...sent].filter(contract => contract.service !== service),
      exchangeOf,
    ),
    http,
    webhooks,
  };
};
