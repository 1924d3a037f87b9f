import { api } from '../api-client.js';
import type { EmailService } from '../api-shapes.js';
import { formatCount } from '../formatting.js';
import { useAction, useLoading } from '../loading.js';
import { Badge } from '../parts/badge.js';
import { DataTable } from '../parts/data-table.js';
import { Field, Form, type Values } from '../parts/form.js';
import { Loaded } from '../parts/loaded.js';
import { Empty, Page, Section } from '../parts/page.js';
import { Time } from '../parts/time.js';
import { goTo, Link } from '../router.js';

export const EmailServicesPage = () => {
  const services = useLoading<EmailService[]>(signal => api.get('/email-services', {}, signal), []);
  const create = useAction(async ({ name }: Values) => {
    const created = await api.post<EmailService>('/email-services', { name });
    goTo(`/services/${created.id}`);
  });
  return (
    <Page title="Email services">
      <Loaded of={services}>
        {list =>
          list.length === 0 ? (
            <Empty>This workspace has no email service yet. Create the first one below.</Empty>
          ) : (
            <DataTable
              caption="Email services of this workspace"
              rows={list}
              keyOf={service => service.id}
              columns={[
                { title: 'Name', cell: service => <Link to={`/services/${service.id}`}>{service.name}</Link> },
                {
                  title: 'Mode',
                  cell: service => (
                    <>
                      <Badge status={service.mode} /> {!service.enabled && <Badge status="disabled" />}
                    </>
                  ),
                },
                {
                  title: 'Sent today',
                  numeric: true,
                  cell: service => `${formatCount(service.sent_today)} of ${formatCount(service.daily_limit)}`,
                },
                { title: 'Created', cell: service => <Time at={service.created_at} /> },
              ]}
            />
          )
        }
      </Loaded>
      <Section
        title="New email service"
        about="It starts in sandbox mode, which reaches verified recipients only, and becomes productive with its first verified domain."
      >
        <Form action={create} submit="Create" class="line">
          <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
        </Form>
      </Section>
    </Page>
  );
};
