/** The stage of an SMTP transaction at which a fault occurs. `data` is the reply to the final dot. */
export type Stage = 'connect' | 'mail' | 'rcpt' | 'data';

/** How the relay treats its clients. A behaviour with a `share` applies to that share of the transactions. */
export type RelayBehaviour =
  | { readonly kind: 'normal' }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | { readonly kind: 'refuse'; readonly stage: Stage; readonly share: number }
  | {
      readonly kind: 'cut';
      readonly when: 'in data' | 'after dot, not taken' | 'after dot, taken';
      readonly share: number;
    };

export const NORMAL: RelayBehaviour = { kind: 'normal' };

export const REFUSALS: Readonly<Record<Stage, { readonly code: number; readonly text: string }>> = {
  connect: { code: 421, text: '4.3.2 too busy, try again later' },
  mail: { code: 451, text: '4.3.0 try again later' },
  rcpt: { code: 450, text: '4.2.1 try again later' },
  data: { code: 452, text: '4.3.1 insufficient system storage, try again later' },
};
