import type { PlatformKey } from '@postern/contracts';
import { api } from '../../api-client.js';
import { Breadcrumbs } from '../../components/breadcrumbs.js';
import { Loaded, MissingPage } from '../../components/loaded.js';
import { Page } from '../../components/page.js';
import { RequestLog } from '../../components/request-log.js';
import { useLoading } from '../../loading.js';

/** The requests of the platform API with one key. */
export const PlatformKeyPage = ({ keyId }: { readonly keyId: string }) => {
  const keys = useLoading<PlatformKey[]>(signal => api.get('/platform-keys', {}, signal), []);
  return (
    <Loaded of={keys} title="Platform key">
      {list => {
        const name = list.find(({ id }) => id === keyId)?.name;
        if (name === undefined) return <MissingPage what="Platform key" />;
        return (
          <>
            <Breadcrumbs above={[['/platform-keys', 'Platform keys']]} current={name} />
            <Page title={`Requests of ${name}`}>
              <p class="about">
                Every request with this key, also those that were refused. Secret values are not shown.
              </p>
              <RequestLog
                path={`/platform-keys/${keyId}/requests`}
                empty="No requests with this key yet. Each request appears here, also those that are refused."
              />
            </Page>
          </>
        );
      }}
    </Loaded>
  );
};
