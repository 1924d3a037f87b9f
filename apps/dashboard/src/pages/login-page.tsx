import type { CreatedSession } from '@postern/contracts';
import { useEffect } from 'preact/hooks';
import { api } from '../api-client.js';
import { Logo } from '../components/app-layout.js';
import { Field, Form, type Values } from '../components/form.js';
import { useAction } from '../loading.js';

/** Ignores the token in the response: the session cookie is HttpOnly and not readable by scripts. */
export const LoginPage = ({ onSignedIn }: { readonly onSignedIn: () => void }) => {
  const signIn = useAction(async ({ email, password }: Values) => {
    await api.post<CreatedSession>('/session', { email, password }, { checksPassword: true });
    onSignedIn();
  });
  useEffect(() => {
    document.title = 'Log in · Postern';
  }, []);
  return (
    <main class="centered">
      <div class="card login">
        <h1>
          <Logo /> Postern
        </h1>
        <Form action={signIn} submit="Log in" keepValues>
          <Field label="Email address" name="email" type="email" required autocomplete="username" autofocus />
          <Field label="Password" name="password" type="password" required autocomplete="current-password" />
        </Form>
        <p class="hint">Ask your administrator for an account.</p>
      </div>
    </main>
  );
};
