import { z } from 'zod';
import { fieldHints } from '../field-hints.js';
import { MIB } from '../http-route.js';
import { isJsonObject } from '../json-object.js';

/** The largest body of POST /emails, without the content of its attachments. */
export const MAX_EMAIL_BYTES = 10 * MIB;
/** The largest body of a request with messages: 25 MiB of attachments are 34 MiB in base64. */
export const MAX_EMAIL_REQUEST_BYTES = 36 * MIB;
export const MAX_RECIPIENTS = 50;
export const MAX_SUBJECT_LENGTH = 998;
export const MAX_EXTRA_HEADERS = 50;
export const MAX_HEADER_VALUE_LENGTH = 998;

export const MAX_ATTACHMENTS = 50;
export const MAX_TAGS = 20;
export const MAX_TAG_VALUE_LENGTH = 256;
export const TAG_NAME = /^[a-z][a-z0-9_]{0,39}$/;

const addresses = z.array(z.string());

/** A file of a message. email-send checks its name, type and content. */
export const emailAttachment = z.strictObject({
  filename: z.string().describe('Name of the file. Path separators and control characters are replaced.'),
  content: z.string().describe('The file in base64.'),
  content_type: z
    .string()
    .optional()
    .describe('Media type, such as `application/pdf`. Without it, the ending of the name determines the type.'),
  content_id: z
    .string()
    .optional()
    .describe('Id of an inline image, which the HTML body shows with `<img src="cid:…">`.'),
});

/** The values of a template's variables: text, numbers, true or false, objects, and lists of these. */
export const templateVariables = z.record(z.string(), z.unknown());

/** The stored template of a message. email-send finds and renders it. */
export const emailTemplate = z.strictObject({
  id: z.uuid().optional().describe('Id of the template. Give it or `name`.'),
  name: z.string().optional().describe('Name of the template.'),
  version: z.int().min(1).optional().describe('The latest version if absent.'),
  variables: templateVariables
    .default({})
    .describe('The values of all variables of the template; a missing or unknown variable is an error.'),
});

const emailFields = z.strictObject({
  from: z
    .string()
    .describe(
      'Sender: `ada@example.com` or `Ada <ada@example.com>`. In production, its domain must be verified for the email ' +
        'service; otherwise the message is sent from the sandbox sender.',
    ),
  to: addresses.describe('Recipients. `to`, `cc` and `bcc` together have at most 50 addresses.'),
  cc: addresses.default([]).describe('CC recipients, visible to all recipients.'),
  bcc: addresses.default([]).describe('BCC recipients, hidden from all other recipients.'),
  reply_to: addresses.optional().describe('Addresses in the Reply-To header, which receive replies.'),
  subject: z
    .string()
    .optional()
    .describe('Plain text without line breaks, at most 998 characters. Required without `template`.'),
  message: z.string().optional().describe('HTML body. The text part is derived from it if `text` is absent.'),
  text: z.string().optional().describe('Plain-text body. Required if `message` is absent.'),
  template: emailTemplate.optional().describe('A stored template instead of `subject`, `message` and `text`.'),
  headers: z
    .record(z.string(), z.string())
    .default({})
    .describe('Extra headers. Names start with `X-`; values have at most 998 characters. At most 50 headers.'),
  attachments: z.array(emailAttachment).optional().describe('Files, at most 50 with 25 MiB in all.'),
  tags: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'Your own data about the message, such as `{"campaign": "spring"}`: in webhooks and in the search, never in the ' +
        'message. At most 20; names match `[a-z][a-z0-9_]{0,39}`, values have at most 256 characters.',
    ),
  in_reply_to: z.string().optional().describe('Message-ID of the message that this one answers.'),
  references: z
    .array(z.string())
    .optional()
    .describe('Message-IDs of the earlier messages of the conversation, the oldest first. At most 100.'),
  list_unsubscribe: z
    .strictObject({
      url: z.string().optional().describe('Page to unsubscribe, http or https.'),
      mailto: z.string().optional().describe('Address at which a mail unsubscribes its author.'),
      one_click: z
        .boolean()
        .optional()
        .describe(
          'Mail programs may unsubscribe with a POST request to `url` (RFC 8058), which must be https. Without `url`, it is ' +
            'a page of Postern, which suppresses the address for such messages of the email service.',
        ),
    })
    .optional()
    .describe(
      'How to unsubscribe, for the button of mail programs (List-Unsubscribe). Needs `url`, `mailto` or `one_click`.',
    ),
  tracking: z
    .strictObject({
      opens: z.boolean().optional().describe('Instead of the setting of the email service.'),
      clicks: z.boolean().optional().describe('Instead of the setting of the email service.'),
    })
    .optional()
    .describe('Open and click tracking of this message. A link with `data-postern-track="off"` is never tracked.'),
});

/** The shape of the body of POST /emails. email-send checks addresses, headers, templates and limits. */
export const sendEmailBody = emailFields.refine(
  ({ subject, template }) => subject !== undefined || template !== undefined,
  {
    path: ['subject'],
    error: 'is required',
    // Also when another field is invalid, so that one answer names all of them.
    when: ({ value }) => isJsonObject(value),
  },
);

const HTML_FIELD = 'The HTML body is the field "message".';
const TEXT_FIELD = 'The plain-text body is the field "text".';
const NO_SCHEDULE = 'To send a message later, use POST /scheduled-emails.';

fieldHints.add(sendEmailBody, {
  oneOf: ['message', 'text', 'template'],
  unknown: {
    html: HTML_FIELD,
    htmlbody: HTML_FIELD,
    body: `${HTML_FIELD} ${TEXT_FIELD}`,
    content: `${HTML_FIELD} ${TEXT_FIELD}`,
    react: 'Render the component to HTML and send it in the field "message".',
    plain: TEXT_FIELD,
    textbody: TEXT_FIELD,
    sender: 'The sender is the field "from".',
    recipients: 'Recipients are in the fields "to", "cc" and "bcc".',
    attachment: 'Files are in the field "attachments".',
    inreplyto: 'The field is "in_reply_to".',
    listunsubscribe: 'The field is "list_unsubscribe".',
    tag: 'Your own data is in the object "tags".',
    metadata: 'Your own data is in the object "tags".',
    scheduledat: NO_SCHEDULE,
    sendat: NO_SCHEDULE,
  },
});
const WITHOUT_LINE_BREAKS = /^[^\r\n]*$/;
const documentedAddresses = addresses.max(MAX_RECIPIENTS);
const { to, cc, bcc, headers, tags, message, text, template } = emailFields.shape;

/** With the limits that email-send checks, for clients that validate before they send. */
const documentedBody = emailFields.omit({ message: true, text: true, template: true }).extend({
  to: documentedAddresses.min(1).describe(to.description ?? ''),
  cc: documentedAddresses.default([]).describe(cc.description ?? ''),
  bcc: documentedAddresses.default([]).describe(bcc.description ?? ''),
  subject: z
    .string()
    .max(MAX_SUBJECT_LENGTH)
    .regex(WITHOUT_LINE_BREAKS)
    .describe('Plain text without line breaks, at most 998 characters.'),
  headers: z
    .record(
      z.string().regex(/^[Xx]-[A-Za-z0-9-]{1,70}$/),
      z.string().max(MAX_HEADER_VALUE_LENGTH).regex(WITHOUT_LINE_BREAKS),
    )
    .default({})
    .meta({ maxProperties: MAX_EXTRA_HEADERS })
    .describe(headers.description ?? ''),
  tags: z
    .record(z.string().regex(TAG_NAME), z.string().max(MAX_TAG_VALUE_LENGTH))
    .meta({ maxProperties: MAX_TAGS })
    .optional()
    .describe(tags.description ?? ''),
});

/**
 * The body of POST /emails in the documentation: with `message` and perhaps `text`, with `text` alone, or with a template.
 * Every body fits exactly one of them. Titles name generated types.
 */
export const sendEmailDocumentation = z
  .xor([
    documentedBody
      .extend({ message: z.string().describe(message.description ?? ''), text })
      .meta({ title: 'HtmlEmail' }),
    documentedBody.extend({ text: z.string().describe(text.description ?? '') }).meta({ title: 'TextEmail' }),
    documentedBody
      .omit({ subject: true })
      .extend({ template: emailTemplate.describe(template.description ?? '') })
      .meta({ title: 'TemplateEmail' }),
  ])
  .describe('A message with an HTML body, a plain-text body, both, or a stored template.');
