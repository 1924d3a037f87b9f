import { insertRequests, listRequests } from '@postern/service-host';

export const INSERT_REQUESTS = insertRequests({ keys: 'api_keys', owner: 'service_id' });
export const LIST_REQUESTS = listRequests('service_id');
