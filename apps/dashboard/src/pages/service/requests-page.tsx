import type { ApiKey } from '@postern/contracts';
import { api } from '../../api-client.js';
import { Page } from '../../components/page.js';
import { RequestLog } from '../../components/request-log.js';
import { useLoading } from '../../loading.js';
import { useService } from './service-layout.js';

/** The requests of the email API with the keys of the email service. */
export const RequestsPage = () => {
  const { path, page } = useService();
  const keys = useLoading<ApiKey[]>(signal => api.get(`${path}/api-keys`, {}, signal), [path]);
  return (
    <Page title="Requests">
      <p class="about">
        Every request with a key of this email service, also those that were refused. Bodies are shown without the
        contents of messages.
      </p>
      <RequestLog
        path={`${path}/requests`}
        messages={`${page}/messages`}
        keys={keys.value ?? []}
        empty="No requests yet. Send one with an API key of this service."
      />
    </Page>
  );
};
