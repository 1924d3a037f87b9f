import { z } from 'zod';
import { quotaChanges, workspaceQuotas } from '../quotas.js';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';

const request = requestsOf('platform-management', ['api-gateway']);

/** For members and operators. The gateway adds the use of `email_services`, which email-send knows. */
export const getWorkspaceQuotas = request('get-workspace-quotas', {
  request: z.object({ actor_id: id, id }),
  reply: workspaceQuotas,
  refusals: { workspace_not_found: 404 },
});

/** For operators. Absent quotas are not changed; what exceeds a lower limit stays. */
export const setWorkspaceQuotas = request('set-workspace-quotas', {
  request: z.object({ actor_id: id, id, quotas: quotaChanges }),
  reply: workspaceQuotas,
  refusals: { not_an_operator: 403, workspace_not_found: 404 },
});
