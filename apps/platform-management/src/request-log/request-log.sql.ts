import { insertRequests, listRequests } from '@postern/service-host';

export const INSERT_REQUESTS = insertRequests({ keys: 'platform_keys', owner: 'workspace_id' });
export const LIST_REQUESTS = listRequests('workspace_id');

/** Whether a key belongs to a workspace. */
export const FIND_KEY = 'SELECT 1 FROM platform_keys WHERE id = $1 AND workspace_id = $2';
