import type { PlatformKey } from '@postern/contracts';
import { Tag } from '../../components/badge.js';
import { Field } from '../../components/form.js';
import { Select } from '../../components/form-controls.js';
import { KeysPage } from '../../components/keys-page.js';
import { Time } from '../../components/time.js';

export const PlatformKeysPage = () => (
  <KeysPage<PlatformKey>
    title="Platform keys"
    noun="platform key"
    about={
      <>
        Use these keys to call the platform API at <code>/api/v1</code> from scripts and CI. Send a key as{' '}
        <code>Authorization: Bearer</code>.
      </>
    }
    path="/platform-keys"
    caption="Your platform keys in this workspace"
    empty="No platform keys yet. Create one to use the platform API."
    columns={[
      { title: 'Permissions', cell: key => (key.scope === 'write' ? 'Read and write' : 'Read') },
      { title: 'Access', cell: key => <Restrictions of={key} /> },
      { title: 'Expires', cell: key => <Expiry of={key} /> },
    ]}
    pageOf={({ id }) => `/platform-keys/${id}`}
    revokeConsequence="Requests using this key will fail immediately."
    aboutNew="Create one key for each program, so that you can revoke them separately."
    fields={
      <>
        <Select
          label="Permissions"
          name="scope"
          options={[
            ['read', 'Read'],
            ['write', 'Read and write'],
          ]}
        />
        <Field
          label="Project IDs"
          name="projects"
          hint="Optional. Separate several with spaces. The key can only access these projects."
          autocomplete="off"
        />
        <Field
          label="Operations"
          name="operations"
          hint="Optional, for example: deployments:write web-services:read"
          autocomplete="off"
        />
        <Field label="Expires" name="expires_at" type="datetime-local" hint="Optional" />
      </>
    }
    requestOf={({ scope, expires_at, projects, operations }) => ({
      scope,
      ...(projects?.trim() && { projects: splitList(projects) }),
      ...(operations?.trim() && { operations: splitList(operations) }),
      ...(expires_at && { expires_at: new Date(expires_at).toISOString() }),
    })}
  />
);

const Expiry = ({ of: { expiry } }: { readonly of: PlatformKey }) => {
  if (expiry === null) return 'Never';
  return Date.parse(expiry) <= Date.now() ? <Tag tone="bad">Expired</Tag> : <Time at={expiry} />;
};

const splitList = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

const Restrictions = ({ of: { projects, operations } }: { readonly of: PlatformKey }) => {
  if (!projects && !operations) return 'All projects, all operations';
  return [
    ...(projects ? [projects.length === 1 ? '1 project' : `${projects.length} projects`] : []),
    ...(operations ?? []),
  ].join(', ');
};
