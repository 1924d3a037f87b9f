import type { EmailService } from '@postern/contracts';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Breadcrumbs } from '../../components/breadcrumbs.js';
import { Loaded } from '../../components/loaded.js';
import { Tabs } from '../../components/tabs.js';
import { type Loading, useLoading } from '../../loading.js';
import { ModeBadges } from './mode-and-use.js';

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
  if (!open) throw new Error('useService was called outside of ServiceLayout.');
  return open;
};

const TABS: readonly (readonly [path: string, name: string])[] = [
  ['', 'Overview'],
  ['/messages', 'Messages'],
  ['/scheduled', 'Scheduled'],
  ['/templates', 'Templates'],
  ['/requests', 'Requests'],
  ['/domains', 'Domains'],
  ['/recipients', 'Verified recipients'],
  ['/api-keys', 'API keys'],
  ['/webhooks', 'Webhooks'],
  ['/suppressions', 'Suppressions'],
  ['/settings', 'Settings'],
];

interface ServiceLayoutProps {
  readonly serviceId: string;
  /** Path of the page inside the application. */
  readonly path: string;
  readonly children: ComponentChildren;
}

/** Name, mode and tabs of one email service around its pages. */
export const ServiceLayout = ({ serviceId, path: shown, children }: ServiceLayoutProps) => {
  const path = `/email-services/${serviceId}`;
  const page = `/services/${serviceId}`;
  const loading = useLoading<EmailService>(signal => api.get(path, {}, signal), [serviceId]);
  useLive(loading, path.slice(1));
  return (
    <Loaded of={loading} title="Email service">
      {service => (
        <OpenServiceContext.Provider value={{ service, path, page, changed: loading.replace, reload: loading.reload }}>
          <Breadcrumbs above={[['/email-services', 'Email services']]} current={service.name}>
            <ModeBadges of={service} />
          </Breadcrumbs>
          <Tabs of={service.name} tabs={TABS} page={page} shown={shown} />
          {children}
        </OpenServiceContext.Provider>
      )}
    </Loaded>
  );
};
