import type { Decider } from '@postern/event-sourcing';

/** Tells webhook-dispatch that the email service was deleted, at once and again after each pass that deletes its data. */
export const SERVICE_TRACKING_ENDED = 'delivery-tracking.service-tracking-ended.v1';

/** Tells the read models to delete what they hold of the email service, after each pass. */
export const SERVICE_DATA_DELETED = 'delivery-tracking.service-data-deleted.v1';

/** What happens to the data of a deleted email service. The events name no person. */
export interface DeletedServiceEvent {
  readonly type: typeof SERVICE_TRACKING_ENDED | typeof SERVICE_DATA_DELETED;
  readonly data: { readonly service_id: string; readonly at: string };
}

interface Step {
  readonly serviceId: string;
  readonly types: readonly DeletedServiceEvent['type'][];
  readonly at: Date;
}

export const deletedService: Decider<null, Step, DeletedServiceEvent> = {
  initial: null,
  decide: ({ serviceId, types, at }) =>
    types.map(type => ({ type, data: { service_id: serviceId, at: at.toISOString() } })),
  evolve: state => state,
};

export const deletedServiceStream = (serviceId: string): string => `email-service-${serviceId}`;
