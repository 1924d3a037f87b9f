import type { FieldHints } from '../field-hints.js';

const IMAGE = 'Use `image`.';

/** What to do instead of fields that other platforms have. */
export const WEB_SERVICE_HINTS: FieldHints = {
  unknown: {
    imageurl: IMAGE,
    dockerimage: IMAGE,
    dockerfilepath: 'The Dockerfile is at the root of the repository, or of `root_directory`.',
    pullrequestpreviews: 'Set `previews` to true.',
    previewsenabled: 'Set `previews` to true.',
    env: 'Set variables with PUT /web-services/{web_service_id}/env/bulk.',
    envvars: 'Set variables with PUT /web-services/{web_service_id}/env/bulk.',
  },
  oneOf: [],
};
