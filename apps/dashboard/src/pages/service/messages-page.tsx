import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { HandOverResult, Page as ListPage, RecipientState, TrackedEmail } from '../../api-shapes.js';
import { formatCount, formatWords } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { Badge } from '../../parts/badge.js';
import { DataTable } from '../../parts/data-table.js';
import { Choice, Field, Form, type Values } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page } from '../../parts/page.js';
import { Paging } from '../../parts/paging.js';
import { Time } from '../../parts/time.js';
import { Link } from '../../router.js';
import { useService } from './service-frame.js';

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
const PAGE_SIZE = 20;

export const MessagesPage = () => {
  const { path, page } = useService();
  const [search, setSearch] = useState('');
  const [state, setState] = useState('');
  const [result, setResult] = useState('');
  const [offset, setOffset] = useState(0);
  const messages = useLoading<ListPage<TrackedEmail>>(
    signal => api.get(`${path}/emails`, { search, state, result, offset, limit: PAGE_SIZE }, signal),
    [path, search, state, result, offset],
  );
  const look = useAction(async (values: Values) => {
    setSearch((values['search'] ?? '').trim());
    setOffset(0);
    messages.reload();
  });
  const choosing = (set: (choice: string) => void) => (choice: string) => {
    set(choice);
    setOffset(0);
  };
  return (
    <Page title="Messages">
      <div class="filters">
        <Form action={look} submit="Search" class="line" keeps>
          <Field label="Part of an address or of the subject" name="search" type="search" maxLength={200} />
        </Form>
        <Choice
          label="State of a recipient"
          value={state}
          options={[['', 'All states'], ...STATES.map(option => [option, formatWords(option)] as const)]}
          onChoice={choosing(setState)}
        />
        <Choice
          label="Result of the message"
          value={result}
          options={[['', 'All results'], ...RESULTS.map(option => [option, formatWords(option)] as const)]}
          onChoice={choosing(setResult)}
        />
      </div>
      <Loaded of={messages}>
        {list => (
          <>
            {list.items.length === 0 ? (
              <Empty>
                {search || state || result ? 'No message fits the search.' : 'No message has been sent yet.'}
              </Empty>
            ) : (
              <DataTable
                caption="Messages, newest first"
                rows={list.items}
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
                  { title: 'Status', cell: email => <Badge status={shownResult(email)} /> },
                  { title: 'Accepted', cell: email => <Time at={email.accepted_at} /> },
                ]}
              />
            )}
            <Paging page={list} onOffset={setOffset} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

/** Until its hand-over ends a message is accepted, and its result is not known yet. */
export const shownResult = ({ status, result }: TrackedEmail): NonNullable<TrackedEmail['status' | 'result']> =>
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
