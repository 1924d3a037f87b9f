import { z } from 'zod';
import { csvLine } from '../csv.js';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';
import { listEmails, type TrackedEmail, trackedEmail } from './requests.js';

const request = requestsOf('delivery-tracking', ['api-gateway']);

const { limit: _limit, offset: _offset, ...filter } = listEmails.request.shape;

/** At most 500 messages, newest first, before the position `after`. The gateway returns them as CSV. */
export const exportEmails = request('export-emails', {
  request: z.object({
    ...filter,
    service_id: id,
    after: z.string().max(100).nullable().describe('The position of the last message of the step before.'),
  }),
  reply: z.object({
    emails: z.array(trackedEmail),
    after: z.string().nullable().describe('Null after the last message.'),
  }),
  refusals: { invalid_input: 400 },
});

/** One line for each recipient of a message. */
export const emailExportHead = (): string =>
  csvLine([
    'email_id',
    'accepted_at',
    'mode',
    'from',
    'subject',
    'to',
    'role',
    'state',
    'reason',
    'opened_at',
    'clicked_at',
    'tags',
    'message_id',
  ]);

export const emailExportLines = (emails: readonly TrackedEmail[]): string =>
  emails
    .flatMap(({ id: emailId, accepted_at, mode, from, subject, recipients, tags, message_id = null }) =>
      recipients.map(({ address, role, state, reason, opened_at, clicked_at }) =>
        csvLine([
          emailId,
          accepted_at,
          mode,
          from,
          subject,
          address,
          role,
          state,
          reason,
          opened_at,
          clicked_at,
          tags === undefined ? null : JSON.stringify(tags),
          message_id,
        ]),
      ),
    )
    .join('');
