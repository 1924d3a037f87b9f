import { addressSuppressed, type EventOf, suppressionLifted } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';

export type SuppressionEvent = EventOf<typeof addressSuppressed | typeof suppressionLifted>;

export type SuppressionCommand =
  | { readonly kind: 'suppress'; readonly data: EventOf<typeof addressSuppressed>['data'] }
  | { readonly kind: 'lift'; readonly data: EventOf<typeof suppressionLifted>['data'] };

export interface Suppression {
  readonly listed: boolean;
}

/** Whether one address is on the list of one email service. Listing it twice changes nothing. */
export const addressSuppression: Decider<Suppression, SuppressionCommand, SuppressionEvent> = {
  initial: { listed: false },

  decide: (command, { listed }) => {
    switch (command.kind) {
      case 'suppress':
        return listed ? [] : [{ type: addressSuppressed.type, data: command.data }];
      case 'lift':
        if (!listed) throw new Refusal('suppression_not_found', `${command.data.address} is not suppressed`);
        return [{ type: suppressionLifted.type, data: command.data }];
    }
  },

  evolve: (_, event) => ({ listed: event.type === addressSuppressed.type }),
};

/** One stream per email service and address; addresses are compared in lower case. */
export const suppressionStream = (serviceId: string, address: string): string =>
  `suppression-${serviceId}-${address.toLowerCase()}`;
