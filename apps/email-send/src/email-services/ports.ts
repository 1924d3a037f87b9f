/** Deletes email services in one transaction, shown by the read model afterwards. */
export abstract class EmailServiceDeletions {
  /** Refuses `service_not_found`, and `messages_under_way` while messages of the service are being sent or retried. */
  abstract delete(service: { readonly workspaceId: string; readonly serviceId: string }): Promise<void>;
}
