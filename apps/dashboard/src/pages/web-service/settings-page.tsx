import type { WebService } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { EditForm, Field, type Values } from '../../components/form.js';
import { Select } from '../../components/form-controls.js';
import { Notice } from '../../components/notice.js';
import { Page, Section } from '../../components/page.js';
import { useAction } from '../../loading.js';
import { SCOPES } from '../platform/scopes.js';
import { CustomDomainsSection } from './custom-domains-section.js';
import { DeletionSection } from './deletion-section.js';
import { DeployHookSection } from './deploy-hook-section.js';
import { DockerfileFields } from './dockerfile-fields.js';
import { DEFAULT_SIZE } from './instance-limits.js';
import { LogDrainsSection } from './log-drains-section.js';
import { formatProcesses } from './processes.js';
import { RegistryAccessSection } from './registry-access-section.js';
import { RepositoryAccessSection } from './repository-access-section.js';
import { changesOf } from './setting-changes.js';
import { Limit, Numeric, Optional } from './setting-fields.js';
import { useWebService } from './web-service-layout.js';

export const SettingsPage = () => {
  const { service } = useWebService();
  return (
    <Page title="Settings">
      <SettingsForm
        title="Instances"
        about="Changes apply to the running web service immediately."
        saved="Instances saved."
      >
        <Numeric label="Minimum instances" name="min_instances" value={service.min_instances} max={20} />
        <Numeric label="Maximum instances" name="max_instances" value={service.max_instances} max={20} />
        <ScalingFields of={service} />
        <Optional
          label="Other processes"
          name="processes"
          value={formatProcesses(service.processes ?? {})}
          hint="Number of processes per process type of the Procfile, such as worker=2. New process types start with the next deployment or start."
        />
      </SettingsForm>
      <SettingsForm
        title="Build and start"
        about="Changes apply at the next start or deployment. The running version is unchanged."
        saved="Saved. Deploy or restart the web service to apply the changes."
      >
        <BuildFields of={service} />
      </SettingsForm>
      <SettingsForm
        title="Size and draining"
        about="Limits of each instance, and the time for requests to finish when an instance stops. Changes apply at the next start or deployment."
        saved="Saved. Deploy or restart the web service to apply the changes."
      >
        <SizeFields of={service} />
      </SettingsForm>
      <SettingsForm
        title="Health checks and time limits"
        about="How new and running instances are checked, and how long a response may take to begin. Changes apply at the next start or deployment."
        saved="Saved. Deploy or restart the web service to apply the changes."
      >
        <HealthFields of={service} />
      </SettingsForm>
      <SettingsForm
        title="Disk"
        about="Files in $DISK_PATH survive restarts and deployments. With a disk, only one instance runs at a time: each deployment and restart stops it before starting the next one."
        saved="Saved. Deploy or restart the web service to apply the change."
      >
        <Field
          label="Size in MiB"
          name="disk"
          type="number"
          min={service.disk?.size_mib ?? 16}
          max={102_400}
          defaultValue={service.disk ? String(service.disk.size_mib) : ''}
          hint="Leave empty for no disk. A disk can grow, not shrink. Its files are kept until the web service is deleted."
        />
      </SettingsForm>
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
  const [isSaved, setSaved] = useState(false);
  const save = useAction(async (values: Values) => {
    setSaved(false);
    await api.patch<WebService>(path, changesOf(values));
    setSaved(true);
    reload();
  });
  return (
    <Section title={title} about={about}>
      <EditForm action={save} class="pairs">
        {children}
      </EditForm>
      {isSaved && <Notice kind="good">{saved}</Notice>}
    </Section>
  );
};

const RepositoryFields = ({ of }: { readonly of: WebService }) => (
  <>
    <Field
      label="Git repository"
      name="git_repository_url"
      required
      maxLength={2048}
      defaultValue={of.git_repository_url ?? ''}
      autocomplete="off"
      spellcheck={false}
    />
    <Optional label="Branch" name="branch" value={of.branch} hint="Leave empty for the repository’s default branch." />
    <Optional
      label="Root directory"
      name="root_directory"
      value={of.root_directory ?? null}
      hint="The folder that is built and started, such as apps/web. Leave empty for the root of the repository."
    />
    <Optional
      label="Watch paths"
      name="watch_paths"
      value={(of.watch_paths ?? []).join(' ')}
      hint="A push deploys only if it changes a matching file, such as apps/web/** !**/*.md. Separate patterns by spaces."
    />
    <Numeric label="Port" name="port" value={of.port ?? 0} max={65_535} />
    <Optional label="Build command" name="build_command" value={of.build_command} />
    <DockerfileFields of={of} />
  </>
);

const ImageFields = ({ of }: { readonly of: WebService }) => (
  <>
    <Field
      label="Image"
      name="image"
      required
      maxLength={512}
      defaultValue={of.image ?? ''}
      autocomplete="off"
      spellcheck={false}
      hint="Each deployment resolves a tag to a digest."
    />
    <Limit
      label="Port"
      name="port"
      value={of.port}
      range={[1, 65_535]}
      hint="Leave empty for the port that the image exposes."
    />
  </>
);

const BuildFields = ({ of }: { readonly of: WebService }) => (
  <>
    <Field label="Name" name="name" required maxLength={100} defaultValue={of.name} autocomplete="off" />
    {of.image == null ? <RepositoryFields of={of} /> : <ImageFields of={of} />}
    <Optional label="Start command" name="start_command" value={of.start_command} />
    <Optional
      label="Release command"
      name="release_command"
      value={of.release_command ?? null}
      hint="Runs once with each new build before it gets traffic, such as a database migration. If it fails, the deployment fails."
    />
    <Optional
      label="Health check path"
      name="health_check_path"
      value={of.health_check_path}
      hint="Leave empty to check only that the port accepts connections."
    />
    <Select label="Environment" name="environment" options={SCOPES} defaultValue={of.environment} />
  </>
);

const SizeFields = ({ of: { instance, drain_seconds } }: { readonly of: WebService }) => (
  <>
    <Limit
      label="Memory in MiB"
      name="memory_mib"
      value={instance?.memory_mib}
      range={[64, 65_536]}
      hint={`Leave memory and CPU empty for the default, normally ${DEFAULT_SIZE.memory_mib} MiB and ${DEFAULT_SIZE.cpu_millicores} millicores.`}
    />
    <Limit
      label="CPU in millicores"
      name="cpu_millicores"
      value={instance?.cpu_millicores}
      range={[100, 64_000]}
      hint="1000 millicores are one core. Required if you set the memory."
    />
    <Limit
      label="Drain time in seconds"
      name="drain_seconds"
      value={drain_seconds}
      range={[1, 300]}
      hint="Requests still running after this time are cut off. Leave empty for the default, 30 seconds."
    />
  </>
);

const HealthFields = ({ of: { health_check, first_byte_timeout_seconds } }: { readonly of: WebService }) => (
  <>
    <Optional
      label="Host"
      name="health_check.host"
      value={health_check?.host ?? null}
      hint="The Host header of the checks, if your app serves only known hosts. Leave empty for the host of the URL."
    />
    <Limit
      label="Grace time in seconds"
      name="health_check.grace_seconds"
      value={health_check?.grace_seconds}
      range={[1, 900]}
      hint="How long a new instance may take until its first successful check. Leave empty for the release deadline."
    />
    <Limit
      label="Interval in seconds"
      name="health_check.interval_seconds"
      value={health_check?.interval_seconds}
      range={[1, 300]}
      hint="Between two checks. Leave empty for 3 seconds."
    />
    <Limit
      label="Timeout in seconds"
      name="health_check.timeout_seconds"
      value={health_check?.timeout_seconds}
      range={[1, 60]}
      hint="How long a check may take. Leave empty for 5 seconds."
    />
    <Limit
      label="Threshold"
      name="health_check.threshold"
      value={health_check?.threshold}
      range={[1, 20]}
      hint="Failed checks in a row until an instance gets no more requests. Leave empty for 3."
    />
    <Limit
      label="First byte in seconds"
      name="first_byte_timeout_seconds"
      value={first_byte_timeout_seconds}
      range={[1, 3_600]}
      hint="How long a response may take to begin. Leave empty for the limit of the installation."
    />
  </>
);

const ScalingFields = ({ of: { autoscaling } }: { readonly of: WebService }) => (
  <>
    <Limit
      label="CPU target in percent"
      name="autoscaling.cpu_percent"
      value={autoscaling?.cpu_percent}
      range={[1, 100]}
      hint="An instance is added above this average. 70 if there is no target of CPU, memory or requests."
    />
    <Limit
      label="Memory target in percent"
      name="autoscaling.memory_percent"
      value={autoscaling?.memory_percent}
      range={[1, 100]}
    />
    <Limit
      label="Requests per second of an instance"
      name="autoscaling.requests_per_second"
      value={autoscaling?.requests_per_second}
      range={[1, 10_000]}
    />
    <Limit
      label="Minutes without requests"
      name="autoscaling.idle_minutes"
      value={autoscaling?.idle_minutes}
      range={[1, 1_440]}
      hint="Afterwards no instance runs. The next request starts them, and waits. Leave empty to keep them running."
    />
  </>
);
