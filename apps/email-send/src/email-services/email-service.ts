import type { EventOf, emailServiceCreated } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';
import { type DayCounts, quotaChangeAfter } from '../daily-quotas/quota.js';

/** Limits that an operator set for one service; absent limits follow the platform's defaults. */
export interface ServiceLimits {
  readonly sandbox_daily?: number | undefined;
  readonly sandbox_per_minute?: number | undefined;
  readonly production_per_minute?: number | undefined;
  readonly production_daily_ceiling?: number | undefined;
}

/** The platform's defaults: messages per UTC day and per minute. */
export interface DefaultLimits {
  readonly sandboxDaily: number;
  readonly sandboxPerMinute: number;
  readonly productionPerMinute: number;
  readonly productionDailyStart: number;
  readonly productionDailyCeiling: number;
}

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
  | Fact<'email-service-owner-named', { readonly owner_email: string }>
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
      readonly ownerEmail: string | undefined;
      readonly at: string;
    }
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
  readonly ownerEmail: string | undefined;
  readonly mode: 'sandbox' | 'production';
  readonly enabled: boolean;
  readonly switches: Readonly<Record<ServiceSwitch, boolean>>;
  readonly limits: ServiceLimits;
  /** Defined for services in production. */
  readonly dailyQuota: number | undefined;
  /** The first day that counts for the quota: that of the move to production, or the one after the last change. */
  readonly quotaOpenFrom: string;
}

/** All event types of the stream. */
export const EMAIL_SERVICE_EVENT_TYPES = [
  'email-send.email-service-created.v1',
  'email-send.email-service-owner-named.v1',
  'email-send.email-service-renamed.v1',
  'email-send.email-service-enabled.v1',
  'email-send.email-service-disabled.v1',
  'email-send.email-service-switch-turned.v1',
  'email-send.email-service-limits-set.v1',
  'email-send.email-service-moved-to-production.v1',
  'email-send.daily-quota-changed.v1',
] as const satisfies readonly EmailServiceEvent['type'][];

const SWITCHES = ['open_tracking', 'click_tracking', 'suppression'] as const;

export const emailServiceStream = (serviceId: string): string => `email-service-${serviceId}`;

/**
 * A logical sender of one workspace. It starts in the sandbox and moves to production permanently with its first verified
 * domain. Without a verified domain, it sends everything through the sandbox sender (sandbox_fallback).
 */
export const emailService: Decider<EmailService, EmailServiceCommand, EmailServiceEvent> = {
  initial: {
    id: undefined,
    workspaceId: undefined,
    name: '',
    ownerEmail: undefined,
    mode: 'sandbox',
    enabled: true,
    switches: { open_tracking: true, click_tracking: false, suppression: false },
    limits: {},
    dailyQuota: undefined,
    quotaOpenFrom: '',
  },

  decide: (command, state) => {
    switch (command.kind) {
      case 'create':
        return create(command);
      case 'change':
        return change(command.changes, state, command.at);
      case 'set-limits':
        return setLimits(command, state);
      case 'domain-verified': {
        const serviceId = created(state);
        if (state.mode === 'production') return [];
        return [
          {
            type: 'email-send.email-service-moved-to-production.v1',
            data: {
              service_id: serviceId,
              domain_id: command.domainId,
              domain: command.domain,
              daily_quota: command.dailyStart,
              at: command.at,
            },
          },
        ];
      }
      case 'close-day':
        return closeDay(command, state);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'email-send.email-service-created.v1':
        return { ...state, id: event.data.service_id, workspaceId: event.data.workspace_id, name: event.data.name };
      case 'email-send.email-service-owner-named.v1':
        return { ...state, ownerEmail: event.data.owner_email };
      case 'email-send.email-service-renamed.v1':
        return { ...state, name: event.data.name };
      case 'email-send.email-service-enabled.v1':
        return { ...state, enabled: true };
      case 'email-send.email-service-disabled.v1':
        return { ...state, enabled: false };
      case 'email-send.email-service-switch-turned.v1':
        return { ...state, switches: { ...state.switches, [event.data.switch]: event.data.on } };
      case 'email-send.email-service-limits-set.v1':
        return { ...state, limits: event.data.limits };
      case 'email-send.email-service-moved-to-production.v1':
        return {
          ...state,
          mode: 'production',
          dailyQuota: event.data.daily_quota,
          quotaOpenFrom: dayOf(event.data.at),
        };
      case 'email-send.daily-quota-changed.v1':
        return { ...state, dailyQuota: event.data.to, quotaOpenFrom: dayAfter(event.data.day) };
    }
  },
};

/** The limits of a service: messages per UTC day and per minute. */
export function limitsOf(
  { mode, limits, dailyQuota }: Pick<EmailService, 'mode' | 'limits' | 'dailyQuota'>,
  defaults: DefaultLimits,
): { readonly daily: number; readonly perMinute: number } {
  return mode === 'sandbox'
    ? {
        daily: limits.sandbox_daily ?? defaults.sandboxDaily,
        perMinute: limits.sandbox_per_minute ?? defaults.sandboxPerMinute,
      }
    : {
        daily: Math.min(
          dailyQuota ?? defaults.productionDailyStart,
          limits.production_daily_ceiling ?? Number.POSITIVE_INFINITY,
        ),
        perMinute: limits.production_per_minute ?? defaults.productionPerMinute,
      };
}

type Of<Kind extends EmailServiceCommand['kind']> = Extract<EmailServiceCommand, { kind: Kind }>;

function create({ serviceId, workspaceId, name, ownerEmail, at }: Of<'create'>): EmailServiceEvent[] {
  const events: EmailServiceEvent[] = [
    {
      type: 'email-send.email-service-created.v1',
      data: { service_id: serviceId, workspace_id: workspaceId, name, at },
    },
  ];
  if (ownerEmail !== undefined) {
    events.push({
      type: 'email-send.email-service-owner-named.v1',
      data: { service_id: serviceId, owner_email: ownerEmail, at },
    });
  }
  return events;
}

/** Unchanged values produce no event. */
function change(changes: EmailServiceChanges, state: EmailService, at: string): EmailServiceEvent[] {
  const service_id = created(state);
  const events: EmailServiceEvent[] = [];
  if (changes.name !== undefined && changes.name !== state.name) {
    events.push({ type: 'email-send.email-service-renamed.v1', data: { service_id, name: changes.name, at } });
  }
  if (changes.enabled !== undefined && changes.enabled !== state.enabled) {
    const type = changes.enabled ? 'email-send.email-service-enabled.v1' : 'email-send.email-service-disabled.v1';
    events.push({ type, data: { service_id, at } });
  }
  for (const name of SWITCHES) {
    const on = changes[name];
    if (on !== undefined && on !== state.switches[name]) {
      events.push({ type: 'email-send.email-service-switch-turned.v1', data: { service_id, switch: name, on, at } });
    }
  }
  return events;
}

function setLimits({ limits, dailyQuota: to, reason, at }: Of<'set-limits'>, state: EmailService): EmailServiceEvent[] {
  const service_id = created(state);
  const events: EmailServiceEvent[] = [];
  if (limits) events.push({ type: 'email-send.email-service-limits-set.v1', data: { service_id, limits, at } });
  if (to === undefined) return events;
  const { dailyQuota: from } = state;
  if (from === undefined) {
    throw new Refusal('invalid_input', 'production_daily: this service is in the sandbox; set sandbox_daily instead');
  }
  const ceiling = (limits ?? state.limits).production_daily_ceiling;
  if (ceiling !== undefined && to > ceiling) {
    throw new Refusal(
      'invalid_input',
      `production_daily: must be at most production_daily_ceiling, which is ${ceiling}`,
    );
  }
  if (to === from) return events;
  const why = reason === undefined ? 'set by an operator' : `set by an operator: ${reason}`;
  // The day that it was set on is not held against the new quota.
  const data = { service_id, day: dayOf(at), from, to, reason: why, messages: 0, bounced: 0, complained: 0, at };
  return [...events, { type: 'email-send.daily-quota-changed.v1', data }];
}

/** Days are evaluated in order and only once, over all replicas and however late. */
function closeDay({ day, counts, ceiling, at }: Of<'close-day'>, state: EmailService): EmailServiceEvent[] {
  const service_id = created(state);
  const { dailyQuota } = state;
  if (dailyQuota === undefined || day < state.quotaOpenFrom) return [];
  const changed = quotaChangeAfter(counts, dailyQuota, state.limits.production_daily_ceiling ?? ceiling);
  if (!changed) return [];
  return [
    {
      type: 'email-send.daily-quota-changed.v1',
      data: { service_id, day, from: dailyQuota, ...changed, ...counts, at },
    },
  ];
}

const dayOf = (at: string): string => at.slice(0, 10);

const dayAfter = (day: string): string => dayOf(new Date(Date.parse(day) + 86_400_000).toISOString());

function created(state: EmailService): string {
  if (state.id === undefined) throw new Refusal('service_not_found', 'there is no such email service');
  return state.id;
}
