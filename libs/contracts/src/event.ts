import { z } from 'zod';
import type { ServiceName } from './service-name.js';

/** A fact that a service publishes to the others. Its type carries the version: a breaking change is a new type. */
export interface EventContract<Type extends string = string, Data extends z.ZodType = z.ZodType> {
  readonly service: ServiceName;
  /** `<service>.<event>.v<N>`, which is also the event's type in the store of its service. */
  readonly type: Type;
  /** Where the service says, after a commit, that there are new events of the type; the message is empty. */
  readonly subject: string;
  readonly data: Data;
}

/** Whether an export of this library is an event contract. */
export const isEventContract = (value: unknown): value is EventContract =>
  typeof value === 'object' && value !== null && 'subject' in value && 'type' in value && 'data' in value;

/** Events of one service; the subject of each is `postern.wake-ups.<type>`. */
export const eventsOf =
  <Service extends ServiceName>(service: Service) =>
  <const Name extends string, Data extends z.ZodType>(
    name: Name,
    data: Data,
  ): EventContract<`${Service}.${Name}`, Data> => ({
    service,
    type: `${service}.${name}` as const,
    subject: `postern.wake-ups.${service}.${name}`,
    data,
  });

export const eventMetadata = z.object({
  correlation_id: z.string(),
  causation_id: z.string().optional(),
  traceparent: z.string().optional(),
  actor: z.string().optional(),
});

/** An event as other services read it from the log of its service. */
export const eventEnvelope = z.object({
  id: z.uuid(),
  type: z.string(),
  stream_id: z.string(),
  version: z.int().positive(),
  occurred_at: z.iso.datetime(),
  data: z.unknown(),
  metadata: eventMetadata,
});

export type EventMetadata = z.output<typeof eventMetadata>;
export type DataOf<C extends EventContract> = z.output<C['data']>;
export type EventOf<C extends EventContract> = C extends EventContract
  ? { readonly type: C['type']; readonly data: z.output<C['data']> }
  : never;
/** An envelope whose type and data belong to one of the contracts `C`. */
export type EnvelopeOf<C extends EventContract> = C extends EventContract
  ? Omit<z.output<typeof eventEnvelope>, 'type' | 'data'> & EventOf<C>
  : never;
