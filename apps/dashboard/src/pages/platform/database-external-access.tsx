import type { DatabaseWithUsage, ExternalAccess } from '@postern/contracts';
import { api } from '../../api-client.js';
import { EditForm, Switch, type Values } from '../../components/form.js';
import { TextArea } from '../../components/form-controls.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import { CollapsibleSection } from '../../components/page.js';
import { asSentence } from '../../formatting.js';
import { useAction } from '../../loading.js';

interface DatabaseExternalAccessProps {
  readonly access: ExternalAccess;
  readonly connection: DatabaseWithUsage['connection'];
  readonly path: string;
  readonly reload: () => void;
}

/** Which networks outside of the platform may connect to a database, and where. */
export const DatabaseExternalAccess = ({ access, connection, path, reload }: DatabaseExternalAccessProps) => {
  const change = async (external_access: object) => {
    await api.patch(path, { external_access });
    reload();
  };
  const switching = useAction((enabled: boolean) => change({ enabled }));
  const saving = useAction(({ networks = '' }: Values) =>
    change({ allowed_cidrs: networks.split(/[\s,]+/).filter(network => network !== '') }),
  );
  return (
    <CollapsibleSection
      title="External access"
      about="Lets clients outside of the platform connect, such as a program on your laptop. They need TLS and the password of the owner."
      open={access.enabled}
    >
      {access.unavailable_reason ? (
        <Notice kind="warning">{asSentence(access.unavailable_reason)}</Notice>
      ) : (
        <>
          <EditForm action={saving}>
            <TextArea
              label="Networks that may connect"
              name="networks"
              rows={3}
              defaultValue={access.allowed_cidrs.join('\n')}
              placeholder="203.0.113.0/24"
              hint="IPv4 networks or addresses, one a line. 0.0.0.0/0 admits everyone on the internet."
            />
          </EditForm>
          <Switch
            label="External access"
            about="Takes effect immediately. Connections from networks that may no longer connect end."
            on={access.enabled}
            busy={switching.busy}
            onSwitch={switching.run}
          />
          <ErrorNotice error={switching.error} />
          {access.open_to_everyone && (
            <Notice kind="warning">
              Everyone on the internet can try to connect. Only the password protects the data.
            </Notice>
          )}
          {access.host !== null && connection && (
            <p>
              <code class="long">
                {`psql 'postgresql://${connection.username}:PASSWORD@${access.host}:${access.port}/${connection.database}?sslmode=verify-full&sslrootcert=database-ca.crt'`}
              </code>
            </p>
          )}
        </>
      )}
    </CollapsibleSection>
  );
};
