import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, api } from '../api-client.js';
import { Logo } from '../components/app-layout.js';
import { Field, Form, type Values } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { NewPasswordFields } from '../components/password-fields.js';
import { useAction } from '../loading.js';
import { Link, navigate } from '../router.js';

/** Pages for people without a session, reached by links in mail; the token is the fragment of the address. */
export const signedOutPageFor = (path: string): ComponentChildren | undefined => {
  if (path === '/password-reset') return <PasswordResetPage />;
  return path === '/invitation' ? <InvitationPage /> : undefined;
};

const tokenFromAddress = (): string => location.hash.slice(1);

const PasswordResetPage = () => {
  const [token] = useState(tokenFromAddress);
  return token === '' ? <RequestLink /> : <SetPassword token={token} />;
};

const RequestLink = () => {
  const [requested, setRequested] = useState(false);
  const request = useAction(async ({ email }: Values) => {
    await api.post('/password-reset', { email });
    setRequested(true);
  });
  return (
    <CenteredCard title="New password">
      {requested ? (
        <Notice kind="good">
          If an account with this address exists, we sent a link to it. The link works once, within 30 minutes.
        </Notice>
      ) : (
        <Form action={request} submit="Send link">
          <Field label="Email address" name="email" type="email" required maxLength={320} autocomplete="username" />
        </Form>
      )}
      <BackToLogin />
    </CenteredCard>
  );
};

const SetPassword = ({ token }: { readonly token: string }) => {
  const [done, setDone] = useState(false);
  const change = useAction(async ({ password, repeated }: Values) => {
    if (password !== repeated) throw new ApiError(0, 'The passwords do not match.');
    await api.post('/password-reset/confirm', { token, password });
    setDone(true);
  });
  return (
    <CenteredCard title="New password">
      {done ? (
        <Notice kind="good">Password changed. All your sessions have been signed out.</Notice>
      ) : (
        <Form action={change} submit="Set password">
          <NewPasswordFields />
        </Form>
      )}
      <BackToLogin />
    </CenteredCard>
  );
};

const InvitationPage = () => {
  const [token] = useState(tokenFromAddress);
  const [email, setEmail] = useState<string>();
  const accept = useAction(async ({ password, repeated }: Values) => {
    if (password !== repeated) throw new ApiError(0, 'The passwords do not match.');
    setEmail((await api.post<{ email: string }>('/invitations/accept', { token, password })).email);
  });
  return (
    <CenteredCard title="Accept invitation">
      {email ? (
        <Notice kind="good">Your account is ready. Sign in as {email}.</Notice>
      ) : (
        <Form action={accept} submit="Create account">
          <NewPasswordFields />
        </Form>
      )}
      <BackToLogin />
    </CenteredCard>
  );
};

const BackToLogin = () => (
  <p class="hint">
    <Link to="/">Sign in</Link>
  </p>
);

interface CenteredCardProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

const CenteredCard = ({ title, children }: CenteredCardProps) => {
  useEffect(() => {
    document.title = `${title} · Postern`;
    // Removes the token from the address bar and the history.
    if (location.hash !== '') navigate(location.pathname.replace(/^\/dashboard/, ''), { replace: true });
  }, [title]);
  return (
    <main class="centered">
      <div class="card login">
        <h1>
          <Logo /> {title}
        </h1>
        {children}
      </div>
    </main>
  );
};
