import type { FoundWebService, ModerationAction, WebService } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Select } from '../../components/form-controls.js';
import { Notice } from '../../components/notice.js';
import { Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import type { ListState } from '../../list-state.js';
import { useAction } from '../../loading.js';
import { StatusBadges } from '../web-service/status.js';
import { FoundList } from './found-list.js';

type Moderated = Pick<WebService, 'status' | 'blocked' | 'suspended'>;

/** The actions that change something, with their labels. */
const actionsFor = ({ blocked, suspended }: Moderated): readonly (readonly [ModerationAction, string])[] => [
  blocked ? ['unblock', 'Unblock'] : ['block', 'Block for policy violation'],
  suspended ? ['resume', 'Resume'] : ['suspend', 'Suspend for bandwidth use'],
];

export const FoundWebServices = ({ list }: { readonly list: ListState }) => (
  <FoundList<FoundWebService>
    path="web-services"
    caption="Web services of all workspaces"
    list={list}
    choose="Moderate"
    form={(webService, onChanged) => <Moderate of={webService} onChanged={onChanged} />}
    columns={[
      { title: 'Name', cell: ({ name }) => <strong>{name}</strong> },
      {
        title: 'URL',
        cell: ({ url }) =>
          url && (
            <a href={url} target="_blank" rel="noreferrer nofollow">
              {url}
            </a>
          ),
      },
      { title: 'Workspace', cell: ({ workspace_name }) => workspace_name },
      {
        title: 'Status',
        cell: webService => (
          <>
            <StatusBadges of={webService} /> {webService.flag_reason}
          </>
        ),
      },
      { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
    ]}
  />
);

interface ModerateProps {
  readonly of: FoundWebService;
  readonly onChanged: () => void;
}

const Moderate = ({ of, onChanged }: ModerateProps) => {
  const [moderated, setModerated] = useState<Moderated>();
  const current = moderated ?? of;
  const moderate = useAction(async ({ action, reason }: Values) => {
    setModerated(await api.post<WebService>(`/web-services/${of.id}/${action}`, reason ? { reason } : {}));
    onChanged();
  });
  return (
    <Section
      title={`Moderate ${of.name}`}
      about="Blocking or suspending a web service stops it. Its owner cannot start it and sees the reason."
    >
      {moderated && (
        <Notice kind="good">
          {of.name} <StatusBadges of={moderated} />
        </Notice>
      )}
      <Form action={moderate} submit="Apply">
        <Select label="Action" name="action" options={actionsFor(current)} />
        <Field
          label="Reason"
          name="reason"
          maxLength={1000}
          hint="Required to block. The owner sees it."
          autocomplete="off"
        />
      </Form>
    </Section>
  );
};
