import type { SecondFactor } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../api-client.js';
import { Field, Form, type Values } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { OneTimeSecret } from '../components/one-time-secret.js';
import { Section } from '../components/page.js';
import { QrCode } from '../components/qr-code.js';
import { counted } from '../formatting.js';
import { useAction, useLoading } from '../loading.js';

const CHECKED = { checksPassword: true };

interface Started {
  readonly secret: string;
  readonly uri: string;
}

/** Enables and disables the second factor of the signed-in user. */
export const SecondFactorSection = ({ onEnrolled }: { readonly onEnrolled?: () => void }) => {
  const factor = useLoading<SecondFactor>(signal => api.get('/me/second-factor', {}, signal), []);
  const [codes, setCodes] = useState<readonly string[]>();
  const withCodes = (recoveryCodes: readonly string[]) => {
    setCodes(recoveryCodes);
    factor.reload();
  };
  return (
    <Section
      title="Two-factor authentication"
      about="When you sign in, you enter a code from an authenticator app in addition to your password."
    >
      {codes && (
        <OneTimeSecret
          title="Your recovery codes"
          secret={codes.join('\n')}
          what="recovery codes"
          onSaved={() => {
            setCodes(undefined);
            onEnrolled?.();
          }}
        />
      )}
      <Loaded of={factor}>
        {({ enabled, recovery_codes_left }) =>
          enabled ? (
            <Enabled left={recovery_codes_left} onCodes={withCodes} onDisabled={factor.reload} />
          ) : (
            <Enrol onEnabled={withCodes} />
          )
        }
      </Loaded>
    </Section>
  );
};

const Enrol = ({ onEnabled }: { readonly onEnabled: (codes: readonly string[]) => void }) => {
  const [started, setStarted] = useState<Started>();
  const start = useAction(async ({ password }: Values) =>
    setStarted(await api.post<Started>('/me/second-factor', { password }, CHECKED)),
  );
  const confirm = useAction(async ({ code }: Values) => {
    const reply = await api.post<{ recovery_codes: string[] }>('/me/second-factor/confirm', { code }, CHECKED);
    onEnabled(reply.recovery_codes);
  });
  if (!started)
    return (
      <Form action={start} submit="Set up">
        <PasswordField />
      </Form>
    );
  return (
    <>
      <p>Scan this code with your authenticator app, or enter the secret, then enter the code it shows.</p>
      <QrCode text={started.uri} label="QR code for your authenticator app" />
      <p>
        <code>{started.secret}</code>
      </p>
      <Form action={confirm} submit="Turn on">
        <CodeField />
      </Form>
    </>
  );
};

interface EnabledProps {
  readonly left: number;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onDisabled: () => void;
}

const Enabled = ({ left, onCodes, onDisabled }: EnabledProps) => {
  const renew = useAction(async ({ password, code }: Values) => {
    const body = { password, code };
    const reply = await api.post<{ recovery_codes: string[] }>('/me/second-factor/recovery-codes', body, CHECKED);
    onCodes(reply.recovery_codes);
  });
  const disable = useAction(async ({ password, code }: Values) => {
    await api.post('/me/second-factor/disable', { password, code }, CHECKED);
    onDisabled();
  });
  return (
    <>
      <p>Two-factor authentication is on. Unused: {counted(left, 'recovery code')}.</p>
      <details>
        <summary>New recovery codes</summary>
        <Form action={renew} submit="Replace recovery codes">
          <PasswordField />
          <CodeField />
        </Form>
      </details>
      <details>
        <summary>Turn off</summary>
        <Form action={disable} submit="Turn off">
          <PasswordField />
          <CodeField />
        </Form>
      </details>
    </>
  );
};

const PasswordField = () => (
  <Field label="Password" name="password" type="password" required autocomplete="current-password" />
);

const CodeField = () => (
  <Field label="Code" name="code" required minLength={6} maxLength={64} autocomplete="one-time-code" />
);
