import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Me } from './api-shapes.js';

export interface SignedIn {
  readonly me: Me;
  /** Asks again who is signed in, for example after a change of workspace. */
  readonly reload: () => void;
  readonly signOut: () => Promise<void>;
}

export const SignedInContext = createContext<SignedIn | undefined>(undefined);

/** Who is signed in; only for pages, which nobody sees before. */
export const useSignedIn = (): SignedIn => {
  const signedIn = useContext(SignedInContext);
  if (!signedIn) throw new Error('A page is shown although nobody is signed in.');
  return signedIn;
};
