import type { WebService } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { DataTable } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { NO_VALUE } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { StatusBadges } from './status.js';
import { useWebService } from './web-service-layout.js';

/** The web services of the open pull and merge requests. */
export const PreviewsSection = () => {
  const { service } = useWebService();
  const services = useLoading<WebService[]>(signal => api.get('/web-services', {}, signal), [service.id]);
  useLive(services);
  return (
    <Section
      title="Previews"
      about="Each pull or merge request into the deployed branch gets a web service, which is deleted when the request is closed, or 30 days after its last event."
    >
      <Loaded of={services}>
        {all => {
          const previews = all.filter(({ preview_of }) => preview_of === service.id);
          return previews.length === 0 ? (
            <EmptyState>No previews yet. Open a pull or merge request.</EmptyState>
          ) : (
            <Previews of={previews} />
          );
        }}
      </Loaded>
    </Section>
  );
};

const Previews = ({ of }: { readonly of: readonly WebService[] }) => (
  <DataTable
    caption="Previews of this web service"
    rows={of}
    keyOf={preview => preview.id}
    columns={[
      { title: 'Name', cell: preview => <Link to={`/web-services/${preview.id}`}>{preview.name}</Link> },
      { title: 'Request', cell: preview => <PullRequest of={preview} /> },
      { title: 'Branch', cell: ({ branch }) => <span class="long">{branch ?? NO_VALUE}</span> },
      { title: 'Status', cell: preview => <StatusBadges of={preview} /> },
      {
        title: 'URL',
        cell: ({ url }) =>
          url === null ? (
            NO_VALUE
          ) : (
            <a href={url} target="_blank" rel="noreferrer">
              Open
            </a>
          ),
      },
      { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
    ]}
  />
);

/** The number of the request of a preview, as a link to its page if that is known. */
export const PullRequest = ({ of: { pull_request, pull_request_url } }: { readonly of: WebService }) =>
  pull_request_url ? (
    <a href={pull_request_url} target="_blank" rel="noreferrer">
      Request {pull_request}
    </a>
  ) : (
    <>Request {pull_request}</>
  );
