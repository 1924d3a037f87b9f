import type { ApiKey } from '@postern/contracts';
import { KeysPage } from '../../components/keys-page.js';
import { Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { useSignedIn } from '../../session.js';
import { useService } from './service-layout.js';
import { SendSnippet } from './snippets.js';

export const ApiKeysPage = () => {
  const { me } = useSignedIn();
  return (
    <KeysPage<ApiKey>
      title="API keys"
      noun="API key"
      path={`${useService().path}/api-keys`}
      caption="API keys"
      empty="No API keys yet. Create one to send email."
      columns={[{ title: 'Created', cell: key => <Time at={key.created_at} /> }]}
      revokeConsequence="Requests using this key will fail immediately."
      aboutNew="Create one key for each application, so that you can revoke them separately."
    >
      {key => (
        <Section
          title="Send an email"
          about={
            key ? 'The new key is filled in.' : 'Replace em_live_… with your API key, and the addresses with yours.'
          }
        >
          <SendSnippet example={{ origin: location.origin, key: key ?? 'em_live_…', from: me.email, to: me.email }} />
        </Section>
      )}
    </KeysPage>
  );
};
