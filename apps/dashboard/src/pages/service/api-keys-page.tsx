import type { ApiKey } from '@postern/contracts';
import { CopyButton } from '../../components/copy-button.js';
import { KeysPage } from '../../components/keys-page.js';
import { Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { useService } from './service-layout.js';

const EXAMPLE = `curl ${location.origin}/emails \\
  -H 'Api-Key: em_live_…' \\
  -H 'Content-Type: application/json' \\
  -d '{"from": "you@example.com", "to": ["you@example.com"], "subject": "Hello", "text": "It works."}'`;

export const ApiKeysPage = () => (
  <KeysPage<ApiKey>
    title="API keys"
    noun="API key"
    path={`${useService().path}/api-keys`}
    caption="API keys"
    empty="No API keys yet. Create one below to send email."
    columns={[{ title: 'Created', cell: key => <Time at={key.created_at} /> }]}
    revokeConsequence="Requests using this key will fail immediately."
    aboutNew="Create one key for each application, so that you can revoke them separately."
  >
    <Section title="Send an email" about="Replace em_live_… with your API key, and the addresses with yours.">
      <div class="copy-line">
        <pre>{EXAMPLE}</pre>
        <CopyButton text={EXAMPLE} what="the example" />
      </div>
    </Section>
  </KeysPage>
);
