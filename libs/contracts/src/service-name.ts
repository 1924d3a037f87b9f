/** The services with a database of their own: they own events and answer an operator's requests. */
export const SERVICE_NAMES = ['email-send', 'delivery-tracking', 'webhook-dispatch', 'platform-management'] as const;

/** Every service that answers requests. The gateway answers none: it only asks. */
export type ServiceName = (typeof SERVICE_NAMES)[number] | 'runtime-agent';
