import type { OutcomeKind } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';

interface Identity {
  readonly webhook_id: string;
  readonly service_id: string;
  readonly at: string;
}

type Event<Name extends string, Data = object> = {
  readonly type: `webhook-dispatch.${Name}.v1`;
  readonly data: Identity & Data;
};

/** How the endpoint is called: requests per second, null without a limit, and whether one event follows the other. */
export interface Pacing {
  readonly rate_limit: number | null;
  readonly ordered: boolean;
}

interface Creation extends Pacing {
  readonly workspace_id: string;
  readonly url: string;
  readonly events: readonly OutcomeKind[];
}

/** Events contain no secrets; those are encrypted in their own table. */
export type WebhookEvent =
  | Event<'webhook-created', Creation>
  | Event<'webhook-url-changed', { readonly url: string }>
  | Event<'webhook-events-changed', { readonly events: readonly OutcomeKind[] }>
  | Event<'webhook-pacing-changed', Pacing>
  | Event<'webhook-disabled', { readonly reason: string }>
  | Event<'webhook-enabled'>
  | Event<'webhook-secret-rotated'>
  | Event<'webhook-secret-switched'>
  | Event<'webhook-removed'>;

export interface WebhookChanges {
  readonly url?: string | undefined;
  readonly events?: readonly OutcomeKind[] | undefined;
  readonly enabled?: boolean | undefined;
  readonly rate_limit?: number | null | undefined;
  readonly ordered?: boolean | undefined;
}

export type WebhookCommand =
  | {
      readonly kind: 'create';
      readonly identity: Identity;
      readonly creation: Creation;
    }
  | ({ readonly kind: 'change'; readonly serviceId: string; readonly at: string } & WebhookChanges)
  | { readonly kind: 'disable'; readonly reason: string; readonly at: string }
  | { readonly kind: 'rotate-secret' | 'switch-secret' | 'remove'; readonly serviceId: string; readonly at: string };

export interface Webhook {
  readonly id: string;
  readonly serviceId: string;
  readonly url: string;
  readonly events: readonly OutcomeKind[];
  readonly enabled: boolean;
  readonly nextSecretReady: boolean;
  readonly pacing: Pacing;
}

/** The reason of a webhook that its owner disabled. */
export const DISABLED_BY_OWNER = 'disabled by its owner';

type State = Webhook | undefined;

const requireWebhook = (state: State, serviceId: string): Webhook => {
  if (state?.serviceId !== serviceId) throw new Refusal('webhook_not_found', 'there is no such webhook');
  return state;
};

const sameKinds = (a: readonly OutcomeKind[], b: readonly OutcomeKind[]) =>
  a.length === b.length && a.every(kind => b.includes(kind));

/** An endpoint that receives delivery events. */
export const webhook: Decider<State, WebhookCommand, WebhookEvent> = {
  initial: undefined,

  decide: (command, state) => {
    if (command.kind === 'create')
      return [
        {
          type: 'webhook-dispatch.webhook-created.v1',
          data: { ...command.identity, ...command.creation },
        },
      ];
    if (command.kind === 'disable')
      return state?.enabled
        ? [
            {
              type: 'webhook-dispatch.webhook-disabled.v1',
              data: { ...identityOf(state, command.at), reason: command.reason },
            },
          ]
        : [];
    const known = requireWebhook(state, command.serviceId);
    const identity = identityOf(known, command.at);
    switch (command.kind) {
      case 'change':
        return changes(known, identity, command);
      case 'rotate-secret':
        return [{ type: 'webhook-dispatch.webhook-secret-rotated.v1', data: identity }];
      case 'switch-secret':
        if (!known.nextSecretReady)
          throw new Refusal('no_next_secret', 'no new secret is ready; rotate the secret first');
        return [{ type: 'webhook-dispatch.webhook-secret-switched.v1', data: identity }];
      case 'remove':
        return [{ type: 'webhook-dispatch.webhook-removed.v1', data: identity }];
    }
  },

  evolve: (state, event) => {
    if (event.type === 'webhook-dispatch.webhook-created.v1') {
      const { webhook_id, service_id, url, events, rate_limit, ordered } = event.data;
      const pacing = { rate_limit, ordered };
      return { id: webhook_id, serviceId: service_id, url, events, enabled: true, nextSecretReady: false, pacing };
    }
    if (!state) return state;
    switch (event.type) {
      case 'webhook-dispatch.webhook-url-changed.v1':
        return { ...state, url: event.data.url };
      case 'webhook-dispatch.webhook-events-changed.v1':
        return { ...state, events: event.data.events };
      case 'webhook-dispatch.webhook-pacing-changed.v1':
        return { ...state, pacing: { rate_limit: event.data.rate_limit, ordered: event.data.ordered } };
      case 'webhook-dispatch.webhook-disabled.v1':
        return { ...state, enabled: false };
      case 'webhook-dispatch.webhook-enabled.v1':
        return { ...state, enabled: true };
      case 'webhook-dispatch.webhook-secret-rotated.v1':
        return { ...state, nextSecretReady: true };
      case 'webhook-dispatch.webhook-secret-switched.v1':
        return { ...state, nextSecretReady: false };
      case 'webhook-dispatch.webhook-removed.v1':
        return undefined;
    }
  },
};

const identityOf = (state: Webhook, at: string): Identity => ({
  webhook_id: state.id,
  service_id: state.serviceId,
  at,
});

const changes = (
  state: Webhook,
  identity: Identity,
  {
    url,
    events,
    enabled,
    rate_limit = state.pacing.rate_limit,
    ordered = state.pacing.ordered,
  }: Extract<WebhookCommand, { kind: 'change' }>,
): WebhookEvent[] => [
  ...(url !== undefined && url !== state.url
    ? [{ type: 'webhook-dispatch.webhook-url-changed.v1' as const, data: { ...identity, url } }]
    : []),
  ...(events !== undefined && !sameKinds(events, state.events)
    ? [{ type: 'webhook-dispatch.webhook-events-changed.v1' as const, data: { ...identity, events } }]
    : []),
  ...(rate_limit !== state.pacing.rate_limit || ordered !== state.pacing.ordered
    ? [{ type: 'webhook-dispatch.webhook-pacing-changed.v1' as const, data: { ...identity, rate_limit, ordered } }]
    : []),
  ...(enabled === false && state.enabled
    ? [
        {
          type: 'webhook-dispatch.webhook-disabled.v1' as const,
          data: { ...identity, reason: DISABLED_BY_OWNER },
        },
      ]
    : []),
  ...(enabled === true && !state.enabled
    ? [{ type: 'webhook-dispatch.webhook-enabled.v1' as const, data: identity }]
    : []),
];

export const webhookStream = (id: string): string => `webhook-${id}`;
