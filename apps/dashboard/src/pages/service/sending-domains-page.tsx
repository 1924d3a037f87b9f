import { api } from '../../api-client.js';
import type { SendingDomain } from '../../api-shapes.js';
import { useAction, useLoading } from '../../loading.js';
import { Field, Form, type Values } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page, Section } from '../../parts/page.js';
import { DomainCard } from './domain-card.js';
import { useService } from './service-frame.js';

export const SendingDomainsPage = () => {
  const { path: service, reload: reloadService } = useService();
  const path = `${service}/domains`;
  const domains = useLoading<SendingDomain[]>(signal => api.get(path, {}, signal), [path]);
  const add = useAction(async ({ domain }: Values) => {
    await api.post<SendingDomain>(path, { domain });
    domains.reload();
  });
  // The first verified domain makes the service productive, which its frame shows.
  const changed = (domain: SendingDomain) => {
    domains.replace((domains.value ?? []).map(other => (other.id === domain.id ? domain : other)));
    reloadService();
  };
  const removed = () => {
    domains.reload();
    reloadService();
  };
  return (
    <Page title="Domains">
      <Loaded of={domains}>
        {list =>
          list.length === 0 ? (
            <Empty>No domain yet. Add the one that your messages are sent from; its DNS records come next.</Empty>
          ) : (
            list.map(domain => (
              <DomainCard
                key={domain.id}
                domain={domain}
                path={`${path}/${domain.id}`}
                onChanged={changed}
                onRemoved={removed}
              />
            ))
          )
        }
      </Loaded>
      <Section
        title="New domain"
        about="A subdomain is a domain of its own: example.com does not cover mail.example.com."
      >
        <Form action={add} submit="Add" class="line">
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
    </Page>
  );
};
