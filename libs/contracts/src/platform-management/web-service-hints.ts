import type { FieldHints } from '../field-hints.js';

const NO_IMAGES =
  'Images of a registry are not run as they are. Deploy a repository with a Dockerfile that begins with FROM and the image.';
/** What to do instead of fields that other platforms have. */
export const WEB_SERVICE_HINTS: FieldHints = {
  unknown: {
    image: NO_IMAGES,
    imageurl: NO_IMAGES,
    dockerimage: NO_IMAGES,
    dockerfilepath: 'The Dockerfile is at the root of the repository, or of `root_directory`.',
    pullrequestpreviews: 'Set `previews` to true.',
    previewsenabled: 'Set `previews` to true.',
    env: 'Set variables with PUT /web-services/{web_service_id}/env/bulk.',
    envvars: 'Set variables with PUT /web-services/{web_service_id}/env/bulk.',
  },
  oneOf: [],
};
