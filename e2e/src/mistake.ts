import type { ApiAnswer } from './world.js';

/** An invalid call and its expected response. */
export type Mistake = readonly [
  what: string,
  call: () => Promise<ApiAnswer>,
  status: number,
  code: string,
  message: string,
];

/** The body has exactly one field, so the code is only in the header. */
export const answerOf = async (call: () => Promise<ApiAnswer>) => {
  const { status, headers, body } = await call();
  return [status, headers.get('error-code'), body];
};
