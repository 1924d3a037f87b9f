import type { Deployment, Page as ListPage, Variable, WebService } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { counted, DangerZone } from '../../components/danger-zone.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Select } from '../../components/form-controls.js';
import { Notice } from '../../components/notice.js';
import { Page, Section } from '../../components/page.js';
import { useAction, useLoading } from '../../loading.js';
import { navigate } from '../../router.js';
import { SCOPES } from '../platform/scopes.js';
import { CustomDomainsSection } from './custom-domains-section.js';
import { DeployHookSection } from './deploy-hook-section.js';
import { formatProcesses, parseProcesses } from './processes.js';
import { RepositoryAccessSection } from './repository-access-section.js';
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
        title="Disk"
        about="Files in the folder of the variable DISK_PATH persist. With a disk, only one instance runs at a time: each deployment and restart stops it before starting the next one."
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
      <RepositoryAccessSection />
      <CustomDomainsSection />
      <DeployHookSection />
      <Deletion />
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
      <Form action={save} submit="Save" class="pairs" keepValues>
        {children}
      </Form>
      {isSaved && <Notice kind="good">{saved}</Notice>}
    </Section>
  );
};

const BuildFields = ({ of }: { readonly of: WebService }) => (
  <>
    <Field label="Name" name="name" required maxLength={100} defaultValue={of.name} autocomplete="off" />
    <Field
      label="Git repository"
      name="git_repository_url"
      required
      maxLength={2048}
      defaultValue={of.git_repository_url}
      autocomplete="off"
      spellcheck={false}
    />
    <Optional label="Branch" name="branch" value={of.branch} hint="Leave empty for the repository’s default branch." />
    <Numeric label="Port" name="port" value={of.port} max={65_535} />
    <Optional label="Build command" name="build_command" value={of.build_command} />
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
    <Select label="Project secrets" name="environment" options={[...SCOPES].sort(chosenFirst(of.environment))} />
  </>
);

const chosenFirst =
  (chosen: string) =>
  ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
    Number(b === chosen) - Number(a === chosen);

interface OptionalProps {
  readonly label: string;
  readonly name: string;
  readonly value: string | null;
  readonly hint?: string;
}

const Optional = ({ value, hint = 'Optional', ...field }: OptionalProps) => (
  <Field {...field} hint={hint} defaultValue={value ?? ''} autocomplete="off" spellcheck={false} />
);

interface NumericProps {
  readonly label: string;
  readonly name: string;
  readonly value: number;
  readonly max: number;
}

const Numeric = ({ value, ...field }: NumericProps) => (
  <Field {...field} type="number" min={1} required defaultValue={String(value)} />
);

const Deletion = () => {
  const { service, path } = useWebService();
  const deployments = useLoading<ListPage<Deployment>>(
    signal => api.get(`${path}/deployments`, { limit: 1 }, signal),
    [path],
  );
  const variables = useLoading<Variable[]>(signal => api.get(`${path}/env`, {}, signal), [path]);
  const remove = async () => {
    await api.delete(path);
    navigate(`/projects/${service.project_id}`);
  };
  const goes = [
    ...(service.url ? [`its address ${service.url}`] : []),
    counted(deployments.value?.total ?? 0, 'deployment') + ', with their builds',
    counted(variables.value?.length ?? 0, 'variable'),
    'its running instances and commands, logs, metrics and build cache',
    ...(service.disk ? ['its disk with all files'] : []),
  ];
  return <DangerZone what="web service" name={service.name} goes={goes} work={remove} />;
};

const NUMBERS = new Set(['port', 'min_instances', 'max_instances']);
const REQUIRED = new Set(['name', 'git_repository_url', 'environment']);

const diskOf = (value: string): WebService['disk'] => (value === '' ? null : { size_mib: Number(value) });

/** An empty optional field removes the setting. */
const changesOf = (values: Values): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name === 'processes'
        ? parseProcesses(value)
        : name === 'disk'
          ? diskOf(value)
          : NUMBERS.has(name)
            ? Number(value)
            : value === '' && !REQUIRED.has(name)
              ? null
              : value,
    ]),
  );
