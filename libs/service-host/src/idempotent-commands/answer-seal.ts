import { hkdfSync } from 'node:crypto';
import type { RequestKey } from '@postern/messaging';
import { KeyRing } from '../secrets/key-ring.js';

/** Encrypts stored answers, which may contain a secret that is shown once, or personal data. */
export interface AnswerSeal {
  seal(answer: string, row: string, key: RequestKey): string;
  open(stored: string, row: string, key: RequestKey): string;
}

export const sealedByService = (keys: KeyRing): AnswerSeal => ({
  seal: (answer, row) => keys.seal(answer, row),
  open: (stored, row) => keys.open(stored, row),
});

/** For a service without encryption keys, which has no secrets: only the client's key opens the answer. */
export const sealedByRequestKey: AnswerSeal = {
  seal: (answer, row, key) => ringOf(key).seal(answer, row),
  open: (stored, row, key) => ringOf(key).open(stored, row),
};

const ringOf = ({ caller, key }: RequestKey): KeyRing =>
  new KeyRing([{ id: 'request', key: Buffer.from(hkdfSync('sha256', key, caller, 'answers of commands', 32)) }]);
