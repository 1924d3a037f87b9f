import type { EmailService, FoundEmailService } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import { Section } from '../../components/page.js';
import { formatCount } from '../../formatting.js';
import type { ListState } from '../../list-state.js';
import { useAction } from '../../loading.js';
import { MODE_AND_USE } from '../service/mode-and-use.js';
import { FoundList } from './found-list.js';

export const FoundEmailServices = ({ list }: { readonly list: ListState }) => (
  <FoundList<FoundEmailService>
    path="email-services"
    caption="Email services of all workspaces"
    list={list}
    choose="Set daily quota"
    form={(service, onChanged) => <DailyQuota of={service} onChanged={onChanged} />}
    columns={[
      { title: 'Name', cell: ({ name }) => <strong>{name}</strong> },
      { title: 'Sending domains', cell: ({ domains }) => domains.join(', ') || 'None' },
      ...MODE_AND_USE,
    ]}
  />
);

interface DailyQuotaProps {
  readonly of: FoundEmailService;
  readonly onChanged: () => void;
}

/** Administrators set the daily quota of any email service in production. */
const DailyQuota = ({ of, onChanged }: DailyQuotaProps) => {
  const [changed, setChanged] = useState<EmailService>();
  const change = useAction(async ({ quota, reason }: Values) => {
    const limits = { production_daily: Number(quota), ...(reason ? { reason } : {}) };
    setChanged(await api.patch<EmailService>(`/email-services/${of.id}/limits`, limits));
    onChanged();
  });
  if (of.mode === 'sandbox')
    return <Notice kind="plain">{of.name} gets a daily quota when it switches to production.</Notice>;
  return (
    <Section
      title={`Set the daily quota of ${of.name}`}
      about="The quota takes effect immediately. After that, it increases or decreases daily, depending on bounces and complaints."
    >
      {changed && (
        <Notice kind="good">
          {changed.name} can send {formatCount(changed.daily_limit)} messages a day.
        </Notice>
      )}
      <Form action={change} submit="Set quota">
        <Field
          label="Messages per UTC day"
          name="quota"
          type="number"
          min={1}
          max={10_000_000}
          required
          autocomplete="off"
        />
        <Field
          label="Reason"
          name="reason"
          maxLength={200}
          hint="The owner sees it in the quota history."
          autocomplete="off"
        />
      </Form>
    </Section>
  );
};
