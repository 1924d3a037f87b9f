import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api-client.js';
import { useAction, useLoading } from '../loading.js';
import { ConfirmButton } from './action-button.js';
import { type Column, DataTable } from './data-table.js';
import { Field, Form, type Values } from './form.js';
import { Loaded } from './loaded.js';
import { Empty, Page, Section } from './page.js';
import { SecretOnce } from './secret-once.js';
import { Time } from './time.js';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly key_prefix: string;
  readonly last_used_at: string | null;
}

interface KeysPageProps<K extends Key> {
  readonly title: string;
  /** One of them, in the middle of a sentence. */
  readonly noun: string;
  readonly about?: ComponentChildren;
  /** Of the API: lists them, makes one, and has each by its id. */
  readonly path: string;
  readonly caption: string;
  readonly empty: string;
  /** Beside its name, its beginning and its last use. */
  readonly columns: readonly Column<K>[];
  readonly afterRevoking: string;
  readonly oneForEach: string;
  /** Fields of a new one beside its name. */
  readonly fields?: ComponentChildren;
  /** What the API is told of a new one beside its name. */
  readonly wishes?: (values: Values) => object;
}

/** Keys of one kind: a new one is shown once, and each can be revoked. */
export const KeysPage = <K extends Key>(props: KeysPageProps<K>) => {
  const { path, noun } = props;
  const keys = useLoading<K[]>(signal => api.get(path, {}, signal), [path]);
  const [created, setCreated] = useState<K & { readonly key: string }>();
  const create = useAction(async (values: Values) => {
    setCreated(await api.post(path, { name: values['name'], ...props.wishes?.(values) }));
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
        <SecretOnce
          title={`The key “${created.name}”`}
          secret={created.key}
          what={`the ${noun}`}
          onStored={() => setCreated(undefined)}
        />
      )}
      <Loaded of={keys}>
        {list =>
          list.length === 0 ? (
            <Empty>{props.empty}</Empty>
          ) : (
            <DataTable
              caption={props.caption}
              rows={list}
              keyOf={key => key.id}
              columns={[
                { title: 'Name', cell: key => <strong>{key.name}</strong> },
                { title: 'Begins with', cell: key => <code>{key.key_prefix}…</code> },
                ...props.columns,
                { title: 'Last used', cell: key => (key.last_used_at ? <Time at={key.last_used_at} /> : 'Never') },
                {
                  title: 'What to do',
                  buttons: true,
                  cell: key => (
                    <ConfirmButton
                      label={`Revoke ${key.name}`}
                      question={`Revoke “${key.name}”?`}
                      consequence={`${props.afterRevoking} This cannot be undone.`}
                      confirm="Revoke the key"
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
      <Section title={`New ${noun}`} about={`${props.oneForEach}, so that one can be revoked without the others.`}>
        <Form action={create} submit="Create" class={props.fields ? 'line wide' : 'line'}>
          <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
          {props.fields}
        </Form>
      </Section>
    </Page>
  );
};
