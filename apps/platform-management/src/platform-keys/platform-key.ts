import type { PlatformOperation } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';

export type PlatformKeyScope = 'read' | 'write';

export type PlatformKeyEvent =
  | {
      readonly type: 'platform-management.platform-key-created.v1';
      readonly data: {
        readonly key_id: string;
        readonly user_id: string;
        /** The active workspace at creation; the key cannot access any other. */
        readonly workspace_id: string;
        readonly name: string;
        /** SHA-256, lower-case hex; the key itself is returned once and not stored. */
        readonly key_hash: string;
        readonly key_prefix: string;
        readonly scope: PlatformKeyScope;
        readonly expires_at: string | null;
        /** The projects that the key can access; absent for all projects of the workspace. */
        readonly projects?: readonly string[];
        /** The operations that the key allows; absent for all operations of its scope. */
        readonly operations?: readonly PlatformOperation[];
        readonly at: string;
      };
    }
  | {
      readonly type: 'platform-management.platform-key-revoked.v1';
      readonly data: { readonly key_id: string; readonly at: string };
    };

export type PlatformKeyCommand =
  | {
      readonly kind: 'create';
      readonly keyId: string;
      readonly userId: string;
      readonly workspaceId: string;
      readonly name: string;
      readonly keyHash: string;
      readonly keyPrefix: string;
      readonly scope: PlatformKeyScope;
      readonly expiresAt: string | undefined;
      readonly projects?: readonly string[] | undefined;
      readonly operations?: readonly PlatformOperation[] | undefined;
      readonly at: string;
    }
  | { readonly kind: 'revoke'; readonly workspaceId: string; readonly at: string };

export interface PlatformKey {
  readonly id: string | undefined;
  readonly workspaceId: string | undefined;
  readonly revoked: boolean;
}

export const PLATFORM_KEY_EVENT_TYPES = [
  'platform-management.platform-key-created.v1',
  'platform-management.platform-key-revoked.v1',
] as const;

const MARK = 'ak_live_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 is a little more than 2^256. */
const RANDOM_LENGTH = 43;
const PREFIX_LENGTH = 12;

/** Creates a key. `randomBelow(n)` must return an unbiased, unpredictable integer from 0 to n - 1. */
export const newPlatformKey = (randomBelow: (limit: number) => number): string =>
  MARK + Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomBelow(ALPHABET.length)]).join('');

/** Returns the part of a key that is not secret. */
export const keyPrefixOf = (key: string): string => key.slice(0, PREFIX_LENGTH);

export const platformKeyStream = (keyId: string): string => `platform-key-${keyId}`;

/** A user's credential for the platform API: created once, revoked once. Expiry needs no event. */
export const platformKey: Decider<PlatformKey, PlatformKeyCommand, PlatformKeyEvent> = {
  initial: { id: undefined, workspaceId: undefined, revoked: false },

  decide: (command, state) => {
    switch (command.kind) {
      case 'create':
        return create(command);
      case 'revoke': {
        if (state.id === undefined || state.revoked || state.workspaceId !== command.workspaceId) {
          throw new Refusal('platform_key_not_found', 'there is no such platform key');
        }
        return [{ type: 'platform-management.platform-key-revoked.v1', data: { key_id: state.id, at: command.at } }];
      }
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'platform-management.platform-key-created.v1': {
        const { key_id, workspace_id } = event.data;
        return { id: key_id, workspaceId: workspace_id, revoked: false };
      }
      case 'platform-management.platform-key-revoked.v1':
        return { ...state, revoked: true };
    }
  },
};

function create(command: Extract<PlatformKeyCommand, { kind: 'create' }>): PlatformKeyEvent[] {
  const { expiresAt, scope, operations = [], at } = command;
  const write = operations.find(operation => operation.endsWith(':write'));
  if (scope === 'read' && write !== undefined) {
    throw new Refusal('invalid_input', `operations: ${write} needs a key with the scope write`);
  }
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.parse(at)) {
    throw new Refusal('invalid_input', 'expires_at: must be in the future');
  }
  return [
    {
      type: 'platform-management.platform-key-created.v1',
      data: {
        key_id: command.keyId,
        user_id: command.userId,
        workspace_id: command.workspaceId,
        name: command.name,
        key_hash: command.keyHash,
        key_prefix: command.keyPrefix,
        scope: command.scope,
        expires_at: expiresAt ?? null,
        ...(command.projects && { projects: [...new Set(command.projects)] }),
        ...(command.operations && { operations: [...new Set(command.operations)] }),
        at,
      },
    },
  ];
}
