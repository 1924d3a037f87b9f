import type { Me } from '@postern/contracts';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

export interface SignedIn {
  readonly me: Me;
  /** Loads the signed-in user again, for example after a change of workspace. */
  readonly reload: () => void;
  readonly signOut: () => Promise<void>;
}

export const SignedInContext = createContext<SignedIn | undefined>(undefined);

/** Whether the session has expired, and the number of logins since the page was opened. */
export const SessionContext = createContext({ expired: false, logins: 0 });

/** Returns the signed-in user; only for pages, which are shown after login. */
export const useSignedIn = (): SignedIn => {
  const signedIn = useContext(SignedInContext);
  if (!signedIn) throw new Error('useSignedIn was called outside of SignedInContext.');
  return signedIn;
};
