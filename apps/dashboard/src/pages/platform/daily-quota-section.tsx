import type { EmailService } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import { Section } from '../../components/page.js';
import { formatCount } from '../../formatting.js';
import { useAction } from '../../loading.js';

/** Administrators set the daily quota of any email service in production. */
export const DailyQuotaSection = () => {
  const [changed, setChanged] = useState<EmailService>();
  const change = useAction(async ({ id = '', quota, reason }: Values) => {
    setChanged(undefined);
    const path = `/email-services/${encodeURIComponent(id.trim())}/limits`;
    setChanged(await api.patch<EmailService>(path, { production_daily: Number(quota), ...(reason ? { reason } : {}) }));
  });
  return (
    <Section
      title="Set the daily quota of an email service"
      about="The quota takes effect immediately. After that, it increases or decreases daily, depending on bounces and complaints."
    >
      {changed && (
        <Notice kind="good">
          {changed.name} can send {formatCount(changed.daily_limit)} messages a day.
        </Notice>
      )}
      <Form action={change} submit="Set quota">
        <Field
          label="Email service ID"
          name="id"
          required
          maxLength={40}
          hint="Shown under Settings of the email service."
          autocomplete="off"
        />
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
