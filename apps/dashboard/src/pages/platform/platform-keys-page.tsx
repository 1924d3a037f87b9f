import type { PlatformKey, Project } from '@postern/contracts';
import { api } from '../../api-client.js';
import { Tag } from '../../components/badge.js';
import { Field } from '../../components/form.js';
import { Checkbox, Select } from '../../components/form-controls.js';
import { KeysPage } from '../../components/keys-page.js';
import { Time } from '../../components/time.js';
import { useLoading } from '../../loading.js';
import { accessOf, keyRequest, OPERATION, OPERATIONS, operationName, PROJECT } from './key-access.js';

export const PlatformKeysPage = () => {
  const projects = useLoading<Project[]>(signal => api.get('/projects', {}, signal), []);
  return <Keys projects={projects.value ?? []} />;
};

const Keys = ({ projects }: { readonly projects: readonly Project[] }) => (
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
      { title: 'Access', cell: key => accessOf(key, projects) },
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
        {projects.length > 0 && (
          <fieldset class="kinds">
            <legend>Projects</legend>
            <p class="hint">Choose none for a key that can access all, also those of the future.</p>
            {projects.map(({ id, name }) => (
              <Checkbox key={id} label={name} name={`${PROJECT}${id}`} />
            ))}
          </fieldset>
        )}
        <fieldset class="kinds">
          <legend>Operations</legend>
          <p class="hint">Choose none for a key that allows all that its permissions allow.</p>
          {OPERATIONS.map(operation => (
            <Checkbox key={operation} label={operationName(operation)} name={`${OPERATION}${operation}`} />
          ))}
        </fieldset>
        <Field label="Expires" name="expires_at" type="datetime-local" hint="Optional" />
      </>
    }
    requestOf={keyRequest}
  />
);

const Expiry = ({ of: { expiry } }: { readonly of: PlatformKey }) => {
  if (expiry === null) return 'Never';
  return Date.parse(expiry) <= Date.now() ? <Tag tone="bad">Expired</Tag> : <Time at={expiry} />;
};
