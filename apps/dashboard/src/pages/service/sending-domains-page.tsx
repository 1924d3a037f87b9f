import type { SendingDomain } from '@postern/contracts';
import { api } from '../../api-client.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Page, Section } from '../../components/page.js';
import { useAction, useLoading } from '../../loading.js';
import { DomainCard } from './domain-card.js';
import { useService } from './service-layout.js';

export const SendingDomainsPage = () => {
  const { path: service, reload: reloadService } = useService();
  const path = `${service}/domains`;
  const domains = useLoading<SendingDomain[]>(signal => api.get(path, {}, signal), [path]);
  const add = useAction(async ({ domain }: Values) => {
    await api.post<SendingDomain>(path, { domain });
    domains.reload();
  });
  // The first verified domain switches the service to production, which the header shows.
  const changed = (domain: SendingDomain) => {
    domains.replace((domains.value ?? []).map(other => (other.id === domain.id ? domain : other)));
    reloadService();
  };
  const deleted = () => {
    domains.reload();
    reloadService();
  };
  return (
    <Page title="Domains">
      <Section title="New domain" about="Subdomains are separate domains: example.com does not cover mail.example.com.">
        <Form action={add} submit="Add domain" class="line">
          <Field
            label="Domain"
            name="domain"
            required
            maxLength={253}
            placeholder="example.com"
            autocomplete="off"
            spellcheck={false}
          />
        </Form>
      </Section>
      <Loaded of={domains}>
        {list =>
          list.length === 0 ? (
            <EmptyState>No domains yet. Add the domain you send from, then publish its DNS records.</EmptyState>
          ) : (
            list.map(domain => (
              <DomainCard
                key={domain.id}
                domain={domain}
                path={`${path}/${domain.id}`}
                onChanged={changed}
                onDeleted={deleted}
              />
            ))
          )
        }
      </Loaded>
    </Page>
  );
};
