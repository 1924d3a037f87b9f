/** Shows that the relay accepted a copy whose answer was lost. */
export interface Evidence {
  /** The index of the recipient. */
  readonly index: number;
  /** `answered`: the relay answered after other replicas considered the process dead. */
  readonly kind: 'delivered' | 'bounced' | 'complained' | 'opened' | 'clicked' | 'answered';
  readonly at: string;
}

/** Not published: delivery-tracking has the same evidence itself. */
export interface EmailConfirmed {
  readonly type: 'email-send.email-confirmed.v1';
  readonly data: {
    readonly email_id: string;
    readonly service_id: string;
    readonly index: number;
    readonly evidence: Evidence['kind'];
    readonly at: string;
  };
}

const NAMES: Readonly<Record<Evidence['kind'], string>> = {
  delivered: 'a delivery notification',
  bounced: 'a bounce',
  complained: 'a complaint',
  opened: 'an open',
  clicked: 'a click',
  answered: 'its late answer',
};

/** The message of a record whose outcome was unknown until evidence arrived. */
export const confirmedBy = (kind: Evidence['kind']): string =>
  `Sent to the relay: its answer was lost, but ${NAMES[kind]} shows that it accepted the message.`;
