/** The options of `npm run schemathesis`; unknown options are passed to schemathesis. */
import { parseArgs } from 'node:util';

const DEFAULT_MINUTES = 8;
const DEFAULT_SEED = 7;

/** @returns the minutes, the seed, and the arguments for schemathesis. */
export const optionsOf = args => {
  const { values, tokens } = parseArgs({
    args,
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: { minutes: { type: 'string' }, seed: { type: 'string' } },
  });
  const minutes = Number(values.minutes ?? DEFAULT_MINUTES);
  const seed = Number(values.seed ?? DEFAULT_SEED);
  if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: it must be a number above 0`);
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed ${values.seed}: it must be a whole number`);
  const own = new Set(
    tokens
      .filter(({ kind, name }) => kind === 'option' && (name === 'minutes' || name === 'seed'))
      .flatMap(({ index, inlineValue }) => (inlineValue ? [index] : [index, index + 1])),
  );
  return { minutes, seed, further: args.filter((_, index) => !own.has(index)) };
};
