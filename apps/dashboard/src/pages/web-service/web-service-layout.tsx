import type { Project, WebService } from '@postern/contracts';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Breadcrumbs } from '../../components/breadcrumbs.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { Tabs } from '../../components/tabs.js';
import { useLoading } from '../../loading.js';
import { StatusBadges } from './status.js';

interface OpenWebService {
  readonly service: WebService;
  /** Path of the web service, the same in the API and in the application. */
  readonly path: string;
  readonly reload: () => void;
}

const OpenWebServiceContext = createContext<OpenWebService | undefined>(undefined);

/** The web service whose pages are open. */
export const useWebService = (): OpenWebService => {
  const open = useContext(OpenWebServiceContext);
  if (!open) throw new Error('useWebService was called outside of WebServiceLayout.');
  return open;
};

const TABS: readonly (readonly [path: string, name: string])[] = [
  ['', 'Overview'],
  ['/deployments', 'Deployments'],
  ['/logs', 'Logs'],
  ['/runs', 'Runs'],
  ['/environment', 'Environment'],
  ['/settings', 'Settings'],
];

/** Polls more often while the status is about to change. */
interface WebServiceLayoutProps {
  readonly webServiceId: string;
  /** Path of the page inside the application. */
  readonly path: string;
  readonly children: ComponentChildren;
}

/** Name, status and tabs of one web service around its pages. */
export const WebServiceLayout = ({ webServiceId, path: shown, children }: WebServiceLayoutProps) => {
  const path = `/web-services/${webServiceId}`;
  const loading = useLoading<WebService>(signal => api.get(path, {}, signal), [path]);
  useLive(loading, path.slice(1));
  return (
    <Loaded of={loading} title="Web service">
      {service => (
        <OpenWebServiceContext.Provider value={{ service, path, reload: loading.reload }}>
          <Crumbs of={service} />
          {(service.blocked || service.suspended) && (
            <Notice kind="bad">
              {service.blocked
                ? 'An administrator has blocked this web service.'
                : 'An administrator has suspended this web service.'}{' '}
              {service.flag_reason}
            </Notice>
          )}
          <Tabs of={service.name} tabs={TABS} page={path} shown={shown} />
          {children}
        </OpenWebServiceContext.Provider>
      )}
    </Loaded>
  );
};

const Crumbs = ({ of: service }: { readonly of: WebService }) => {
  const path = `/projects/${service.project_id}`;
  const project = useLoading<Project>(signal => api.get(path, {}, signal), [path]);
  return (
    <Breadcrumbs
      above={[
        ['/projects', 'Projects'],
        [path, project.value?.name],
      ]}
      current={service.name}
    >
      <StatusBadges of={service} />
    </Breadcrumbs>
  );
};
