import type { createNotificationTarget, NotificationTarget, testNotificationTarget } from '@postern/contracts';
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import { api } from '../api-client.js';
import { ActionButton, ConfirmButton } from '../components/action-button.js';
import { DataTable } from '../components/data-table.js';
import { Field, Form, type Values } from '../components/form.js';
import { Select } from '../components/form-controls.js';
import { Loaded } from '../components/loaded.js';
import { OneTimeSecret } from '../components/one-time-secret.js';
import { EmptyState, Section } from '../components/page.js';
import { Time } from '../components/time.js';
import { asSentence, NO_VALUE } from '../formatting.js';
import { useAction, useLoading } from '../loading.js';

const PATH = '/notification-targets';
const KINDS = [
  ['slack', 'Slack or compatible'],
  ['webhook', 'Webhook with signed JSON'],
] as const;

/** Webhooks and chats that are told what the owners of the workspace are mailed. */
export const NotificationTargetsSection = () => {
  const targets = useLoading<NotificationTarget[]>(signal => api.get(PATH, {}, signal), []);
  const [secret, setSecret] = useState<string | null>(null);
  const create = useAction(async (values: Values) => {
    const created = await api.post<z.output<typeof createNotificationTarget.reply>>(PATH, values);
    setSecret(created.secret);
    targets.reload();
  });
  return (
    <Section
      title="Notifications"
      about="Each target is told when a deployment is live or fails, and whatever the owners are mailed about failures."
    >
      {secret !== null && (
        <OneTimeSecret
          title="Your signing secret"
          secret={secret}
          what="the signing secret"
          onSaved={() => setSecret(null)}
        />
      )}
      <Loaded of={targets}>
        {list =>
          list.length === 0 ? (
            <EmptyState>No targets yet. Create one below to be told in a chat or by a webhook.</EmptyState>
          ) : (
            <TargetTable list={list} reload={targets.reload} />
          )
        }
      </Loaded>
      <Form action={create} submit="Create target" class="pairs">
        <Select label="Kind" name="kind" options={KINDS} />
        <Field
          label="URL"
          name="url"
          required
          maxLength={2048}
          placeholder="https://hooks.slack.com/services/…"
          autocomplete="off"
          spellcheck={false}
        />
      </Form>
    </Section>
  );
};

interface TargetTableProps {
  readonly list: readonly NotificationTarget[];
  readonly reload: () => void;
}

const TargetTable = ({ list, reload }: TargetTableProps) => {
  const test = async (id: string) => {
    const { accepted, error } = await api.post<z.output<typeof testNotificationTarget.reply>>(`${PATH}/${id}/test`, {});
    if (!accepted) throw new Error(`The target did not accept the test: ${error}`);
  };
  const remove = async (id: string) => {
    await api.delete(`${PATH}/${id}`);
    reload();
  };
  return (
    <DataTable
      caption="Notification targets of this workspace"
      rows={list}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Target',
          cell: ({ kind, url, last_error }) => (
            <>
              <code>{url}</code> {kind}
              {last_error && <p class="hint long">{asSentence(last_error)}</p>}
            </>
          ),
        },
        {
          title: 'Last sent',
          cell: ({ last_delivered_at }) => (last_delivered_at ? <Time at={last_delivered_at} /> : NO_VALUE),
        },
        {
          title: 'Actions',
          buttons: true,
          cell: ({ id, url }) => (
            <>
              <ActionButton label={`Test ${url}`} work={() => test(id)}>
                Test
              </ActionButton>{' '}
              <ConfirmButton
                label={`Delete ${url}`}
                question="Delete this target?"
                consequence="Notifications that wait for it are not sent."
                confirm="Delete target"
                work={() => remove(id)}
              >
                Delete
              </ConfirmButton>
            </>
          ),
        },
      ]}
    />
  );
};
