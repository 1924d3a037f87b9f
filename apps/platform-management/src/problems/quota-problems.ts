import { limitOf, NEARLY_REACHED, type Problem, QUOTAS, type QuotaName, type QuotaOverrides } from '@postern/contracts';

/** The quotas of a workspace that are used to 90 %. */
export const quotaProblems = (
  workspaceId: string,
  overrides: QuotaOverrides,
  used: Readonly<Partial<Record<QuotaName, number>>>,
): Problem[] =>
  (Object.entries(used) as [QuotaName, number][]).flatMap(([name, count]) => {
    const limit = limitOf(name, overrides);
    if (limit === 0 || count < limit * NEARLY_REACHED) return [];
    return [
      {
        kind: 'quota_nearly_reached',
        severity: count >= limit ? 'error' : 'warning',
        message: `The workspace uses ${count} of ${limit} ${QUOTAS[name].noun}${count >= limit ? '; more are refused' : ''}.`,
        fix: 'Delete what is not used, or ask the operator for a higher quota.',
        page: '/workspace',
        resource: { type: 'workspace', id: workspaceId, name },
        since: null,
      } satisfies Problem,
    ];
  });
