import type { KeyRing } from '../secrets/key-ring.js';

/** Encrypts stored answers, which may contain a secret that is shown once. */
export interface AnswerSeal {
  seal(answer: string, row: string): string;
  open(stored: string, row: string): string;
}

export const sealedAnswers = (keys: KeyRing): AnswerSeal => ({
  seal: (answer, row) => keys.seal(answer, row),
  open: (stored, row) => keys.open(stored, row),
});

/** For a service without encryption keys, which has no secrets. */
export const plainAnswers: AnswerSeal = { seal: answer => answer, open: stored => stored };
