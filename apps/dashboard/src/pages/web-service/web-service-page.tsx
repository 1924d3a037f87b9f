import { Fragment } from 'preact';
import { api } from '../../api-client.js';
import { asSentence, formatWords, NOTHING } from '../../formatting.js';
import { ActionButton, ConfirmButton } from '../../parts/action-button.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Notice } from '../../parts/notice.js';
import { Page, Section } from '../../parts/page.js';
import { Time } from '../../parts/time.js';
import { Link } from '../../router.js';
import { MetricsSection } from './metrics-section.js';
import { useWebService } from './web-service-frame.js';

export const WebServicePage = () => {
  const { service, path } = useWebService();
  return (
    <Page title="Overview" actions={<Lifecycle />}>
      {service.status_reason && <Notice kind="bad">{asSentence(service.status_reason)}</Notice>}
      {service.status === 'created' && (
        <Notice kind="plain">
          Nothing runs yet: <Link to={`${path}/deployments`}>deploy</Link> to build and start it.
        </Notice>
      )}
      {service.url && (
        <p class="copy-line">
          <a href={service.url} target="_blank" rel="noreferrer">
            {service.url}
          </a>
          <CopyButton text={service.url} what="the address of the service" />
        </p>
      )}
      <MetricsSection />
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
  const runs = service.status === 'running' || service.status === 'restarting' || service.status === 'starting';
  return (
    <>
      {!runs && <ActionButton work={() => act('start')}>Start</ActionButton>}
      {runs && <ActionButton work={() => act('restart')}>Restart</ActionButton>}
      {runs && (
        <ConfirmButton
          question={`Stop “${service.name}”?`}
          consequence="It answers nobody until it is started again. Its environment and disks stay."
          confirm="Stop the service"
          work={() => act('stop')}
        >
          Stop
        </ConfirmButton>
      )}
    </>
  );
};

const Configuration = () => {
  const { service } = useWebService();
  const rows: readonly (readonly [name: string, value: string | null])[] = [
    ['Repository', service.git_repository_url],
    ['Branch', service.branch ?? 'The repository’s default'],
    ['Build command', service.build_command],
    ['Start command', service.start_command],
    ['Health check', service.health_check_path ?? 'The port accepts connections'],
    ['Port', String(service.port)],
    ['Instances', `${service.min_instances} to ${service.max_instances}`],
    ['Secrets', formatWords(service.environment)],
  ];
  return (
    <Section title="Configuration">
      <dl class="record">
        {rows.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd class="long">{value ?? NOTHING}</dd>
          </Fragment>
        ))}
        <dt>Created</dt>
        <dd>
          <Time at={service.created_at} />
        </dd>
        <dt>Id</dt>
        <dd class="copy-line">
          <code>{service.id}</code>
          <CopyButton text={service.id} what="the id of the web service" />
        </dd>
      </dl>
    </Section>
  );
};
