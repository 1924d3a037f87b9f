import { join } from 'node:path';
import { z } from 'zod';

/** The folder of all data of the load balancer within the platform's home. */
export const balancerFolder = (platformHome: string): string => join(platformHome, 'load-balancer');

/** The control API of the load balancer: HTTP on a Unix socket that only its own user may open. */
export const controlSocket = (platformHome: string): string => join(balancerFolder(platformHome), 'control.sock');

const backend = z.strictObject({
  id: z.string().min(1).max(200),
  /** The address of the instance. */
  host: z.ipv4(),
  port: z.int().min(1).max(65_535),
  /** How long the first byte of a response may take; undefined for the limit of the load balancer. */
  firstByteMs: z.int().min(1).max(3_600_000).optional(),
});
const closedReason = z.enum(['not_deployed', 'stopped', 'blocked', 'suspended', 'asleep']);

/** One running instance, and where it listens. */
export type Backend = Readonly<z.infer<typeof backend>>;

/**
 * Why a service deliberately does not respond; every reason has its own page. Requests for a service that is asleep wait
 * until it has another route.
 */
export type ClosedReason = z.infer<typeof closedReason>;

export const serviceId = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'is not a valid service id');
export const reservation = z.strictObject({ name: z.string().min(1).max(500) });
export const backendSet = z.strictObject({ backends: z.array(backend).max(200), version: z.int().min(0) });
/** Services by host name, in lower case: the only names that are routed besides the services' own. */
export const hostRoutes = z.record(z.string().min(1).max(255), serviceId);
export const closing = z.strictObject({ reason: closedReason, version: z.int().min(0).optional() });
export const drainOrder = z.strictObject({
  backends: z.array(z.string()).max(1_000),
  timeoutMs: z.int().min(0).max(3_600_000),
});

/** Sums of bytes by service id, valid only together with their epoch. */
const byteCounts = z.record(serviceId, z.int().min(0));
export const countedTraffic = z.strictObject({ epoch: z.string(), total: byteCounts, confirmed: byteCounts });
export const trafficConfirmation = z.strictObject({ epoch: z.string(), upTo: byteCounts });

/** Sums since the load balancer started; the milliseconds are those until the answers began. */
const answerCounts = z.object({
  count: z.int().min(0),
  serverErrors: z.int().min(0),
  responseMs: z.number().nonnegative(),
});
export type AnswerCounts = Readonly<z.infer<typeof answerCounts>>;
export const NO_ANSWERS: AnswerCounts = { count: 0, serverErrors: 0, responseMs: 0 };

export const reserved = z.object({ url: z.string() });
export const drained = z.object({ cut: z.int() });
export const balancerState = z.object({
  /** Process ids of the workers, the one for new connections first. */
  workers: z.array(z.int()),
  services: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      url: z.string(),
      /** Where this service, and no other one, is served on this machine. */
      listener: z.object({ host: z.string(), port: z.int() }),
      version: z.int(),
      closed: closedReason.nullable(),
      /** Requests since the load balancer started, and those that wait for a service that is asleep. */
      requests: z.int(),
      answers: answerCounts,
      waiting: z.int(),
      backends: z.array(z.object({ id: z.string(), host: z.ipv4(), port: z.int(), underWay: z.int() })),
      /** Former backends: they receive no new requests, but have some in progress. */
      draining: z.array(z.object({ id: z.string(), host: z.ipv4(), port: z.int(), underWay: z.int() })),
    }),
  ),
});

export type CountedTraffic = z.infer<typeof countedTraffic>;
export type TrafficConfirmation = z.infer<typeof trafficConfirmation>;
export type BalancerRoute = z.infer<typeof balancerState>['services'][number];
