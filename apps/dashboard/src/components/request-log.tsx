import type { ListedRequest, Page as ListPage } from '@postern/contracts';
import { api } from '../api-client.js';
import { useLive } from '../changes.js';
import { useListState } from '../list-state.js';
import { useAction, useLoading } from '../loading.js';
import { Link } from '../router.js';
import { Tag } from './badge.js';
import { DataTable } from './data-table.js';
import { Choice, Field, Form, type Values } from './form.js';
import { Loaded } from './loaded.js';
import { EmptyState } from './page.js';
import { Paging } from './paging.js';
import { Time } from './time.js';

const FILTERS = ['request_id', 'outcome', 'code', 'key_id'];
const OUTCOMES: readonly (readonly [value: string, label: string])[] = [
  ['', 'All requests'],
  ['succeeded', 'Succeeded'],
  ['refused', 'Refused (4xx)'],
  ['failed', 'Failed (5xx)'],
];
interface RequestLogProps {
  /** Path of the log in the API. */
  readonly path: string;
  /** Path of the pages of the email service, whose messages the requests sent. */
  readonly messages?: string;
  /** The keys by which the requests can be filtered. */
  readonly keys?: readonly { readonly id: string; readonly name: string }[];
  readonly empty: string;
}

/** Requests are logged without a notice: there are many. */
const REFRESH_MS = 10_000;

/** Requests of clients with their outcome, newest first. */
export const RequestLog = ({ path, messages, keys, empty }: RequestLogProps) => {
  const { offset, limit, filter, setOffset, setLimit, setFilter } = useListState(FILTERS);
  const { request_id = '', outcome = '', code = '', key_id = '' } = filter;
  const requests = useLoading<ListPage<ListedRequest>>(
    signal => api.get(path, { request_id, outcome, code, key_id, offset, limit }, signal),
    [path, request_id, outcome, code, key_id, offset, limit],
  );
  useLive(requests, undefined, REFRESH_MS);
  const search = useAction(async (values: Values) => {
    setFilter({ request_id: (values['request_id'] ?? '').trim(), code: (values['code'] ?? '').trim() });
  });
  return (
    <>
      <div class="filters">
        <Form action={search} submit="Search" class="line" keepValues>
          <Field
            key={`id ${request_id}`}
            label="Request ID"
            name="request_id"
            maxLength={128}
            defaultValue={request_id}
            placeholder="X-Request-Id of a response"
            autocomplete="off"
            spellcheck={false}
          />
          <Field
            key={`code ${code}`}
            label="Error code"
            name="code"
            maxLength={100}
            defaultValue={code}
            placeholder="invalid_input"
            autocomplete="off"
            spellcheck={false}
          />
        </Form>
        <Choice
          label="Outcome"
          value={outcome}
          options={OUTCOMES}
          onChoice={choice => setFilter({ outcome: choice })}
        />
        {keys && (
          <Choice
            label="API key"
            value={key_id}
            options={[['', 'All keys'], ...keys.map(({ id, name }) => [id, name] as const)]}
            onChoice={choice => setFilter({ key_id: choice })}
          />
        )}
      </div>
      <Loaded of={requests}>
        {list => (
          <>
            {list.items.length === 0 ? (
              <EmptyState>
                {request_id || outcome || code || key_id ? 'No requests match these filters.' : empty}
              </EmptyState>
            ) : (
              <DataTable
                caption="Requests, newest first"
                rows={list.items}
                keyOf={({ id }) => id}
                columns={[
                  { title: 'Time', cell: ({ at }) => <Time at={at} /> },
                  {
                    title: 'Request',
                    cell: ({ method, path: called }) => (
                      <code class="long">
                        {method} {called}
                      </code>
                    ),
                  },
                  { title: 'Status', cell: request => <Status of={request} /> },
                  { title: 'Key', cell: ({ key }) => key.name },
                  { title: 'Details', cell: request => <Details of={request} {...(messages ? { messages } : {})} /> },
                ]}
              />
            )}
            <Paging page={list} onOffset={setOffset} onLimit={setLimit} />
          </>
        )}
      </Loaded>
    </>
  );
};

const Status = ({ of: { status, code } }: { readonly of: ListedRequest }) => (
  <>
    <Tag tone={status < 400 ? 'good' : status < 500 ? 'warning' : 'bad'}>{String(status)}</Tag>{' '}
    {code && <small>{code}</small>}
  </>
);

const Details = ({ of, messages }: { readonly of: ListedRequest; readonly messages?: string }) => (
  <>
    {of.message && <p class="long">{of.message}</p>}
    {of.email_id !== null && messages && <Link to={`${messages}/${of.email_id}`}>Open the message</Link>}
    <details>
      <summary>
        {of.duration_ms} ms <span class="visually-hidden">details of request {of.request_id}</span>
      </summary>
      <p class="hint long">
        Request ID <code>{of.request_id}</code>
      </p>
      {of.body !== null && <pre>{JSON.stringify(JSON.parse(of.body), null, 2)}</pre>}
    </details>
  </>
);
