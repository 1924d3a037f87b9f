/** Resolves to the code of the refusal, or to `undefined` if the request succeeds. */
export const refusalCode = (answer: Promise<unknown>): Promise<string | undefined> =>
  answer.then(
    () => undefined,
    (error: { code?: string }) => error.code ?? String(error),
  );
