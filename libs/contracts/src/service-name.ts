/** The services that own requests and events. The gateway owns none. */
export const SERVICE_NAMES = ['email-send', 'delivery-tracking', 'webhook-dispatch', 'platform-management'] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];
