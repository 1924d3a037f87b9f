import type { Me } from '@postern/contracts';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { api } from './api-client.js';
import { AppLayout } from './components/app-layout.js';
import { Loaded } from './components/loaded.js';
import { useLoading } from './loading.js';
import { LoginPage } from './pages/login-page.js';
import { usePath } from './router.js';
import { pageFor } from './routes.js';
import { SignedInContext } from './session.js';

/** Shows the login page to signed-out users and the requested page after login. */
export const Application = () => {
  const path = usePath();
  const [signedOut, setSignedOut] = useState(false);
  const me = useLoading<Me>(signal => api.get('/me', {}, signal), []);

  useEffect(() => {
    api.onSignedOut = () => setSignedOut(true);
  }, []);

  const signedIn = useMemo(
    () =>
      me.value && {
        me: me.value,
        reload: me.reload,
        signOut: async () => {
          await api.delete('/session');
          setSignedOut(true);
        },
      },
    [me.value, me.reload],
  );

  if (signedOut || me.error?.status === 401) {
    const signIn = () => {
      setSignedOut(false);
      me.reload();
    };
    return <LoginPage onSignedIn={signIn} />;
  }
  if (!signedIn)
    return (
      <main class="centered">
        <Loaded of={me}>{() => null}</Loaded>
      </main>
    );
  return (
    <SignedInContext.Provider value={signedIn}>
      <AppLayout path={path}>
        {/* The key remounts every page when the workspace changes. */}
        <div key={signedIn.me.active_workspace.id}>{pageFor(path)}</div>
      </AppLayout>
    </SignedInContext.Provider>
  );
};
