import type { ModerationAction, WebService } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Select } from '../../components/form-controls.js';
import { Notice } from '../../components/notice.js';
import { Page, Section } from '../../components/page.js';
import { useAction } from '../../loading.js';
import { useSignedIn } from '../../session.js';
import { StatusBadges } from '../web-service/status.js';
import { DailyQuotaSection } from './daily-quota-section.js';

const ACTIONS: readonly (readonly [action: ModerationAction, label: string])[] = [
  ['block', 'Block for policy violation'],
  ['unblock', 'Unblock'],
  ['suspend', 'Suspend for bandwidth use'],
  ['resume', 'Resume'],
];

/** Administrators can block and suspend web services, and set quotas of email services, of every user. */
export const ModerationPage = () => {
  const { me } = useSignedIn();
  const [moderated, setModerated] = useState<WebService>();
  const moderate = useAction(async ({ id = '', action, reason }: Values) => {
    setModerated(undefined);
    const path = `/web-services/${encodeURIComponent(id.trim())}/${action}`;
    setModerated(await api.post<WebService>(path, reason ? { reason } : {}));
  });
  if (!me.operator)
    return (
      <Page title="Moderation">
        <Notice kind="warning">Only administrators can block and suspend web services. Ask your administrator.</Notice>
      </Page>
    );
  return (
    <Page title="Moderation">
      {moderated && (
        <Notice kind="good">
          {moderated.name} <StatusBadges of={moderated} />
        </Notice>
      )}
      <Section
        title="Moderate a web service"
        about="Blocking or suspending a web service stops it. Its owner cannot start it and sees the reason."
      >
        <Form action={moderate} submit="Apply">
          <Field
            label="Web service ID"
            name="id"
            required
            maxLength={40}
            hint="Shown under Configuration on the overview page of the web service."
            autocomplete="off"
          />
          <Select label="Action" name="action" options={ACTIONS} />
          <Field
            label="Reason"
            name="reason"
            maxLength={1000}
            hint="Required to block. The owner sees it."
            autocomplete="off"
          />
        </Form>
      </Section>
      <DailyQuotaSection />
    </Page>
  );
};
