import type { Me } from '@postern/contracts';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { api } from './api-client.js';
import { ChangesContext } from './changes.js';
import { AppLayout } from './components/app-layout.js';
import { Loaded } from './components/loaded.js';
import { useLoading } from './loading.js';
import { LoginPage } from './pages/login-page.js';
import { signedOutPageFor } from './pages/mailed-link-pages.js';
import { SecondFactorPage } from './pages/second-factor-page.js';
import { usePath } from './router.js';
import { pageFor } from './routes.js';
import { SessionContext, SignedInContext } from './session.js';

/** Shows pages of mailed links to everybody, the login page to signed-out users, and the requested page after login. */
export const Application = () => {
  const path = usePath();
  return signedOutPageFor(path) ?? <Session path={path} />;
};

type Ended = 'expired' | 'logged out';

const Session = ({ path }: { readonly path: string }) => {
  const [ended, setEnded] = useState<Ended>();
  const [logins, setLogins] = useState(0);
  const me = useLoading<Me>(signal => api.get('/me', {}, signal), []);

  useEffect(() => {
    api.onSignedOut = () => setEnded(last => last ?? 'expired');
  }, []);

  const signedIn = useMemo(
    () =>
      me.value && {
        me: me.value,
        reload: me.reload,
        signOut: async () => {
          await api.delete('/session');
          setEnded('logged out');
        },
      },
    [me.value, me.reload],
  );
  const signIn = async () => {
    me.replace(await api.get<Me>('/me'));
    setLogins(last => last + 1);
    setEnded(undefined);
  };

  // A switch of the workspace ends the stream of the one before.
  const followed =
    signedIn && ended === undefined && !signedIn.me.second_factor_missing && signedIn.me.active_workspace.id;
  const changes = useContext(ChangesContext);
  useEffect(() => (followed ? changes.start() : undefined), [changes, followed, logins]);

  if (ended === 'logged out' || (!signedIn && me.error?.status === 401)) return <LoginPage onSignedIn={signIn} />;
  if (!signedIn)
    return (
      <main class="centered">
        <Loaded of={me}>{() => null}</Loaded>
      </main>
    );
  const expired = ended === 'expired';
  return (
    <SessionContext.Provider value={{ expired, logins }}>
      <SignedInContext.Provider value={signedIn}>
        {expired && <LoginPage onSignedIn={signIn} />}
        {/* What was typed survives an expired session. */}
        <div hidden={expired}>
          {signedIn.me.second_factor_missing ? (
            <SecondFactorPage />
          ) : (
            <AppLayout path={path}>
              {/* The key remounts every page when the user or the workspace changes. */}
              <div key={`${signedIn.me.id} ${signedIn.me.active_workspace.id}`}>{pageFor(path)}</div>
            </AppLayout>
          )}
        </div>
      </SignedInContext.Provider>
    </SessionContext.Provider>
  );
};
