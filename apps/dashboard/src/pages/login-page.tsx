import { useEffect } from 'preact/hooks';
import { api } from '../api-client.js';
import type { CreatedSession } from '../api-shapes.js';
import { useAction } from '../loading.js';
import { Field, Form, type Values } from '../parts/form.js';
import { Emblem } from '../parts/frame.js';

/** The token of the answer is left alone: the cookie that comes with it is out of reach of scripts. */
export const LoginPage = ({ onSignedIn }: { readonly onSignedIn: () => void }) => {
  const signIn = useAction(async ({ email, password }: Values) => {
    await api.post<CreatedSession>('/session', { email, password }, { judgesPassword: true });
    onSignedIn();
  });
  useEffect(() => {
    document.title = 'Log in · Postern';
  }, []);
  return (
    <main class="alone">
      <div class="card login">
        <h1>
          <Emblem /> Postern
        </h1>
        <Form action={signIn} submit="Log in" keeps>
          <Field label="E-mail address" name="email" type="email" required autocomplete="username" autofocus />
          <Field label="Password" name="password" type="password" required autocomplete="current-password" />
        </Form>
        <p class="hint">Accounts are made by the operator of this Postern.</p>
      </div>
    </main>
  );
};
