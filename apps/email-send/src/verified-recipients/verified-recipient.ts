import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';
import { addressKey, MailboxError, parseMailbox } from '@postern/mail';

type Fact<Type extends string, Data> = {
  readonly type: `email-send.${Type}.v1`;
  readonly data: { readonly service_id: string; readonly recipient_id: string; readonly at: string } & Data;
};

export type VerifiedRecipientEvent =
  | Fact<
      'recipient-code-sent',
      /** A keyed hash, because six digits can be found from an unkeyed hash by brute force. */
      { readonly address: string; readonly code_hash: string; readonly expires_at: string }
    >
  | Fact<'recipient-code-mismatched', unknown>
  | Fact<'recipient-verified', { readonly address: string; readonly by: 'code' | 'ownership' }>
  | Fact<'recipient-removed', unknown>;

export type VerifiedRecipientCommand =
  | {
      readonly kind: 'send-code';
      readonly serviceId: string;
      readonly recipientId: string;
      readonly address: string;
      readonly codeHash: string;
      readonly at: string;
    }
  | {
      /** Hashes of the entered code under every key that can have hashed the correct code. */
      readonly kind: 'enter-code';
      readonly codeHashes: readonly string[];
      readonly at: string;
    }
  | {
      /** The operator confirms the address, because its owner is already verified. */
      readonly kind: 'confirm';
      readonly serviceId: string;
      readonly recipientId: string;
      readonly address: string;
      readonly at: string;
    }
  | { readonly kind: 'remove'; readonly at: string };

export interface VerifiedRecipient {
  readonly status: 'none' | 'awaiting_code' | 'verified';
  readonly serviceId: string;
  readonly id: string;
  readonly address: string;
  readonly codeHash: string | undefined;
  readonly expiresAt: string;
  readonly wrongTries: number;
  /**
   * The times of codes sent in the hour before the newest one; kept after a removal, so that a removal does not reset the
   * limit.
   */
  readonly codesSentAt: readonly string[];
}

export const VERIFIED_RECIPIENT_EVENT_TYPES = [
  'email-send.recipient-code-sent.v1',
  'email-send.recipient-code-mismatched.v1',
  'email-send.recipient-verified.v1',
  'email-send.recipient-removed.v1',
] as const satisfies readonly VerifiedRecipientEvent['type'][];

const HOUR_MS = 3_600_000;
const CODE_LIFETIME_MS = 24 * HOUR_MS;
const MAX_WRONG_TRIES = 5;
const MAX_CODES_PER_HOUR = 5;

export const verifiedRecipientStream = (recipientId: string): string => `verified-recipient-${recipientId}`;

/** The form in which addresses are compared: lower case, domain in A-labels. Refuses with `invalid_input`. */
export function normalizeRecipient(input: string): string {
  try {
    return addressKey(parseMailbox(input).address);
  } catch (error) {
    if (error instanceof MailboxError) throw new Refusal('invalid_input', `address: ${error.message}`);
    throw error;
  }
}

/** An address that may receive sandbox mail of one service after its owner has entered the code. */
export const verifiedRecipient: Decider<VerifiedRecipient, VerifiedRecipientCommand, VerifiedRecipientEvent> = {
  initial: {
    status: 'none',
    serviceId: '',
    id: '',
    address: '',
    codeHash: undefined,
    expiresAt: '',
    wrongTries: 0,
    codesSentAt: [],
  },

  decide: (command, state) => {
    switch (command.kind) {
      case 'send-code':
        return sendCode(command, state);
      case 'enter-code':
        return enterCode(command, state);
      case 'confirm': {
        if (state.status === 'verified') throw exists(command.address);
        const { serviceId, recipientId, address, at } = command;
        return [
          {
            type: 'email-send.recipient-verified.v1',
            data: { service_id: serviceId, recipient_id: recipientId, address, by: 'ownership', at },
          },
        ];
      }
      case 'remove':
        return [{ type: 'email-send.recipient-removed.v1', data: { ...known(state), at: command.at } }];
    }
  },

  evolve: (state, event) => {
    const { service_id: serviceId, recipient_id: id, at } = event.data;
    switch (event.type) {
      case 'email-send.recipient-code-sent.v1':
        return {
          status: 'awaiting_code',
          serviceId,
          id,
          address: event.data.address,
          codeHash: event.data.code_hash,
          expiresAt: event.data.expires_at,
          wrongTries: 0,
          codesSentAt: [...withinHour(state.codesSentAt, at), at],
        };
      case 'email-send.recipient-code-mismatched.v1':
        return { ...state, wrongTries: state.wrongTries + 1 };
      case 'email-send.recipient-verified.v1':
        return { ...state, status: 'verified', serviceId, id, address: event.data.address, codeHash: undefined };
      case 'email-send.recipient-removed.v1':
        return { ...verifiedRecipient.initial, codesSentAt: state.codesSentAt };
    }
  },
};

type Of<Kind extends VerifiedRecipientCommand['kind']> = Extract<VerifiedRecipientCommand, { kind: Kind }>;

function sendCode(command: Of<'send-code'>, state: VerifiedRecipient): VerifiedRecipientEvent[] {
  const { serviceId, recipientId, address, codeHash, at } = command;
  if (state.status === 'verified') throw exists(address);
  const recent = withinHour(state.codesSentAt, at);
  if (recent.length >= MAX_CODES_PER_HOUR) {
    throw new Refusal('too_many_codes', `${address} was sent ${recent.length} codes within the hour; try again later`, {
      retry_after_s: Math.max(1, Math.ceil((Date.parse(recent[0]!) + HOUR_MS - Date.parse(at)) / 1_000)),
    });
  }
  return [
    {
      type: 'email-send.recipient-code-sent.v1',
      data: {
        service_id: serviceId,
        recipient_id: recipientId,
        address,
        code_hash: codeHash,
        expires_at: new Date(Date.parse(at) + CODE_LIFETIME_MS).toISOString(),
        at,
      },
    },
  ];
}

/** A wrong code is an event, so that attempts are counted over all replicas; the caller refuses it. */
function enterCode({ codeHashes, at }: Of<'enter-code'>, state: VerifiedRecipient): VerifiedRecipientEvent[] {
  const ofRecipient = { ...known(state), at };
  if (state.status === 'verified') return [];
  if (at >= state.expiresAt) throw new Refusal('code_expired', 'the code has expired; request a new one');
  if (state.wrongTries >= MAX_WRONG_TRIES) {
    throw new Refusal('too_many_attempts', `too many incorrect attempts; request a new code`);
  }
  const isRight = state.codeHash !== undefined && codeHashes.includes(state.codeHash);
  if (!isRight) return [{ type: 'email-send.recipient-code-mismatched.v1', data: ofRecipient }];
  return [{ type: 'email-send.recipient-verified.v1', data: { ...ofRecipient, address: state.address, by: 'code' } }];
}

const withinHour = (times: readonly string[], at: string): string[] =>
  times.filter(time => Date.parse(time) > Date.parse(at) - HOUR_MS);

const exists = (address: string): Refusal =>
  new Refusal('recipient_exists', `${address} is already a verified recipient of this email service`);

function known(state: VerifiedRecipient): { service_id: string; recipient_id: string } {
  if (state.status === 'none') throw new Refusal('recipient_not_found', 'there is no such verified recipient');
  return { service_id: state.serviceId, recipient_id: state.id };
}
