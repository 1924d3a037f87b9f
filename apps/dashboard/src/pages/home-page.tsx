import type { EmailService, WebService, WorkspaceStatus } from '@postern/contracts';
import { api } from '../api-client.js';
import { useLive } from '../changes.js';
import { Tag } from '../components/badge.js';
import { DataTable } from '../components/data-table.js';
import { Loaded } from '../components/loaded.js';
import { Notice } from '../components/notice.js';
import { EmptyState, Page, Section } from '../components/page.js';
import { Time } from '../components/time.js';
import { useLoading } from '../loading.js';
import { Link } from '../router.js';
import { MODE_AND_USE } from './service/mode-and-use.js';
import { StatusBadges } from './web-service/status.js';

/** What needs somebody in the workspace, then the state of everything in it. */
export const HomePage = () => {
  const status = useLoading<WorkspaceStatus>(signal => api.get('/status', {}, signal), []);
  useLive(status);
  return (
    <Page title="Home">
      <Loaded of={status}>{found => <Problems of={found} />}</Loaded>
      <EmailServices />
      <WebServices />
    </Page>
  );
};

const Problems = ({ of: { problems, summary, unchecked } }: { readonly of: WorkspaceStatus }) => (
  <>
    {problems.length === 0 ? (
      <Notice kind={unchecked.length === 0 ? 'good' : 'warning'}>{summary}</Notice>
    ) : (
      <Section title={summary}>
        <ul class="records">
          {problems.map(problem => (
            <li key={`${problem.kind} ${problem.resource.id} ${problem.resource.name}`}>
              <p class="long">
                <Tag tone={problem.severity === 'error' ? 'bad' : 'warning'}>
                  {problem.severity === 'error' ? 'Problem' : 'Warning'}
                </Tag>{' '}
                {problem.message}{' '}
                {problem.since !== null && (
                  <span class="hint">
                    <Time at={problem.since} />
                  </span>
                )}
              </p>
              <p>
                <Link to={problem.page}>{TITLES[problem.resource.type]}</Link> <span class="hint">{problem.fix}</span>
              </p>
            </li>
          ))}
        </ul>
      </Section>
    )}
  </>
);

const TITLES: Readonly<Record<WorkspaceStatus['problems'][number]['resource']['type'], string>> = {
  email_service: 'Open the email service',
  sending_domain: 'Open the domain',
  webhook: 'Open the webhook',
  web_service: 'Open the web service',
  custom_domain: 'Open the domain',
  database: 'Open the database',
  workspace: 'Open the workspace',
};

const EmailServices = () => {
  const services = useLoading<EmailService[]>(signal => api.get('/email-services', {}, signal), []);
  useLive(services);
  return (
    <Section title="Email services" actions={<Link to="/email-services">All email services</Link>}>
      <Loaded of={services}>
        {list =>
          list.length === 0 ? (
            <EmptyState>
              No email services yet. <Link to="/email-services">Create one</Link> to send email.
            </EmptyState>
          ) : (
            <DataTable
              caption="Email services and their use today"
              rows={list}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Name', cell: ({ id, name }) => <Link to={`/services/${id}`}>{name}</Link> },
                ...MODE_AND_USE,
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
};

const WebServices = () => {
  const services = useLoading<WebService[]>(signal => api.get('/web-services', {}, signal), []);
  useLive(services);
  return (
    <Section title="Web services" actions={<Link to="/projects">All projects</Link>}>
      <Loaded of={services}>
        {list =>
          list.length === 0 ? (
            <EmptyState>
              No web services yet. <Link to="/projects">Create a project</Link> to run one.
            </EmptyState>
          ) : (
            <DataTable
              caption="Web services and their state"
              rows={list}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Name', cell: ({ id, name }) => <Link to={`/web-services/${id}`}>{name}</Link> },
                { title: 'Status', cell: service => <StatusBadges of={service} /> },
                { title: 'URL', cell: ({ url }) => url && <ServiceUrl url={url} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
};

const ServiceUrl = ({ url }: { readonly url: string }) => (
  <a class="long" href={url} target="_blank" rel="noreferrer">
    {url}
  </a>
);
