import type { EventOf, emailServiceCreated, emailServiceDeleted } from '@postern/contracts';
import type { DayCounts } from './quota.js';
import type { ServiceLimits } from './service-limits.js';

export type ServiceSwitch = 'open_tracking' | 'click_tracking' | 'suppression';

export interface EmailServiceChanges {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly open_tracking?: boolean | undefined;
  readonly click_tracking?: boolean | undefined;
  readonly suppression?: boolean | undefined;
}

type Fact<Type extends string, Data> = {
  readonly type: `email-send.${Type}.v1`;
  readonly data: { readonly service_id: string; readonly at: string } & Data;
};

export type EmailServiceEvent =
  | EventOf<typeof emailServiceCreated>
  | EventOf<typeof emailServiceDeleted>
  | Fact<'email-service-renamed', { readonly name: string }>
  | Fact<'email-service-enabled', unknown>
  | Fact<'email-service-disabled', unknown>
  | Fact<'email-service-switch-turned', { readonly switch: ServiceSwitch; readonly on: boolean }>
  | Fact<'email-service-limits-set', { readonly limits: ServiceLimits }>
  | Fact<
      'email-service-moved-to-production',
      { readonly domain_id: string; readonly domain: string; readonly daily_quota: number }
    >
  | Fact<
      'daily-quota-changed',
      { readonly day: string; readonly from: number; readonly to: number; readonly reason: string } & DayCounts
    >;

export type EmailServiceCommand =
  | {
      readonly kind: 'create';
      readonly serviceId: string;
      readonly workspaceId: string;
      readonly name: string;
      readonly at: string;
    }
  | { readonly kind: 'delete'; readonly workspaceId: string; readonly at: string }
  | { readonly kind: 'change'; readonly changes: EmailServiceChanges; readonly at: string }
  | {
      readonly kind: 'set-limits';
      /** Replaces all limits of the operator; undefined leaves them. */
      readonly limits: ServiceLimits | undefined;
      /** The new daily quota of a production service; undefined leaves it. */
      readonly dailyQuota?: number | undefined;
      readonly reason?: string | undefined;
      readonly at: string;
    }
  | {
      /** A sending domain of the service was verified. */
      readonly kind: 'domain-verified';
      readonly domainId: string;
      readonly domain: string;
      readonly dailyStart: number;
      readonly at: string;
    }
  | {
      /** A UTC day (YYYY-MM-DD) is over. */
      readonly kind: 'close-day';
      readonly day: string;
      readonly counts: DayCounts;
      readonly ceiling: number;
      readonly at: string;
    };

export interface EmailService {
  readonly id: string | undefined;
  readonly workspaceId: string | undefined;
  readonly name: string;
  readonly mode: 'sandbox' | 'production';
  readonly enabled: boolean;
  readonly switches: Readonly<Record<ServiceSwitch, boolean>>;
  readonly limits: ServiceLimits;
  /** Defined for services in production. */
  readonly dailyQuota: number | undefined;
  /** The first day that counts for the quota: the day of the move to production, or the day after the last change. */
  readonly quotaOpenFrom: string;
}

/** All event types of the stream. */
export const EMAIL_SERVICE_EVENT_TYPES = [
  'email-send.email-service-created.v1',
  'email-send.email-service-renamed.v1',
  'email-send.email-service-enabled.v1',
  'email-send.email-service-disabled.v1',
  'email-send.email-service-switch-turned.v1',
  'email-send.email-service-limits-set.v1',
  'email-send.email-service-moved-to-production.v1',
  'email-send.daily-quota-changed.v1',
  'email-send.email-service-deleted.v1',
] as const satisfies readonly EmailServiceEvent['type'][];
