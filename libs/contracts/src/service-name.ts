/** The services with a database: they own events and handle the operator's requests. */
export const SERVICE_NAMES = ['email-send', 'delivery-tracking', 'webhook-dispatch', 'platform-management'] as const;

/** Every service that handles requests. The gateway only sends requests. */
export type ServiceName = (typeof SERVICE_NAMES)[number] | 'runtime-agent';

/** Every process with its own NATS user, and `operator`, the user of the `postern` command. */
export const NATS_USERS = ['api-gateway', ...SERVICE_NAMES, 'runtime-agent', 'operator'] as const;

/** The name of a NATS user. */
export type NatsUser = (typeof NATS_USERS)[number];
