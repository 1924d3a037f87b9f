import type { ApiAnswer } from './world.js';

/** A call that is wrong, and how it is answered. */
export type Mistake = readonly [
  what: string,
  call: () => Promise<ApiAnswer>,
  status: number,
  code: string,
  message: string,
];

/** A body has exactly one field, so the code is only in the header. */
export const answerOf = async (call: () => Promise<ApiAnswer>) => {
  const { status, headers, body } = await call();
  return [status, headers.get('error-code'), body];
};
