import type { Decider } from '@postern/event-sourcing';

export interface PasswordResetRequested {
  readonly type: 'platform-management.password-reset-requested.v1';
  readonly data: { readonly request_id: string; readonly at: string };
}

export interface PasswordResetCommand {
  readonly kind: 'request';
  readonly requestId: string;
  readonly at: string;
}

/** A request to reset a password, also for an address without a user. The address is stored in a row, not in the event. */
export const passwordReset: Decider<{ readonly requested: boolean }, PasswordResetCommand, PasswordResetRequested> = {
  initial: { requested: false },
  decide: ({ requestId, at }, { requested }) =>
    requested ? [] : [{ type: 'platform-management.password-reset-requested.v1', data: { request_id: requestId, at } }],
  evolve: () => ({ requested: true }),
};

export const passwordResetStream = (requestId: string): string => `password-reset-${requestId}`;

/** Maximum requests within the window; further requests are dropped with the same reply. */
export const RESET_LIMITS = { windowS: 3_600, perAddress: 3, perNetwork: 20 } as const;
