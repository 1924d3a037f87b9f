import type { HandOverResult, Page as ListPage, RecipientState, TrackedEmail } from '@postern/contracts';
import { api, queryString } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Badge } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Choice, Field, Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Page } from '../../components/page.js';
import { Paging } from '../../components/paging.js';
import { Time } from '../../components/time.js';
import { formatCount, formatLabel } from '../../formatting.js';
import { useListState } from '../../list-state.js';
import { useAction, useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { useService } from './service-layout.js';

const STATES: readonly RecipientState[] = [
  'pending',
  'handed_over',
  'deferred',
  'delivered',
  'bounced',
  'complained',
  'unknown',
  'not_sent',
];
const RESULTS: readonly HandOverResult[] = ['sent', 'failed', 'unknown', 'retry_requested'];
const MODES: readonly TrackedEmail['mode'][] = ['production', 'sandbox', 'sandbox_fallback'];
const FILTERS = ['search', 'tag', 'state', 'result', 'mode'];
interface MessageList extends ListPage<TrackedEmail> {
  readonly searched_since?: string;
}

export const MessagesPage = () => {
  const { path, page } = useService();
  const { offset, limit, filter, setOffset, setLimit, setFilter } = useListState(FILTERS);
  const { search = '', tag = '', state = '', result = '', mode = '' } = filter;
  const messages = useLoading<MessageList>(
    signal => api.get(`${path}/emails`, { ...filter, offset, limit }, signal),
    [path, search, tag, state, result, mode, offset, limit],
  );
  useLive(messages, path.slice(1));
  const submitSearch = useAction(async (values: Values) => {
    setFilter({ search: (values['search'] ?? '').trim(), tag: (values['tag'] ?? '').trim() });
    messages.reload();
  });
  return (
    <Page title="Messages">
      <div class="filters">
        <Form action={submitSearch} submit="Search" class="line" keepValues>
          <Field
            key={search}
            label="Search recipient or subject"
            name="search"
            type="search"
            maxLength={200}
            defaultValue={search}
          />
          <Field
            key={`tag ${tag}`}
            label="Tag"
            name="tag"
            maxLength={300}
            placeholder="campaign:spring"
            pattern="[a-z][a-z0-9_]{0,39}:.*"
            title="A tag is name:value"
            defaultValue={tag}
          />
        </Form>
        <Choice
          label="Recipient status"
          value={state}
          options={[['', 'All statuses'], ...STATES.map(option => [option, formatLabel(option)] as const)]}
          onChoice={choice => setFilter({ state: choice })}
        />
        <Choice
          label="Message result"
          value={result}
          options={[['', 'All results'], ...RESULTS.map(option => [option, formatLabel(option)] as const)]}
          onChoice={choice => setFilter({ result: choice })}
        />
        <Choice
          label="Sender"
          value={mode}
          options={[['', 'All senders'], ...MODES.map(option => [option, formatLabel(option)] as const)]}
          onChoice={choice => setFilter({ mode: choice })}
        />
        <a class="button" href={`/dashboard/api${path}/emails-export${queryString(filter)}`} download>
          Export CSV
        </a>
      </div>
      <Loaded of={messages}>
        {list => (
          <>
            {list.items.length === 0 ? (
              <EmptyState>
                {search || tag || state || result || mode ? (
                  'No messages match these filters.'
                ) : (
                  <>
                    No messages yet. <Link to={`${page}/api-keys`}>Create an API key</Link> to send one.
                  </>
                )}
              </EmptyState>
            ) : (
              <MessagesTable emails={list.items} page={page} />
            )}
            {list.searched_since && (
              <p class="hint">
                Messages before <Time at={list.searched_since} /> were found only by the beginning of an address.
              </p>
            )}
            <Paging page={list} onOffset={setOffset} onLimit={setLimit} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

/** @param props.page the address of the service in the dashboard. */
const MessagesTable = ({ emails, page }: { readonly emails: readonly TrackedEmail[]; readonly page: string }) => (
  <DataTable
    caption="Messages, newest first"
    rows={emails}
    keyOf={email => email.id}
    columns={[
      {
        title: 'Subject',
        cell: email => (
          <Link to={`${page}/messages/${email.id}`} class="long">
            {email.subject || '(no subject)'}
          </Link>
        ),
      },
      { title: 'Recipients', cell: email => <Recipients of={email} /> },
      {
        title: 'Status',
        cell: email => (
          <>
            <Badge status={displayStatus(email)} />{' '}
            {email.mode === 'sandbox_fallback' && <Badge status="sandbox_fallback" />}
          </>
        ),
      },
      { title: 'Accepted', cell: email => <Time at={email.accepted_at} /> },
    ]}
  />
);

/** Returns `accepted` until the relay has responded, then the result. */
export const displayStatus = ({ status, result }: TrackedEmail): NonNullable<TrackedEmail['status' | 'result']> =>
  status === 'accepted' ? status : (result ?? status);

const SHOWN = 3;

const Recipients = ({ of: { recipients } }: { readonly of: TrackedEmail }) => (
  <ul class="bare">
    {recipients.slice(0, SHOWN).map(recipient => (
      <li key={recipient.index}>
        <span class="long">{recipient.address}</span> <Badge status={recipient.state} />
      </li>
    ))}
    {recipients.length > SHOWN && <li class="hint">and {formatCount(recipients.length - SHOWN)} more</li>}
  </ul>
);
