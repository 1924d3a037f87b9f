import type { Database, NamedDatabaseAttachment, WebService } from '@postern/contracts';
import { api } from '../../api-client.js';
import { ConfirmButton } from '../../components/action-button.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Select } from '../../components/form-controls.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { useAction, useLoading } from '../../loading.js';
import { Link } from '../../router.js';

/** The web services that receive the connection URL of a database as a variable. */
export const DatabaseAttachments = ({ of: { kind }, path }: { readonly of: Database; readonly path: string }) => {
  const url = `${path}/attachments`;
  const attachments = useLoading<readonly NamedDatabaseAttachment[]>(signal => api.get(url, {}, signal), [url]);
  const services = useLoading<readonly WebService[]>(signal => api.get('/web-services', {}, signal), []);
  const attach = useAction(async ({ web_service_id, variable }: Values) => {
    await api.post(url, { web_service_id, ...(variable && { variable }) });
    attachments.reload();
  });
  const detach = async ({ id }: NamedDatabaseAttachment) => {
    await api.delete(`${url}/${id}`);
    attachments.reload();
  };
  return (
    <Section
      title="Attached web services"
      about="They get the connection URL as an environment variable at their next start."
    >
      <Loaded of={attachments}>
        {list => <Attachments list={list} hasServices={(services.value?.length ?? 0) > 0} detach={detach} />}
      </Loaded>
      <Loaded of={services}>
        {list =>
          list.length > 0 && (
            <Form action={attach} submit="Attach" class="line wide">
              <Select label="Web service" name="web_service_id" options={list.map(({ id, name }) => [id, name])} />
              <Field
                label="Variable"
                name="variable"
                placeholder={kind === 'relational' ? 'DATABASE_URL' : 'REDIS_URL'}
                maxLength={255}
                autocomplete="off"
              />
            </Form>
          )
        }
      </Loaded>
    </Section>
  );
};

interface AttachmentsProps {
  readonly list: readonly NamedDatabaseAttachment[];
  /** Whether the workspace has a web service to attach. */
  readonly hasServices: boolean;
  readonly detach: (attachment: NamedDatabaseAttachment) => Promise<void>;
}

const Attachments = ({ list, hasServices, detach }: AttachmentsProps) =>
  list.length === 0 ? (
    <EmptyState>
      No attached web services yet.{' '}
      {hasServices ? 'Attach one below.' : <Link to="/projects">Create one in a project first.</Link>}
    </EmptyState>
  ) : (
    <DataTable
      caption="Web services that this database is attached to"
      rows={list}
      keyOf={attachment => attachment.id}
      columns={[
        {
          title: 'Web service',
          cell: ({ web_service_id, web_service_name }) => (
            <Link to={`/web-services/${web_service_id}`}>{web_service_name}</Link>
          ),
        },
        { title: 'Variable', cell: ({ variable }) => <code>{variable}</code> },
        {
          title: 'Actions',
          buttons: true,
          cell: attachment => (
            <ConfirmButton
              label={`Detach from ${attachment.web_service_name}`}
              question={`Detach from “${attachment.web_service_name}”?`}
              consequence={`Its connections end now; ${attachment.variable} is removed at the next start.`}
              confirm="Detach"
              work={() => detach(attachment)}
            >
              Detach
            </ConfirmButton>
          ),
        },
      ]}
    />
  );
