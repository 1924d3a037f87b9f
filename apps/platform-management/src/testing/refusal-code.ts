/** Yields the refusal's code, or `undefined` when the request was granted. */
export const refusalCode = (answer: Promise<unknown>): Promise<string | undefined> =>
  answer.then(
    () => undefined,
    (error: { code?: string }) => error.code ?? String(error),
  );
