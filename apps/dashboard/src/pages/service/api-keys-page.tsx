import type { ApiKey } from '../../api-shapes.js';
import { KeysPage } from '../../parts/keys-page.js';
import { Time } from '../../parts/time.js';
import { useService } from './service-frame.js';

export const ApiKeysPage = () => (
  <KeysPage<ApiKey>
    title="API keys"
    noun="API key"
    path={`${useService().path}/api-keys`}
    caption="API keys"
    empty="No key yet: nothing can be sent through this service."
    columns={[{ title: 'Created', cell: key => <Time at={key.created_at} /> }]}
    afterRevoking="Whoever sends with this key is refused from this moment on."
    oneForEach="One for each application"
  />
);
