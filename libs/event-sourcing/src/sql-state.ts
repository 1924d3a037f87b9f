/** The SQLSTATE of an error of PostgreSQL; empty for other errors, such as those of Node.js with a code like EPIPE. */
export const sqlState = (error: unknown): string => {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code) ? code : '';
};

/**
 * SQLSTATE class 40, for example a deadlock: another transaction caused a rollback and nothing was written, except
 * when the outcome is unknown (40003).
 */
export const wasRolledBack = (error: unknown): boolean => /^40(?!003)/.test(sqlState(error));
