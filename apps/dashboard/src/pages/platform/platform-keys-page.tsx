import type { PlatformKey } from '../../api-shapes.js';
import { Mark } from '../../parts/badge.js';
import { Field } from '../../parts/form.js';
import { Select } from '../../parts/form-choices.js';
import { KeysPage } from '../../parts/keys-page.js';
import { Time } from '../../parts/time.js';

export const PlatformKeysPage = () => (
  <KeysPage<PlatformKey>
    title="Platform keys"
    noun="platform key"
    about={
      <>
        For programs: with one of these keys they do on <code>/api/v1</code> what you may do here.
      </>
    }
    path="/platform-keys"
    caption="Your platform keys in this workspace"
    empty="You have no key in this workspace yet."
    columns={[
      { title: 'May', cell: key => (key.scope === 'write' ? 'Read and write' : 'Read') },
      { title: 'Expires', cell: key => <Expiry of={key} /> },
    ]}
    afterRevoking="Whoever uses this key is refused from this moment on."
    oneForEach="One for each program"
    fields={
      <>
        <Select
          label="May"
          name="scope"
          options={[
            ['read', 'Read'],
            ['write', 'Read and write'],
          ]}
        />
        <Field label="Expires (may be left empty)" name="expires_at" type="datetime-local" />
      </>
    }
    wishes={({ scope, expires_at }) => ({
      scope,
      ...(expires_at && { expires_at: new Date(expires_at).toISOString() }),
    })}
  />
);

const Expiry = ({ of: { expiry } }: { readonly of: PlatformKey }) => {
  if (expiry === null) return 'Never';
  return Date.parse(expiry) <= Date.now() ? <Mark standing="bad">Expired</Mark> : <Time at={expiry} />;
};
