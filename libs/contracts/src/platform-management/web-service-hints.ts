import type { FieldHints } from '../field-hints.js';

const IMAGE = 'Use `image`.';
const NO_PREVIEWS = 'Pull requests do not get web services of their own. Create one with the branch of the request.';
/** What to do instead of fields that other platforms have. */
export const WEB_SERVICE_HINTS: FieldHints = {
  unknown: {
    imageurl: IMAGE,
    dockerimage: IMAGE,
    dockerfilepath: 'The Dockerfile is at the root of the repository, or of `root_directory`.',
    previews: NO_PREVIEWS,
    pullrequestpreviews: NO_PREVIEWS,
    env: 'Set variables with PUT /web-services/{web_service_id}/env/bulk.',
    envvars: 'Set variables with PUT /web-services/{web_service_id}/env/bulk.',
  },
  oneOf: [],
};
