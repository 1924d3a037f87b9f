import { z } from 'zod';
import { id } from '../shapes.js';

/**
 * Whose projects a request reaches: those of the workspace, or only `project_ids` with a restricted platform key.
 * Gateways of the release before send only the user, who then reaches their own.
 */
export const ofCaller = z.object({
  user_id: id,
  workspace_id: id.optional(),
  project_ids: z.array(id).optional(),
});
