import type {
  DataOf,
  emailCopyRetried,
  emailHandedOver,
  emailInterrupted,
  emailNotHandedOver,
} from '@postern/contracts';
import {
  COPY_RETRIED,
  EMAIL_TRACKED,
  type FollowedEvent,
  HAND_OVER_FAILED,
  HAND_OVER_INTERRUPTED,
  HAND_OVER_RECORDED,
} from './tracked-email-events.js';
import type { EmailFacts } from './tracked-email-state.js';

type StepOf<Data> = Omit<Data, 'email_id' | 'service_id'>;

/** What email-send said about an email after its acceptance, as its row holds it: kinds and field names must not change. */
export type HandOverStep =
  | { readonly kind: 'handed_over'; readonly data: StepOf<DataOf<typeof emailHandedOver>> }
  | { readonly kind: 'copy_retried'; readonly data: StepOf<DataOf<typeof emailCopyRetried>> }
  | { readonly kind: 'not_handed_over'; readonly data: StepOf<DataOf<typeof emailNotHandedOver>> }
  | { readonly kind: 'interrupted'; readonly data: StepOf<DataOf<typeof emailInterrupted>> };

const KIND_OF = {
  [HAND_OVER_RECORDED]: 'handed_over',
  [COPY_RETRIED]: 'copy_retried',
  [HAND_OVER_FAILED]: 'not_handed_over',
  [HAND_OVER_INTERRUPTED]: 'interrupted',
} as const;

const TYPE_OF = {
  handed_over: HAND_OVER_RECORDED,
  copy_retried: COPY_RETRIED,
  not_handed_over: HAND_OVER_FAILED,
  interrupted: HAND_OVER_INTERRUPTED,
} as const;

export const stepsOf = (events: readonly FollowedEvent[]): HandOverStep[] =>
  events.flatMap(event => {
    if (event.type === EMAIL_TRACKED) return [];
    const { email_id: _, service_id: __, ...data } = event.data;
    return [{ kind: KIND_OF[event.type], data } as HandOverStep];
  });

/** The events that the facts and the steps of a row come from. */
export const followedEvents = (facts: EmailFacts, steps: readonly HandOverStep[]): FollowedEvent[] => {
  const { email_id, service_id } = facts;
  return [
    { type: EMAIL_TRACKED, data: facts },
    ...steps.map(
      ({ kind, data }) => ({ type: TYPE_OF[kind], data: { email_id, service_id, ...data } }) as FollowedEvent,
    ),
  ];
};
