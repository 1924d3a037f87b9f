import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { WebService } from '../../api-shapes.js';
import { useLoading, useRepeated } from '../../loading.js';
import { Loaded } from '../../parts/loaded.js';
import { Notice } from '../../parts/notice.js';
import { Tabs } from '../../parts/tabs.js';
import { Link } from '../../router.js';
import { Flags, isMoving } from './status.js';

interface OpenWebService {
  readonly service: WebService;
  /** Path of the web service in the API and of its pages, which is the same. */
  readonly path: string;
  readonly reload: () => void;
}

const OpenWebServiceContext = createContext<OpenWebService | undefined>(undefined);

/** The web service whose pages are open. */
export const useWebService = (): OpenWebService => {
  const open = useContext(OpenWebServiceContext);
  if (!open) throw new Error('A page of a web service is shown without its frame.');
  return open;
};

const TABS: readonly (readonly [path: string, name: string])[] = [
  ['', 'Overview'],
  ['/deployments', 'Deployments'],
  ['/logs', 'Logs'],
  ['/environment', 'Environment'],
];

/** A status that changes by itself is asked for often, any other one now and then. */
const POLL_MS = { moving: 1_500, resting: 10_000 };

interface WebServiceFrameProps {
  readonly webServiceId: string;
  /** Path of the page inside the application. */
  readonly path: string;
  readonly children: ComponentChildren;
}

/** Name, status and tabs of one web service around its pages. */
export const WebServiceFrame = ({ webServiceId, path: shown, children }: WebServiceFrameProps) => {
  const path = `/web-services/${webServiceId}`;
  const loading = useLoading<WebService>(signal => api.get(path, {}, signal), [path]);
  useRepeated(loading, loading.value && isMoving(loading.value) ? POLL_MS.moving : POLL_MS.resting);
  return (
    <Loaded of={loading}>
      {service => (
        <OpenWebServiceContext.Provider value={{ service, path, reload: loading.reload }}>
          <p class="crumbs">
            <Link to="/projects">Projects</Link> <span aria-hidden="true">/</span>{' '}
            <Link to={`/projects/${service.project_id}`}>Project</Link> <span aria-hidden="true">/</span>{' '}
            <strong>{service.name}</strong> <Flags of={service} />
          </p>
          {(service.blocked || service.suspended) && (
            <Notice kind="bad">
              {service.blocked ? 'An operator has blocked this service.' : 'An operator has suspended this service.'}{' '}
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
