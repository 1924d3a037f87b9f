import type { Problem } from '@postern/contracts';

export interface DatabaseRow {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly status_reason: string | null;
  readonly read_only_reason: string | null;
  readonly occurred_at: Date | null;
}

export const databaseProblem = (row: DatabaseRow): Problem => ({
  ...stateOf(row),
  page: `/databases/${row.id}`,
  resource: { type: 'database', id: row.id, name: row.name },
});

const stateOf = (row: DatabaseRow): Pick<Problem, 'kind' | 'severity' | 'message' | 'fix' | 'since'> => {
  if (row.status === 'unavailable' || row.status === 'failed') {
    const reason = row.status_reason === null ? '' : `: ${row.status_reason.split('\n', 1)[0]}`;
    const isCreated = row.status === 'unavailable';
    return {
      kind: 'database_unavailable',
      severity: 'error',
      message: `The database “${row.name}” ${isCreated ? 'does not respond' : 'could not be created'}${reason}.`,
      fix: isCreated
        ? 'It is restarted by itself. If it stays away, ask the operator.'
        : 'Delete it and create it again, or ask the operator.',
      since: null,
    };
  }
  const since = row.occurred_at?.toISOString() ?? null;
  if (row.read_only_reason !== null)
    return {
      kind: 'database_read_only',
      severity: 'error',
      message: `The database “${row.name}” is read-only, because its storage is full.`,
      fix: 'Delete data, or move them to a database with a larger plan.',
      since,
    };
  return {
    kind: 'database_nearly_full',
    severity: 'warning',
    message: `The database “${row.name}” uses more than 90 % of its storage; when it is full, it becomes read-only.`,
    fix: 'Delete data, or move them to a database with a larger plan.',
    since,
  };
};
