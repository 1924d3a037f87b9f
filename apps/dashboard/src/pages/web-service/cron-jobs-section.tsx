import type { CronJob } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { Badge } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Select } from '../../components/form-controls.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { NO_VALUE } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { useWebService } from './web-service-layout.js';

const OVERLAPS = [
  ['skip', 'Skip the new run'],
  ['replace', 'End the run in progress'],
  ['allow', 'Run both'],
] as const;

/** Commands of a web service that run at the times of a schedule. */
export const CronJobsSection = () => {
  const { path: service } = useWebService();
  const path = `${service}/cron-jobs`;
  const jobs = useLoading<CronJob[]>(signal => api.get(path, {}, signal), [path]);
  useLive(jobs, service.slice(1));
  const create = useAction(async ({ time_limit_minutes: minutes, ...values }: Values) => {
    await api.post<CronJob>(path, { ...values, time_limit_seconds: Number(minutes) * 60 });
    jobs.reload();
  });
  const { reload } = jobs;
  return (
    <Section
      title="Cron jobs"
      about="Each cron job runs a command on a schedule, with the live version and its environment. Cron jobs don’t run while the web service is stopped."
    >
      <Loaded of={jobs}>
        {list =>
          list.length === 0 ? (
            <EmptyState>No cron jobs yet. Create one below to run a command regularly.</EmptyState>
          ) : (
            <CronJobTable jobs={list} path={path} reload={reload} />
          )
        }
      </Loaded>
      <Form action={create} submit="Create cron job" class="pairs">
        <Field label="Name" name="name" required maxLength={40} placeholder="nightly-report" autocomplete="off" />
        <Field
          label="Schedule"
          name="schedule"
          required
          maxLength={200}
          placeholder="0 3 * * *"
          hint="Minute, hour, day of month, month, day of week."
          autocomplete="off"
          spellcheck={false}
        />
        <Field
          label="Time zone"
          name="time_zone"
          required
          maxLength={64}
          defaultValue="UTC"
          placeholder="Europe/Berlin"
          autocomplete="off"
          spellcheck={false}
        />
        <Field label="Command" name="command" required maxLength={4096} autocomplete="off" spellcheck={false} />
        <Field
          label="Time limit in minutes"
          name="time_limit_minutes"
          type="number"
          min={1}
          max={60}
          required
          defaultValue="60"
        />
        <Select label="While a run is in progress" name="overlap" options={OVERLAPS} />
      </Form>
    </Section>
  );
};

interface CronJobTableProps {
  readonly jobs: readonly CronJob[];
  readonly path: string;
  readonly reload: () => void;
}

const CronJobTable = ({ jobs, path, reload }: CronJobTableProps) => (
  <DataTable
    caption="Cron jobs"
    rows={jobs}
    keyOf={job => job.id}
    columns={[
      { title: 'Name', cell: ({ id, name }) => <Link to={`${path}/${id}`}>{name}</Link> },
      {
        title: 'Schedule',
        cell: ({ schedule, time_zone }) => (
          <>
            <code>{schedule}</code> {time_zone}
          </>
        ),
      },
      { title: 'Command', cell: ({ command }) => <code>{command}</code> },
      {
        title: 'Next run',
        cell: ({ next_run_at }) => (next_run_at ? <Time at={next_run_at} /> : 'Disabled'),
      },
      { title: 'Last run', cell: ({ last_run }) => (last_run ? <Badge status={last_run.status} /> : NO_VALUE) },
      { title: 'Actions', cell: job => <CronJobActions job={job} path={`${path}/${job.id}`} reload={reload} /> },
    ]}
  />
);

interface CronJobActionsProps {
  readonly job: CronJob;
  readonly path: string;
  readonly reload: () => void;
}

const CronJobActions = ({ job, path, reload }: CronJobActionsProps) => {
  const enable = async () => {
    await api.patch(path, { enabled: !job.enabled });
    reload();
  };
  const remove = async () => {
    await api.delete(path);
    reload();
  };
  return (
    <>
      <ActionButton work={enable}>{job.enabled ? 'Disable' : 'Enable'}</ActionButton>
      <ConfirmButton
        question={`Delete “${job.name}”?`}
        consequence="Its history is also deleted. A run in progress is cancelled."
        confirm="Delete cron job"
        work={remove}
      >
        Delete
      </ConfirmButton>
    </>
  );
};
