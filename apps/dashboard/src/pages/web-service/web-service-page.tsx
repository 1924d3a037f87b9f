import type { WebService } from '@postern/contracts';
import { Fragment } from 'preact';
import { api } from '../../api-client.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Notice } from '../../components/notice.js';
import { Page, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { formatLabel, NO_VALUE } from '../../formatting.js';
import { Link } from '../../router.js';
import { LatestDeployment } from './latest-deployment.js';
import { MetricsSection } from './metrics-section.js';
import { PreviewsSection, PullRequest } from './previews-section.js';
import { ProcessesSection } from './processes-section.js';
import { Reason } from './reason.js';
import { useWebService } from './web-service-layout.js';

export const WebServicePage = () => {
  const { service } = useWebService();
  return (
    <Page title="Overview" actions={<Lifecycle />}>
      {service.status_reason && <Reason of={service.status_reason} isFailure />}
      {service.commit_status_error && <Notice kind="warning">Commit status: {service.commit_status_error}</Notice>}
      {service.url && service.status !== 'created' && (
        <p class="copy-line">
          <a href={service.url} target="_blank" rel="noreferrer">
            {service.url}
          </a>
          <CopyButton text={service.url} what="the URL" />
        </p>
      )}
      <LatestDeployment />
      <MetricsSection />
      <ProcessesSection />
      {service.previews && <PreviewsSection />}
      <Configuration />
    </Page>
  );
};

const Lifecycle = () => {
  const { service, path, reload } = useWebService();
  const act = async (action: 'start' | 'restart' | 'stop') => {
    await api.post(`${path}/${action}`);
    reload();
  };
  const running = service.status === 'running' || service.status === 'restarting' || service.status === 'starting';
  return (
    <>
      {!running && service.status !== 'created' && <ActionButton work={() => act('start')}>Start</ActionButton>}
      {running && <ActionButton work={() => act('restart')}>Restart</ActionButton>}
      {running && (
        <ConfirmButton
          question={`Stop “${service.name}”?`}
          consequence="It will be offline until you start it. Its environment variables and disks are kept."
          confirm="Stop web service"
          work={() => act('stop')}
        >
          Stop
        </ConfirmButton>
      )}
    </>
  );
};

const ofRepository = (service: WebService) =>
  [
    ['Repository', service.git_repository_url],
    ['Branch', service.branch ?? 'Default branch'],
    ['Build command', service.build_command],
  ] as const;

const Configuration = () => {
  const { service } = useWebService();
  const rows: readonly (readonly [name: string, value: string | null])[] = [
    ...(service.image == null ? ofRepository(service) : [['Image', service.image] as const]),
    ['Start command', service.start_command],
    ['Health check', service.health_check_path ?? 'The port accepts connections'],
    ['Port', service.port === null ? 'The port that the image exposes' : String(service.port)],
    ['Instances', `${service.min_instances} to ${service.max_instances}`],
    ...(service.disk ? [['Disk', `${service.disk.size_mib} MiB`] as const] : []),
    ['Environment', formatLabel(service.environment)],
  ];
  return (
    <Section title="Configuration">
      <dl class="record">
        {service.preview_of && (
          <>
            <dt>Preview of</dt>
            <dd>
              <Link to={`/web-services/${service.preview_of}`}>Web service</Link>, <PullRequest of={service} />
            </dd>
          </>
        )}
        {rows.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd class="long">{value ?? NO_VALUE}</dd>
          </Fragment>
        ))}
        <dt>Created</dt>
        <dd>
          <Time at={service.created_at} />
        </dd>
        <dt>ID</dt>
        <dd class="copy-line">
          <code>{service.id}</code>
          <CopyButton text={service.id} what="the web service ID" />
        </dd>
      </dl>
    </Section>
  );
};
