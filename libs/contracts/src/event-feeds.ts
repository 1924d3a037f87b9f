import { z } from 'zod';
import { eventEnvelope } from './event.js';
import { EVENT_CONSUMERS } from './event-consumers.js';
import { type RequestContract, requestsOf } from './request.js';
import { type NatsUser, SERVICE_NAMES, type ServiceName } from './service-name.js';

/** A place in the log of a service. The id of the event at this place proves that the log holds what was read. */
export const logPosition = z.object({
  epoch: z.uuid().describe('The log: another one after the database was restored.'),
  txid: z.string().regex(/^\d{1,20}$/),
  pos: z.string().regex(/^\d{1,19}$/),
  event_id: z.uuid(),
});

export type LogPosition = z.output<typeof logPosition>;

export const eventPage = z.object({
  events: z.array(eventEnvelope).describe('In the order of their commits.'),
  position: logPosition
    .nullable()
    .describe('The end of the page, including events of other types; null at the beginning.'),
  more: z.boolean().describe('Whether more events follow at once.'),
  hidden: z.boolean().describe('Whether an open transaction hides committed events for a moment.'),
  restarted: z
    .boolean()
    .describe('The log was restored and does not hold the position: the page starts at an earlier one that it holds.'),
});

export type EventPage = z.output<typeof eventPage>;

const request = <const Type extends string>(types: readonly Type[]) =>
  z.object({
    consumer: z.string().min(1).max(200),
    types: z.array(z.enum(types)).min(1),
    after: logPosition.nullable().describe('Null for a consumer that has read nothing.'),
    handled: logPosition
      .nullable()
      .optional()
      .describe('Up to where it has handled events, if it reads ahead; otherwise `after`.'),
  });

export type EventFeed = RequestContract<ReturnType<typeof request>, typeof eventPage>;

/**
 * The request by which one service reads the events of another, a page at a time. There is one for each reading service:
 * NATS permits it to this service alone, and its contract lists the types of events that it may read.
 */
export const eventFeed = (source: ServiceName, reader: NatsUser, types: readonly string[]): EventFeed =>
  requestsOf(source, [reader])(`read-events-for-${reader}`, {
    request: request(types),
    reply: eventPage,
    deadlineMs: 10_000,
  });

/** The feeds that a service offers to the others. */
export const feedsOf = (source: ServiceName): readonly EventFeed[] => {
  const types = new Map<ServiceName, Set<string>>();
  for (const { service, contracts } of EVENT_CONSUMERS) {
    const read = contracts.filter(contract => contract.service === source);
    if (read.length > 0) types.set(service, new Set([...(types.get(service) ?? []), ...read.map(({ type }) => type)]));
  }
  return [...types].map(([reader, read]) => eventFeed(source, reader, [...read].sort()));
};

/** The feeds of all services. */
export const EVENT_FEEDS: readonly EventFeed[] = SERVICE_NAMES.flatMap(feedsOf);
