import type { DatabaseWithUsage, RotatedDatabase } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { ConfirmButton } from '../../components/action-button.js';
import { CopyButton } from '../../components/copy-button.js';
import { OneTimeSecret } from '../../components/one-time-secret.js';
import { Section } from '../../components/page.js';
import { counted } from '../../formatting.js';
import { connectionExample } from './connection-example.js';

interface DatabaseConnectionProps {
  readonly of: DatabaseWithUsage;
  readonly path: string;
}

/** How clients connect to a database; its password can only be replaced. */
export const DatabaseConnection = ({ of: database, path }: DatabaseConnectionProps) => {
  const [rotated, setRotated] = useState<RotatedDatabase>();
  const { kind, connection, name } = database;
  return (
    <Section
      title="Connection"
      about="Only attached web services and the machine of the platform can reach this address; external access has another one. An attached web service gets the connection URL as a variable."
    >
      {rotated && (
        <>
          <OneTimeSecret
            title={`New connection URL of “${name}”, including its password`}
            secret={rotated.connection_url}
            what="the connection URL"
            onSaved={() => setRotated(undefined)}
          />
          {rotated.external_connection_url && (
            <OneTimeSecret
              title={`URL of “${name}” for clients outside of the platform`}
              secret={rotated.external_connection_url}
              what="the external connection URL"
              onSaved={() => setRotated(undefined)}
            />
          )}
          {rotated.restarting.length > 0 && (
            <p class="hint">
              {counted(rotated.restarting.length, 'attached web service')} restarting with the new URL.
            </p>
          )}
        </>
      )}
      {connection && (
        <dl class="record">
          <Fact title="Host" value={connection.host} />
          <Fact title="Port" value={String(connection.port)} />
          <Fact title="User" value={connection.username} />
          {connection.database !== null && <Fact title="Database" value={connection.database} />}
          <dt>Password</dt>
          <dd>Part of the connection URL, which was shown once. If it was lost or disclosed, replace it.</dd>
          {connection.ca_certificate && <CertificateOf pem={connection.ca_certificate} name={name} />}
          <Fact title="Example" value={connectionExample(kind, connection)} />
        </dl>
      )}
      <ConfirmButton
        class="quiet"
        question={`Replace the password of “${name}”?`}
        consequence="The old password can’t be used for new connections; existing ones stay open. Attached web services that are running restart with the new URL. If you have set the URL as a variable yourself, update it."
        confirm="Replace password"
        work={async () => setRotated(await api.post<RotatedDatabase>(`${path}/rotate`))}
      >
        Replace password
      </ConfirmButton>
    </Section>
  );
};

const Fact = ({ title, value }: { readonly title: string; readonly value: string }) => (
  <>
    <dt>{title}</dt>
    <dd class="copy-line">
      <code class="long">{value}</code>
      <CopyButton text={value} what={`the ${title.toLowerCase()}`} />
    </dd>
  </>
);

const CertificateOf = ({ pem, name }: { readonly pem: string; readonly name: string }) => (
  <>
    <dt>TLS</dt>
    <dd class="copy-line">
      <span>
        Offered to all clients. For <code>sslmode=verify-full</code>, use this{' '}
        <a download={`${name}-ca.crt`} href={`data:application/x-pem-file,${encodeURIComponent(pem)}`}>
          CA certificate
        </a>
      </span>
      <CopyButton text={pem} what="the CA certificate" />
    </dd>
  </>
);
