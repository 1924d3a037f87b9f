import type { Decider } from '@postern/event-sourcing';

/** The data of an email service was deleted, again after each pass. The event names no person. */
export interface ServiceDataDeleted {
  readonly type: 'delivery-tracking.service-data-deleted.v1';
  readonly data: { readonly service_id: string; readonly at: string };
}

export const SERVICE_DATA_DELETED = 'delivery-tracking.service-data-deleted.v1';

/** Tells the read models to delete what they hold of an email service. */
export const deletedService: Decider<null, ServiceDataDeleted['data'], ServiceDataDeleted> = {
  initial: null,
  decide: data => [{ type: SERVICE_DATA_DELETED, data }],
  evolve: state => state,
};

export const deletedServiceStream = (serviceId: string): string => `email-service-${serviceId}`;
