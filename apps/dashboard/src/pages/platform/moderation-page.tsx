import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { ModerationAction, WebService } from '../../api-shapes.js';
import { useAction } from '../../loading.js';
import { Field, Form, type Values } from '../../parts/form.js';
import { Select } from '../../parts/form-choices.js';
import { Notice } from '../../parts/notice.js';
import { Page, Section } from '../../parts/page.js';
import { useSignedIn } from '../../session.js';
import { Flags } from '../web-service/status.js';

const ACTIONS: readonly (readonly [action: ModerationAction, words: string])[] = [
  ['block', 'Block it for what it contains'],
  ['unblock', 'Lift the block'],
  ['suspend', 'Suspend it for its bandwidth'],
  ['resume', 'End the suspension'],
];

/** For operators, who may act on anybody's web service; its owner tells its id. */
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
        <Notice kind="warning">Only operators may block and suspend web services.</Notice>
      </Page>
    );
  return (
    <Page title="Moderation">
      {moderated && (
        <Notice kind="good">
          {moderated.name} <Flags of={moderated} />
        </Notice>
      )}
      <Section
        title="A web service"
        about="A blocked or suspended service is stopped, and its owner cannot start it. They read the reason."
      >
        <Form action={moderate} submit="Do it">
          <Field label="Id of the web service" name="id" required maxLength={40} autocomplete="off" />
          <Select label="What to do" name="action" options={ACTIONS} />
          <Field
            label="Reason"
            name="reason"
            maxLength={1000}
            hint="Needed for a block; its owner reads it."
            autocomplete="off"
          />
        </Form>
      </Section>
    </Page>
  );
};
