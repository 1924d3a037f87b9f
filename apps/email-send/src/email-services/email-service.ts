import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';
import type {
  EmailService,
  EmailServiceChanges,
  EmailServiceCommand,
  EmailServiceEvent,
} from './email-service-state.js';
import { quotaChangeAfter } from './quota.js';

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
      case 'delete':
        return remove(command, state);
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
      case 'email-send.email-service-deleted.v1':
        return { ...state, id: undefined, workspaceId: undefined };
    }
  },
};

type Of<Kind extends EmailServiceCommand['kind']> = Extract<EmailServiceCommand, { kind: Kind }>;

function create({ serviceId, workspaceId, name, at }: Of<'create'>): EmailServiceEvent[] {
  return [
    {
      type: 'email-send.email-service-created.v1',
      data: { service_id: serviceId, workspace_id: workspaceId, name, at },
    },
  ];
}

function remove({ workspaceId, at }: Of<'delete'>, state: EmailService): EmailServiceEvent[] {
  const service_id = created(state);
  if (state.workspaceId !== workspaceId) throw serviceNotFound();
  return [{ type: 'email-send.email-service-deleted.v1', data: { service_id, workspace_id: workspaceId, at } }];
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
  // The usage of the day of the change does not affect the new quota.
  const data = { service_id, day: dayOf(at), from, to, reason: why, messages: 0, bounced: 0, complained: 0, at };
  return [...events, { type: 'email-send.daily-quota-changed.v1', data }];
}

/** Days are evaluated in order and once across all replicas, however late. */
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
  if (state.id === undefined) throw serviceNotFound();
  return state.id;
}

const serviceNotFound = (): Refusal => new Refusal('service_not_found', 'there is no such email service');
