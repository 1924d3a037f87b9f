import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { EmailService } from '../../api-shapes.js';
import { type Loading, useLoading } from '../../loading.js';
import { Badge } from '../../parts/badge.js';
import { Loaded } from '../../parts/loaded.js';
import { Tabs } from '../../parts/tabs.js';
import { Link } from '../../router.js';

interface OpenService {
  readonly service: EmailService;
  /** Path of the service in the API. */
  readonly path: string;
  /** Path of the service's pages. */
  readonly page: string;
  readonly changed: (service: EmailService) => void;
  readonly reload: Loading<EmailService>['reload'];
}

const OpenServiceContext = createContext<OpenService | undefined>(undefined);

/** The email service whose pages are open. */
export const useService = (): OpenService => {
  const open = useContext(OpenServiceContext);
  if (!open) throw new Error('A page of a service is shown without its frame.');
  return open;
};

const TABS: readonly (readonly [path: string, name: string])[] = [
  ['', 'Overview'],
  ['/messages', 'Messages'],
  ['/domains', 'Domains'],
  ['/recipients', 'Verified recipients'],
  ['/api-keys', 'API keys'],
  ['/webhooks', 'Webhooks'],
  ['/suppressions', 'Suppressions'],
  ['/settings', 'Settings'],
];

interface ServiceFrameProps {
  readonly serviceId: string;
  /** Path of the page inside the application. */
  readonly path: string;
  readonly children: ComponentChildren;
}

/** Name, mode and tabs of one email service around its pages. */
export const ServiceFrame = ({ serviceId, path: shown, children }: ServiceFrameProps) => {
  const path = `/email-services/${serviceId}`;
  const page = `/services/${serviceId}`;
  const loading = useLoading<EmailService>(signal => api.get(path, {}, signal), [serviceId]);
  return (
    <Loaded of={loading}>
      {service => (
        <OpenServiceContext.Provider value={{ service, path, page, changed: loading.replace, reload: loading.reload }}>
          <p class="crumbs">
            <Link to="/">Email services</Link> <span aria-hidden="true">/</span> <strong>{service.name}</strong>{' '}
            <Badge status={service.mode} /> {!service.enabled && <Badge status="disabled" />}
          </p>
          <Tabs of={service.name} tabs={TABS} page={page} shown={shown} />
          {children}
        </OpenServiceContext.Provider>
      )}
    </Loaded>
  );
};
