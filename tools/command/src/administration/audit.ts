import {
  AUDIT_EXPORT_FORMATS,
  type AuditEntry,
  auditExportHead,
  auditExportLines,
  auditLogFilter,
  exportAuditLog,
  listAuditLog,
  NAME_RESOURCES,
  unnamedResourcesOf,
  withResourceNames,
} from '@postern/contracts';
import { UsageError } from '../errors.js';
import { table } from '../output/table.js';
import type { Operator } from './operator.js';

interface AuditOptions {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly limit?: string | undefined;
  readonly format?: string | undefined;
}

/** `audit list`: the newest entries of all workspaces, with the names of actors and resources. */
export const listAudit = async ({ requests, print }: Operator, options: AuditOptions): Promise<boolean> => {
  const limit = Number(options.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw new UsageError('--limit requires a number up to 100');
  const { items, total } = await requests.request(listAuditLog, { ...filterOf(options), limit });
  print(
    items.length === 0
      ? 'No entries.'
      : table(
          ['TIME', 'ACTOR', 'ACTION', 'RESOURCE', 'OUTCOME', 'NETWORK', 'REQUEST'],
          (await named(requests, items)).map(rowOf),
        ),
  );
  if (total > items.length) print(`${items.length} of ${total} entries. \`postern audit export\` prints all.`);
  return true;
};

/** `audit export`: all entries, newest first. */
export const exportAudit = async ({ requests, print }: Operator, options: AuditOptions): Promise<boolean> => {
  const format = AUDIT_EXPORT_FORMATS.find(known => known === (options.format ?? 'csv'));
  if (!format) throw new UsageError(`--format requires ${AUDIT_EXPORT_FORMATS.join(' or ')}`);
  const filter = filterOf(options);
  const head = auditExportHead(format);
  if (head) print(head.trimEnd());
  let cursor: string | null = null;
  do {
    const step: Awaited<ReturnType<typeof stepFrom>> = await stepFrom({ requests }, { ...filter, cursor });
    if (step.entries.length > 0) print(auditExportLines(format, await named(requests, step.entries)).trimEnd());
    cursor = step.cursor;
  } while (cursor !== null);
  return true;
};

/** Entries with the names of resources of other services; those of a service that does not respond have none. */
const named = async (requests: Operator['requests'], entries: readonly AuditEntry[]): Promise<AuditEntry[]> => {
  const ids = unnamedResourcesOf(entries);
  if (ids.length === 0) return [...entries];
  const replies = NAME_RESOURCES.map(contract => requests.request(contract, { ids }).catch(() => ({ resources: [] })));
  return withResourceNames(entries, await Promise.all(replies));
};

const stepFrom = (
  { requests }: Pick<Operator, 'requests'>,
  request: Parameters<typeof requests.request<typeof exportAuditLog>>[1],
) => requests.request(exportAuditLog, request);

const filterOf = ({ from, to, actor, action }: AuditOptions) => {
  const given = Object.fromEntries(
    Object.entries({ from: timeOf('from', from), to: timeOf('to', to), actor, action }).filter(([, value]) => value),
  );
  const filter = auditLogFilter.safeParse(given);
  if (!filter.success)
    throw new UsageError(filter.error.issues.map(({ path, message }) => `--${path}: ${message}`).join('; '));
  return filter.data;
};

const timeOf = (option: string, text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`--${option} requires a time, such as 2030-01-31 or 2030-01-31T12:00Z`);
  return time.toISOString();
};

/** `user:ada@example.com`; the id where the name is not known. */
const described = ({ type, id, name }: AuditEntry['resource']): string =>
  id === null ? type : `${type}:${name ?? id}`;

const rowOf = ({ at, actor, action, resource, outcome, code, client, request_id, times }: AuditEntry) => [
  at,
  described(actor),
  action,
  described(resource),
  `${code === null ? outcome : `${outcome} (${code})`}${times > 1 ? ` ×${times}` : ''}`,
  client.network ?? '-',
  request_id,
];
