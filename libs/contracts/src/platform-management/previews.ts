import { z } from 'zod';
import { id } from '../shapes.js';

export const previews = z
  .boolean()
  .describe(
    'Whether each pull or merge request into the deployed branch gets a web service of its own, with the staging secrets, ' +
      'where there is a deploy hook. It is deleted when the request is closed. False if absent.',
  );

/** What a web service shows of its previews, of the request that it is a preview of, and of the reports to its Git host. */
export const gitHostFields = {
  previews: z.boolean().describe('Whether pull and merge requests get previews, where there is a deploy hook.'),
  preview_of: id
    .nullable()
    .describe('The web service that this one is a preview of; null for a web service that is no preview.'),
  pull_request: z.int().nullable().describe('The number of the pull or merge request of a preview.'),
  pull_request_url: z.string().nullable().describe('The page of the request; null if it is not known.'),
  commit_status_error: z
    .string()
    .nullable()
    .describe(
      'Why the Git host did not accept the last commit status or comment; null if it did, or if none was sent.',
    ),
};
