import { z } from 'zod';
import { id } from '../shapes.js';

/** The projects that a request reaches: those of the workspace, or only `project_ids` with a restricted platform key. */
export const ofCaller = z.object({ user_id: id, workspace_id: id, project_ids: z.array(id).optional() });
