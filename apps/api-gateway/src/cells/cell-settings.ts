import { Secret, text } from '@postern/service-host/config';
import { z } from 'zod';

const secret = z
  .string()
  .min(1)
  .transform(value => new Secret(value));

const cell = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z, 0-9 and -, and begin with a letter'),
  open: z.boolean().default(false),
  natsServers: z.string().min(1),
  natsUser: z.string().optional(),
  natsPassword: secret.optional(),
  natsToken: secret.optional(),
  natsCaFile: z.string().optional(),
  natsCertFile: z.string().optional(),
  natsKeyFile: z.string().optional(),
  natsClearText: z.boolean().default(false),
  linkSecrets: z
    .array(
      z
        .string()
        .refine(value => Buffer.byteLength(value) >= 32, { error: 'needs at least 32 bytes', abort: true })
        .transform(value => new Secret(value)),
    )
    .min(1),
});

/** How the gateway reaches one cell; the fields mean what the settings of the same names mean for the only one. */
export type CellSettings = z.output<typeof cell>;

const cells = z
  .array(cell)
  .min(1, 'names no cell')
  .superRefine((all, context) => {
    const names = all.map(({ name }) => name);
    const secrets = all.flatMap(({ linkSecrets }) => linkSecrets.map(one => one.reveal()));
    if (new Set(names).size < names.length) context.addIssue('two cells have the same name');
    if (new Set(secrets).size < secrets.length)
      context.addIssue('two cells have the same link secret, so a link would not tell its cell');
    if (all.filter(({ open }) => open).length !== 1)
      context.addIssue('exactly one cell must have "open": true, which takes new users');
  });

/** A setting with a JSON list of cells. */
export const cellList = () =>
  text().transform((value, context): readonly CellSettings[] => {
    const { json, problem } = jsonOf(value);
    const parsed = cells.safeParse(json);
    if (problem === undefined && parsed.success) return parsed.data;
    const problems = problem === undefined ? (parsed.error?.issues ?? []) : [{ path: [], message: problem }];
    for (const { path, message } of problems)
      context.addIssue(path.length === 0 ? message : `${path.join('.')}: ${message}`);
    return z.NEVER;
  });

/** The error of the parser would quote the text, which contains secrets. */
const jsonOf = (value: string): { readonly json?: unknown; readonly problem?: string } => {
  try {
    return { json: JSON.parse(value) };
  } catch {
    return { problem: 'must be a JSON list of cells' };
  }
};
