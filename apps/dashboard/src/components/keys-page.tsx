import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api-client.js';
import { useAction, useLoading } from '../loading.js';
import { Link } from '../router.js';
import { ConfirmButton } from './action-button.js';
import { type Column, DataTable } from './data-table.js';
import { Field, Form, type Values } from './form.js';
import { Loaded } from './loaded.js';
import { OneTimeSecret } from './one-time-secret.js';
import { CollapsibleSection, EmptyState, Page } from './page.js';
import { Time } from './time.js';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly key_prefix: string;
  readonly last_used_at: string | null;
}

interface KeysPageProps<K extends Key> {
  readonly title: string;
  /** The singular, as used in the middle of a sentence. */
  readonly noun: string;
  readonly about?: ComponentChildren;
  /** API path of the collection. */
  readonly path: string;
  readonly caption: string;
  readonly empty: string;
  /** Columns in addition to name, prefix and last use. */
  readonly columns: readonly Column<K>[];
  /** The page of one key. */
  readonly pageOf?: (key: K) => string;
  readonly revokeConsequence: string;
  readonly aboutNew: string;
  /** Form fields in addition to the name. */
  readonly fields?: ComponentChildren;
  /** Request properties in addition to the name. */
  readonly requestOf?: (values: Values) => object;
  /** Content below the keys; `key` is the new key while it is shown. */
  readonly children?: (key: string | undefined) => ComponentChildren;
}

/** Lists, creates and revokes keys of one kind; a new key is shown once. */
export const KeysPage = <K extends Key>(props: KeysPageProps<K>) => {
  const { path, noun } = props;
  const keys = useLoading<K[]>(signal => api.get(path, {}, signal), [path]);
  const [created, setCreated] = useState<K & { readonly key: string }>();
  const create = useAction(async (values: Values) => {
    setCreated(await api.post(path, { name: values['name'], ...props.requestOf?.(values) }));
    keys.reload();
  });
  const revoke = async (key: K) => {
    await api.delete(`${path}/${key.id}`);
    if (created?.id === key.id) setCreated(undefined);
    keys.reload();
  };
  return (
    <Page title={props.title}>
      {props.about && <p class="about">{props.about}</p>}
      {created && (
        <OneTimeSecret
          title={`Your new ${noun} “${created.name}”`}
          secret={created.key}
          what={`the ${noun}`}
          onSaved={() => setCreated(undefined)}
        />
      )}
      <CollapsibleSection title={`New ${noun}`} open={keys.value?.length === 0} about={props.aboutNew}>
        <Form action={create} submit="Create key" class={props.fields ? 'pairs' : 'line'}>
          <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
          {props.fields}
        </Form>
      </CollapsibleSection>
      <Loaded of={keys}>
        {list =>
          list.length === 0 ? (
            <EmptyState>{props.empty}</EmptyState>
          ) : (
            <DataTable
              caption={props.caption}
              rows={list}
              keyOf={key => key.id}
              columns={[
                {
                  title: 'Name',
                  cell: key =>
                    props.pageOf ? <Link to={props.pageOf(key)}>{key.name}</Link> : <strong>{key.name}</strong>,
                },
                { title: 'Prefix', cell: key => <code>{key.key_prefix}…</code> },
                ...props.columns,
                { title: 'Last used', cell: key => (key.last_used_at ? <Time at={key.last_used_at} /> : 'Never') },
                {
                  title: 'Actions',
                  buttons: true,
                  cell: key => (
                    <ConfirmButton
                      label={`Revoke ${key.name}`}
                      question={`Revoke “${key.name}”?`}
                      consequence={`${props.revokeConsequence} This cannot be undone.`}
                      confirm="Revoke key"
                      work={() => revoke(key)}
                    >
                      Revoke
                    </ConfirmButton>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {props.children?.(created?.key)}
    </Page>
  );
};
