import type { FieldHints } from '../field-hints.js';

const IMAGE = 'Use `image`.';

/** What to do instead of fields that other platforms have. */
export const WEB_SERVICE_HINTS: FieldHints = {
  unknown: {
    imageurl: IMAGE,
    dockerimage: IMAGE,
    dockerfile: 'Use `dockerfile_path`, which is relative to `root_directory`.',
    dockerbuildtarget: 'Use `docker_target`.',
    pullrequestpreviews: 'Set `previews` to true.',
    previewsenabled: 'Set `previews` to true.',
    env: 'Set variables with PUT /web-services/{web_service_id}/env/bulk.',
    envvars: 'Set variables with PUT /web-services/{web_service_id}/env/bulk.',
  },
  oneOf: [],
};
