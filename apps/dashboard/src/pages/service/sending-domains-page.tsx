import type { SendingDomain } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { CollapsibleSection, EmptyState, Page } from '../../components/page.js';
import { useAction, useLoading } from '../../loading.js';
import { DomainCard } from './domain-card.js';
import { useService } from './service-layout.js';

/** The checks of Postern in the background change the records without a notice. */
const AWAITED_EVERY_MS = 30_000;

export const SendingDomainsPage = () => {
  const { path: service, reload: reloadService } = useService();
  const path = `${service}/domains`;
  const domains = useLoading<SendingDomain[]>(signal => api.get(path, {}, signal), [path]);
  const awaitsDns = domains.value?.some(({ status }) => status === 'pending');
  useLive(domains, service.slice(1), awaitsDns ? AWAITED_EVERY_MS : undefined);
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
      <CollapsibleSection
        title="New domain"
        open={domains.value?.length === 0}
        about="Subdomains are separate domains: example.com does not cover mail.example.com."
      >
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
      </CollapsibleSection>
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
