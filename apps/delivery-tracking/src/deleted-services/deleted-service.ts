import type { Decider } from '@postern/event-sourcing';

/** Published for webhook-dispatch when the email service is deleted, and again after each pass that deletes its data. */
export const SERVICE_TRACKING_ENDED = 'delivery-tracking.service-tracking-ended.v1';

/** Makes the read models delete their rows of the email service, after each pass. */
export const SERVICE_DATA_DELETED = 'delivery-tracking.service-data-deleted.v1';

/** Events about the data of a deleted email service. They contain no personal data. */
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
