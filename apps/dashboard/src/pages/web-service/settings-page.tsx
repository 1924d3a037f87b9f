import type { WebService } from '@postern/contracts';
import { api } from '../../api-client.js';
import { EditForm, type Values } from '../../components/form.js';
import { Page, Section } from '../../components/page.js';
import { useAction } from '../../loading.js';
import { CustomDomainsSection } from './custom-domains-section.js';
import { DeletionSection } from './deletion-section.js';
import { DeployHookSection } from './deploy-hook-section.js';
import { DiskBackupsSection } from './disk-backups-section.js';
import { LogDrainsSection } from './log-drains-section.js';
import { RegistryAccessSection } from './registry-access-section.js';
import { RepositoryAccessSection } from './repository-access-section.js';
import { SettingField } from './setting-fields.js';
import { changesOf, type SettingName } from './settings.js';
import { useWebService } from './web-service-layout.js';

const INSTANCES = [
  'min_instances',
  'max_instances',
  'autoscaling.cpu_percent',
  'autoscaling.memory_percent',
  'autoscaling.requests_per_second',
  'autoscaling.idle_minutes',
  'processes',
] as const;
const SIZE = ['instance.memory_mib', 'instance.cpu_millicores', 'drain_seconds'] as const;
const HEALTH = [
  'health_check.host',
  'health_check.grace_seconds',
  'health_check.interval_seconds',
  'health_check.timeout_seconds',
  'health_check.threshold',
  'first_byte_timeout_seconds',
] as const;

export const SettingsPage = () => {
  const { service } = useWebService();
  return (
    <Page title="Settings">
      <SettingsForm
        title="Instances"
        about="Changes apply to the running web service immediately."
        saved="Instances saved."
      >
        <Fields names={INSTANCES} />
      </SettingsForm>
      <SettingsForm
        title="Build and start"
        about="Changes apply at the next start or deployment. The running version is unchanged."
        saved="Saved. Deploy or restart the web service to apply the changes."
      >
        <BuildFields image={service.image != null} />
      </SettingsForm>
      <SettingsForm
        title="Size and draining"
        about="Limits of each instance, and the time for requests to finish when an instance stops. Changes apply at the next start or deployment."
        saved="Saved. Deploy or restart the web service to apply the changes."
      >
        <Fields names={SIZE} />
      </SettingsForm>
      <SettingsForm
        title="Health checks and time limits"
        about="How new and running instances are checked, and how long a response may take to begin. Changes apply at the next start or deployment."
        saved="Saved. Deploy or restart the web service to apply the changes."
      >
        <Fields names={HEALTH} />
      </SettingsForm>
      <SettingsForm
        title="Disk"
        about="Files in $DISK_PATH survive restarts and deployments. With a disk, only one instance runs at a time: each deployment and restart stops it before starting the next one."
        saved="Saved. Deploy or restart the web service to apply the change."
      >
        <SettingField name="disk.size_mib" range={[service.disk?.size_mib ?? 16, 102_400]} />
      </SettingsForm>
      <DiskBackupsSection />
      {service.image == null ? <RepositoryAccessSection /> : <RegistryAccessSection />}
      <CustomDomainsSection />
      <LogDrainsSection />
      <DeployHookSection />
      <DeletionSection />
    </Page>
  );
};

interface SettingsFormProps {
  readonly title: string;
  readonly about: string;
  readonly saved: string;
  readonly children: preact.ComponentChildren;
}

const SettingsForm = ({ title, about, saved, children }: SettingsFormProps) => {
  const { path, reload } = useWebService();
  const save = useAction(async (values: Values) => {
    await api.patch<WebService>(path, changesOf(values));
    reload();
  });
  return (
    <Section title={title} about={about}>
      <EditForm action={save} saved={saved} class="pairs">
        {children}
      </EditForm>
    </Section>
  );
};

const REPOSITORY = ['git_repository_url', 'branch', 'root_directory', 'watch_paths'] as const;
const DOCKERFILE = ['build_command', 'dockerfile_path', 'docker_target', 'build_args'] as const;
const START = ['start_command', 'release_command', 'health_check_path', 'environment'] as const;

const BuildFields = ({ image }: { readonly image: boolean }) => (
  <>
    <SettingField name="name" />
    {image ? (
      <>
        <SettingField name="image" />
        <SettingField name="port" hint="Leave empty for the port that the image exposes." />
      </>
    ) : (
      <>
        <Fields names={REPOSITORY} />
        <SettingField name="port" required />
        <Fields names={DOCKERFILE} />
      </>
    )}
    <Fields names={START} />
  </>
);

const Fields = ({ names }: { readonly names: readonly SettingName[] }) =>
  names.map(name => <SettingField key={name} name={name} />);
