import type { EmailService } from '@postern/contracts';
import { api } from '../api-client.js';
import { DataTable } from '../components/data-table.js';
import { Field, Form, type Values } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { CollapsibleSection, EmptyState, Page } from '../components/page.js';
import { Time } from '../components/time.js';
import { useAction, useLoading } from '../loading.js';
import { Link, navigate } from '../router.js';
import { MODE_AND_USE } from './service/mode-and-use.js';

export const EmailServicesPage = () => {
  const services = useLoading<EmailService[]>(signal => api.get('/email-services', {}, signal), []);
  const create = useAction(async ({ name }: Values) => {
    const created = await api.post<EmailService>('/email-services', { name });
    navigate(`/services/${created.id}`);
  });
  return (
    <Page title="Email services">
      <CollapsibleSection
        title="New email service"
        open={services.value?.length === 0}
        about="A new service starts in sandbox mode, which only delivers to verified recipients, and switches to production when you verify a domain."
      >
        <Form action={create} submit="Create email service" class="line">
          <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
        </Form>
      </CollapsibleSection>
      <Loaded of={services}>
        {list =>
          list.length === 0 ? (
            <EmptyState>No email services yet. Create one to send email.</EmptyState>
          ) : (
            <DataTable
              caption="Email services of this workspace"
              rows={list}
              keyOf={service => service.id}
              columns={[
                { title: 'Name', cell: service => <Link to={`/services/${service.id}`}>{service.name}</Link> },
                ...MODE_AND_USE,
                { title: 'Created', cell: service => <Time at={service.created_at} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
};
