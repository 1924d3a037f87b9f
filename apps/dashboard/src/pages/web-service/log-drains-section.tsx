import type { LogDrain, testLogDrain } from '@postern/contracts';
import type { z } from 'zod';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { Badge } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Select } from '../../components/form-controls.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { asSentence, counted, NO_VALUE } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { useWebService } from './web-service-layout.js';

const KINDS = [
  ['https', 'HTTPS with JSON lines'],
  ['otlp', 'OpenTelemetry (OTLP/HTTP)'],
  ['syslog', 'Syslog over TLS'],
] as const;

/** Where the log of a web service is sent. */
export const LogDrainsSection = () => {
  const { path: service } = useWebService();
  const path = `${service}/log-drains`;
  const drains = useLoading<LogDrain[]>(signal => api.get(path, {}, signal), [path]);
  useLive(drains, service.slice(1));
  const create = useAction(async ({ kind = '', url = '', token = '' }: Values) => {
    await api.post<LogDrain>(path, { kind, url, ...(token !== '' && { token }) });
    drains.reload();
  });
  return (
    <Section
      title="Log drains"
      about="A log drain sends each new line of the log to another system, in order and at least once."
    >
      <Loaded of={drains}>
        {list =>
          list.length === 0 ? (
            <EmptyState>No log drains yet. Create one below to keep the log in a system of yours.</EmptyState>
          ) : (
            <LogDrainTable list={list} path={path} reload={drains.reload} />
          )
        }
      </Loaded>
      <Form action={create} submit="Create log drain" class="pairs">
        <Select label="Kind" name="kind" options={KINDS} />
        <Field
          label="URL"
          name="url"
          required
          maxLength={2048}
          placeholder="https://logs.example.com/ingest"
          hint="For syslog, such as syslog+tls://logs.example.com:6514."
          autocomplete="off"
          spellcheck={false}
        />
        <Field
          label="Token"
          name="token"
          type="password"
          maxLength={4096}
          hint="Optional. Sent as a bearer token, and never shown again."
          autocomplete="off"
        />
      </Form>
    </Section>
  );
};

interface LogDrainTableProps {
  readonly list: readonly LogDrain[];
  readonly path: string;
  readonly reload: () => void;
}

const LogDrainTable = ({ list, path, reload }: LogDrainTableProps) => (
  <DataTable
    caption="Log drains of this web service"
    rows={list}
    keyOf={({ id }) => id}
    columns={[
      {
        title: 'Receiver',
        cell: ({ kind, url, state, last_error }) => (
          <>
            <code>{url}</code> {kind} <Badge status={state} />
            {last_error && <p class="hint long">{asSentence(last_error)}</p>}
          </>
        ),
      },
      {
        title: 'Last sent',
        cell: ({ last_delivered_at }) => (last_delivered_at ? <Time at={last_delivered_at} /> : NO_VALUE),
      },
      { title: 'Waiting', cell: ({ lines_waiting }) => lines_waiting ?? NO_VALUE },
      { title: 'Lost', cell: ({ lines_lost }) => lines_lost },
      {
        title: 'Actions',
        buttons: true,
        cell: drain => <LogDrainActions drain={drain} path={`${path}/${drain.id}`} reload={reload} />,
      },
    ]}
  />
);

interface LogDrainActionsProps {
  readonly drain: LogDrain;
  readonly path: string;
  readonly reload: () => void;
}

const LogDrainActions = ({ drain, path, reload }: LogDrainActionsProps) => {
  const change = async (work: Promise<unknown>) => {
    await work;
    reload();
  };
  const test = async () => {
    const { accepted, error } = await api.post<z.output<typeof testLogDrain.reply>>(`${path}/test`, {});
    if (!accepted) throw new Error(`The receiver did not accept the test line: ${error}`);
  };
  const isDisabled = drain.state === 'disabled';
  return (
    <>
      <ActionButton label={`Test ${drain.url}`} work={test}>
        Test
      </ActionButton>{' '}
      <ActionButton
        label={`${isDisabled ? 'Enable' : 'Disable'} ${drain.url}`}
        work={() => change(api.patch(path, { enabled: isDisabled }))}
      >
        {isDisabled ? 'Enable' : 'Disable'}
      </ActionButton>{' '}
      <ConfirmButton
        label={`Delete ${drain.url}`}
        question="Delete this log drain?"
        consequence={
          drain.lines_waiting
            ? `${counted(drain.lines_waiting, 'line')} will not be sent.`
            : 'New lines will no longer be sent.'
        }
        confirm="Delete log drain"
        work={() => change(api.delete(path))}
      >
        Delete
      </ConfirmButton>
    </>
  );
};
