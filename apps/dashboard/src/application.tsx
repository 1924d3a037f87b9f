import { useEffect, useMemo, useState } from 'preact/hooks';
import { api } from './api-client.js';
import type { Me } from './api-shapes.js';
import { useLoading } from './loading.js';
import { LoginPage } from './pages/login-page.js';
import { Frame } from './parts/frame.js';
import { Loaded } from './parts/loaded.js';
import { usePath } from './router.js';
import { pageAt } from './routes.js';
import { SignedInContext } from './session.js';

/** Who is not signed in gets the login in place of any page, and afterwards the page that was asked for. */
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
    const enter = () => {
      setSignedOut(false);
      me.reload();
    };
    return <LoginPage onSignedIn={enter} />;
  }
  if (!signedIn)
    return (
      <main class="alone">
        <Loaded of={me}>{() => null}</Loaded>
      </main>
    );
  return (
    <SignedInContext.Provider value={signedIn}>
      <Frame path={path}>
        {/* Another workspace is another world: every page in it starts anew. */}
        <div key={signedIn.me.active_workspace.id}>{pageAt(path)}</div>
      </Frame>
    </SignedInContext.Provider>
  );
};
