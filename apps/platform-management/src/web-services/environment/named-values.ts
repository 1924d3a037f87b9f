import { isReservedVariable } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';

export type Scope = 'production' | 'staging' | 'development';

/** Environment variables of a web service, or secrets of a project; only the latter have scopes. */
export type Collection = 'variables' | 'project_secrets';

/** Events contain no values. Values are stored encrypted under `value_id`, so that they can be deleted. */
export type NamedValueEvent =
  | {
      readonly type: 'platform-management.variable-set.v1' | 'platform-management.project-secret-set.v1';
      readonly data: {
        /** The id of the web service or project. */
        readonly owner_id: string;
        readonly value_id: string;
        readonly key: string;
        readonly scope: Scope | null;
        readonly is_secret: boolean;
        readonly at: string;
      };
    }
  | {
      readonly type: 'platform-management.variable-deleted.v1' | 'platform-management.project-secret-deleted.v1';
      readonly data: { readonly owner_id: string; readonly value_id: string; readonly at: string };
    };

export interface NewValue {
  /** The id of the value if the key is new. */
  readonly id: string;
  readonly key: string;
  readonly scope: Scope | undefined;
  /** If undefined, the current setting is kept. */
  readonly isSecret: boolean | undefined;
}

export type NamedValueCommand =
  | { readonly kind: 'set'; readonly ownerId: string; readonly values: readonly NewValue[]; readonly at: string }
  | { readonly kind: 'delete'; readonly ownerId: string; readonly valueId: string; readonly at: string };

export interface NamedValue {
  /** Identifies the key and scope; each slot has at most one value. */
  readonly slot: string;
  readonly id: string;
  readonly isSecret: boolean;
}

export type NamedValues = readonly NamedValue[];

export const NAMED_VALUE_EVENT_TYPES = [
  'platform-management.variable-set.v1',
  'platform-management.variable-deleted.v1',
  'platform-management.project-secret-set.v1',
  'platform-management.project-secret-deleted.v1',
] as const satisfies readonly NamedValueEvent['type'][];

/** The same key may exist once per scope. */
export const slotOf = ({ key, scope }: { readonly key: string; readonly scope?: Scope | null | undefined }): string =>
  scope ? `${scope} ${key}` : key;

export const valueIn = (values: NamedValues, wanted: string): NamedValue | undefined =>
  values.find(({ slot }) => slot === wanted);

export const valueStream = (collection: Collection, ownerId: string): string =>
  collection === 'variables' ? `environment-${ownerId}` : `project-secrets-${ownerId}`;

/** The stream of the web service or project that owns the values. */
export const ownerStream = (collection: Collection, ownerId: string): string =>
  collection === 'variables' ? `web-service-${ownerId}` : `project-${ownerId}`;

/** The streams of all values of a web service or a project. */
export const valueStreamsOf = (ownerId: string): string[] => [
  valueStream('variables', ownerId),
  valueStream('project_secrets', ownerId),
];

/** Environment variables of a web service. */
export const variables: Decider<NamedValues, NamedValueCommand, NamedValueEvent> = namedValues({
  set: 'platform-management.variable-set.v1',
  deleted: 'platform-management.variable-deleted.v1',
  input: 'variables',
  isSecretByDefault: false,
  notFound: () => new Refusal('variable_not_found', 'there is no such variable'),
});

/** Secrets of a project, by scope. */
export const projectSecrets: Decider<NamedValues, NamedValueCommand, NamedValueEvent> = namedValues({
  set: 'platform-management.project-secret-set.v1',
  deleted: 'platform-management.project-secret-deleted.v1',
  input: 'secrets',
  isSecretByDefault: true,
  notFound: () => new Refusal('project_secret_not_found', 'there is no such project secret'),
});

/** Values that were set before their names were reserved stay, and can be deleted. */
export const variableReserved = (key: string): Refusal =>
  new Refusal('variable_reserved', `the variable ${key} is reserved for Postern; choose another name`);

export const deciderOf = (collection: Collection) => (collection === 'variables' ? variables : projectSecrets);

type SetType = Extract<NamedValueEvent, { data: { key: string } }>['type'];
type DeletedType = Exclude<NamedValueEvent['type'], SetType>;

interface Kind {
  readonly set: SetType;
  readonly deleted: DeletedType;
  /** The field of the bulk request that contains the values. */
  readonly input: string;
  readonly isSecretByDefault: boolean;
  readonly notFound: () => Refusal;
}

/** Setting a key again keeps its id. Keys that are not in the request stay as they are. */
function namedValues(kind: Kind): Decider<NamedValues, NamedValueCommand, NamedValueEvent> {
  return {
    initial: [],

    decide: (command, state) => {
      const { ownerId: owner_id, at } = command;
      if (command.kind === 'delete') {
        if (!state.some(({ id }) => id === command.valueId)) throw kind.notFound();
        return [{ type: kind.deleted, data: { owner_id, value_id: command.valueId, at } }];
      }
      for (const { key } of command.values) if (isReservedVariable(key)) throw variableReserved(key);
      refuseRepetitions(command.values, kind.input);
      return command.values.map(value => {
        const known = valueIn(state, slotOf(value));
        return {
          type: kind.set,
          data: {
            owner_id,
            value_id: known?.id ?? value.id,
            key: value.key,
            scope: value.scope ?? null,
            is_secret: value.isSecret ?? known?.isSecret ?? kind.isSecretByDefault,
            at,
          },
        };
      });
    },

    evolve: (state, { data }) => {
      const others = state.filter(({ id }) => id !== data.value_id);
      return 'key' in data ? [...others, { slot: slotOf(data), id: data.value_id, isSecret: data.is_secret }] : others;
    },
  };
}

function refuseRepetitions(values: readonly NewValue[], input: string): void {
  const seen = new Set<string>();
  for (const [place, value] of values.entries()) {
    const slot = slotOf(value);
    if (seen.has(slot)) {
      const where = value.scope === undefined ? '' : ` in scope ${value.scope}`;
      throw new Refusal('invalid_input', `${input}[${place}].key: ${value.key} is duplicated${where}`);
    }
    seen.add(slot);
  }
}
