/** The services with a database of their own: they own events and answer an operator's requests. */
export const SERVICE_NAMES = ['email-send', 'delivery-tracking', 'webhook-dispatch', 'platform-management'] as const;

/** Every service that answers requests. The gateway answers none: it only asks. */
export type ServiceName = (typeof SERVICE_NAMES)[number] | 'runtime-agent';

/** Every process with a NATS user of its own, and the operator, whom the `postern` command connects as. */
export const NATS_USERS = ['api-gateway', ...SERVICE_NAMES, 'runtime-agent', 'operator'] as const;

/** Who sends and answers messages: the names of the NATS users. */
export type NatsUser = (typeof NATS_USERS)[number];
