import { addressSuppressed, type EventOf, suppressionLifted } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';

export type SuppressionEvent = EventOf<typeof addressSuppressed | typeof suppressionLifted>;

export type SuppressionCommand =
  | { readonly kind: 'suppress'; readonly data: EventOf<typeof addressSuppressed>['data'] }
  | { readonly kind: 'remove'; readonly data: EventOf<typeof suppressionLifted>['data'] };

export interface Suppression {
  readonly suppressed: boolean;
}

/** Whether one email service suppresses one address. Suppressing it again changes nothing. */
export const addressSuppression: Decider<Suppression, SuppressionCommand, SuppressionEvent> = {
  initial: { suppressed: false },

  decide: (command, { suppressed }) => {
    switch (command.kind) {
      case 'suppress':
        return suppressed ? [] : [{ type: addressSuppressed.type, data: command.data }];
      case 'remove':
        if (!suppressed) throw new Refusal('suppression_not_found', `${command.data.address} is not suppressed`);
        return [{ type: suppressionLifted.type, data: command.data }];
    }
  },

  evolve: (_, event) => ({ suppressed: event.type === addressSuppressed.type }),
};

/** One stream per email service and address. `address` is an `addressKey`. */
export const suppressionStream = (serviceId: string, address: string): string => `suppression-${serviceId}-${address}`;
