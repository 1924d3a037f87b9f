import { useEffect, useState } from 'preact/hooks';
import { ApiError, api } from '../api-client.js';
import { Logo } from '../components/app-layout.js';
import { Field, Form, type Values } from '../components/form.js';
import { useAction } from '../loading.js';
import { Link } from '../router.js';

export const LoginPage = ({ onSignedIn }: { readonly onSignedIn: () => Promise<void> }) => {
  const [needsCode, setNeedsCode] = useState(false);
  const signIn = useAction(async ({ email, password, code }: Values) => {
    const login = { email, password, ...(code ? { code } : {}) };
    try {
      await api.signIn(login);
    } catch (error) {
      const isFirstStep = error instanceof ApiError && error.code === 'second_factor_required';
      if (!isFirstStep) throw error;
      setNeedsCode(true);
      return;
    }
    await onSignedIn();
  });
  useEffect(() => {
    const before = document.title;
    document.title = 'Sign in · Postern';
    return () => {
      document.title = before;
    };
  }, []);
  return (
    <main class="centered">
      <div class="card login">
        <h1>
          <Logo /> Postern
        </h1>
        <Form action={signIn} submit="Sign in" keepValues>
          <Field label="Email address" name="email" type="email" required autocomplete="username" autofocus />
          <Field label="Password" name="password" type="password" required autocomplete="current-password" />
          {needsCode && (
            <Field
              label="Code"
              name="code"
              required
              autofocus
              maxLength={64}
              hint="From your authenticator app, or a recovery code."
              autocomplete="one-time-code"
            />
          )}
        </Form>
        <p class="hint">
          <Link to="/password-reset">Forgot your password?</Link> Ask your administrator for an account.
        </p>
      </div>
    </main>
  );
};
