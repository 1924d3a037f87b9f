import { addressListed, addressSuppressed, type EventOf, suppressionLifted } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';

export type SuppressionEvent = EventOf<typeof addressSuppressed | typeof addressListed | typeof suppressionLifted>;

export type SuppressionCommand =
  | { readonly kind: 'suppress'; readonly data: EventOf<typeof addressSuppressed>['data'] }
  | { readonly kind: 'list'; readonly data: EventOf<typeof addressListed>['data'] }
  | {
      readonly kind: 'correct';
      readonly data: { readonly email_id: string } & EventOf<typeof suppressionLifted>['data'];
    }
  | { readonly kind: 'remove'; readonly data: EventOf<typeof suppressionLifted>['data'] };

export interface Suppression {
  readonly suppressed: boolean;
  /** The email whose hard bounce suppressed the address. */
  readonly bouncedEmail?: string | undefined;
}

/** Whether one email service suppresses one address. Suppressing or listing it again changes nothing. */
export const addressSuppression: Decider<Suppression, SuppressionCommand, SuppressionEvent> = {
  initial: { suppressed: false },

  decide: (command, { suppressed, bouncedEmail }) => {
    switch (command.kind) {
      case 'suppress':
        return suppressed ? [] : [{ type: addressSuppressed.type, data: command.data }];
      case 'list':
        return suppressed ? [] : [{ type: addressListed.type, data: command.data }];
      case 'correct': {
        const { email_id, ...data } = command.data;
        return suppressed && bouncedEmail === email_id ? [{ type: suppressionLifted.type, data }] : [];
      }
      case 'remove':
        if (!suppressed) throw new Refusal('suppression_not_found', `${command.data.address} is not suppressed`);
        return [{ type: suppressionLifted.type, data: command.data }];
    }
  },

  evolve: (_, event) => {
    if (event.type === suppressionLifted.type) return { suppressed: false };
    const bounced = event.type === addressSuppressed.type && event.data.reason === 'hard_bounce';
    return { suppressed: true, bouncedEmail: bounced ? event.data.email_id : undefined };
  },
};

/** One stream per email service and address. `address` is an `addressKey`. */
export const suppressionStream = (serviceId: string, address: string): string => `suppression-${serviceId}-${address}`;
