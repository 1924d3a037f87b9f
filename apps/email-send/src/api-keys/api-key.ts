import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';

export type ApiKeyEvent =
  | {
      readonly type: 'email-send.api-key-created.v1';
      readonly data: {
        readonly key_id: string;
        readonly service_id: string;
        readonly name: string;
        /** SHA-256, lower-case hex; the key itself is shown once and not stored. */
        readonly key_hash: string;
        readonly key_prefix: string;
        readonly at: string;
      };
    }
  | {
      readonly type: 'email-send.api-key-revoked.v1';
      readonly data: { readonly key_id: string; readonly service_id: string; readonly at: string };
    };

export type ApiKeyCommand =
  | {
      readonly kind: 'create';
      readonly keyId: string;
      readonly serviceId: string;
      readonly name: string;
      readonly keyHash: string;
      readonly keyPrefix: string;
      readonly at: string;
    }
  | { readonly kind: 'revoke'; readonly serviceId: string; readonly at: string };

export interface ApiKey {
  readonly id: string | undefined;
  readonly serviceId: string | undefined;
  readonly revoked: boolean;
}

export const API_KEY_EVENT_TYPES = ['email-send.api-key-created.v1', 'email-send.api-key-revoked.v1'] as const;

const API_KEY_MARK = 'em_live_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 is a little more than 2^256. */
const RANDOM_LENGTH = 43;
const PREFIX_LENGTH = 12;

/** A new key. `randomBelow(n)` answers an unbiased, unpredictable whole number from 0 up to n - 1. */
export const newApiKey = (randomBelow: (limit: number) => number): string =>
  API_KEY_MARK + Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomBelow(ALPHABET.length)]).join('');

/** The prefix of a key, which may be shown again. */
export const keyPrefixOf = (key: string): string => key.slice(0, PREFIX_LENGTH);

export const apiKeyStream = (keyId: string): string => `api-key-${keyId}`;

/** A credential of one email service: created once, revoked once. */
export const apiKey: Decider<ApiKey, ApiKeyCommand, ApiKeyEvent> = {
  initial: { id: undefined, serviceId: undefined, revoked: false },

  decide: (command, state) => {
    switch (command.kind) {
      case 'create':
        return [
          {
            type: 'email-send.api-key-created.v1',
            data: {
              key_id: command.keyId,
              service_id: command.serviceId,
              name: command.name,
              key_hash: command.keyHash,
              key_prefix: command.keyPrefix,
              at: command.at,
            },
          },
        ];
      case 'revoke': {
        if (state.id === undefined || state.revoked || state.serviceId !== command.serviceId) {
          throw new Refusal('api_key_not_found', 'there is no such API key');
        }
        return [
          {
            type: 'email-send.api-key-revoked.v1',
            data: { key_id: state.id, service_id: command.serviceId, at: command.at },
          },
        ];
      }
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'email-send.api-key-created.v1':
        return { id: event.data.key_id, serviceId: event.data.service_id, revoked: false };
      case 'email-send.api-key-revoked.v1':
        return { ...state, revoked: true };
    }
  },
};
