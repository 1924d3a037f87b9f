import { z } from 'zod';
import { MIB } from '../http-route.js';
import { requestsOf } from '../request.js';
import { id, resourceName, timestamp } from '../shapes.js';
import { ofService } from './email-services.js';
import { emailRecord, USER_SENDING_REFUSALS } from './emails.js';
import { MAX_RECIPIENTS, MAX_SUBJECT_LENGTH, templateVariables } from './send-email-body.js';

const request = requestsOf('email-send');

const TEMPLATES = '/email-services/{service_id}/templates';
const TEMPLATE = `${TEMPLATES}/{template_id}`;
/** A version may contain a large HTML body. */
const MAX_BYTES = 3 * MIB;
const MAX_CONTENT_LENGTH = 1024 * 1024;
export const MAX_TEMPLATES = 200;
export const MAX_TEMPLATE_VERSIONS = 200;

const subject = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_SUBJECT_LENGTH)
  .describe('Subject, with `{{variables}}`.');
const html = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_CONTENT_LENGTH)
  .describe('HTML body, with `{{variables}}`.');
const text = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_CONTENT_LENGTH)
  .describe('Plain-text body, with `{{variables}}`; derived from the rendered HTML if absent.');

export const templateVersion = z.object({
  version: z.int().positive().describe('Counts from 1. Versions never change.'),
  subject: z.string(),
  html: z.string(),
  text: z.string().nullable(),
  variables: z.array(z.string()).describe('The variables that a message must give.'),
  created_at: timestamp.describe('When the version was created.'),
});
export type TemplateVersion = z.output<typeof templateVersion>;

/** A template with one of its versions. */
export const template = templateVersion.extend({
  id,
  name: z.string().describe('Unique within the email service.'),
  updated_at: timestamp,
  created_at: timestamp.describe('When the template was created.'),
});
export type Template = z.output<typeof template>;

/** A template in a list, without its content. */
export const listedTemplate = template.omit({ subject: true, html: true, text: true });
export type ListedTemplate = z.output<typeof listedTemplate>;

const ofTemplate = ofService.extend({ template_id: id });
const NOT_FOUND = { service_not_found: 404, template_not_found: 404 } as const;
const CHANGING = { invalid_template: 400, quota_reached: 409 } as const;

export const createTemplate = request('create-template', {
  request: ofService.extend({
    name: resourceName,
    subject,
    html,
    text: text.optional(),
  }),
  reply: template,
  refusals: { service_not_found: 404, ...CHANGING, template_exists: 409 },
  http: {
    operation: 'Templates.create',
    method: 'POST',
    path: TEMPLATES,
    access: 'session',
    status: 201,
    maxBodyBytes: MAX_BYTES,
    summary: 'Create a template with its first version',
  },
});

export const listTemplates = request('list-templates', {
  request: ofService,
  reply: z.array(listedTemplate),
  refusals: { service_not_found: 404 },
  http: {
    operation: 'Templates.list',
    method: 'GET',
    path: TEMPLATES,
    access: 'session',
    summary: 'List templates by name',
  },
});

export const getTemplate = request('get-template', {
  request: ofTemplate.extend({ version: z.int().min(1).optional().describe('The latest version if absent.') }),
  reply: template,
  refusals: NOT_FOUND,
  http: {
    operation: 'Templates.get',
    method: 'GET',
    path: TEMPLATE,
    access: 'session',
    summary: 'Get a template with the content of a version',
  },
});

export const updateTemplate = request('update-template', {
  request: ofTemplate.extend({
    name: resourceName.optional(),
    subject: subject.optional(),
    html: html.optional(),
    text: text.nullable().optional().describe('null: derive the text from the rendered HTML.'),
  }),
  reply: template,
  refusals: { ...NOT_FOUND, ...CHANGING, template_exists: 409 },
  http: {
    operation: 'Templates.update',
    method: 'PATCH',
    path: TEMPLATE,
    access: 'session',
    maxBodyBytes: MAX_BYTES,
    summary: 'Rename a template, or create its next version',
    description: 'A change of `subject`, `html` or `text` creates the next version. What is absent stays as it is.',
  },
});

export const deleteTemplate = request('delete-template', {
  request: ofTemplate,
  reply: z.object({ id, deleted: z.literal(true) }),
  refusals: NOT_FOUND,
  http: {
    operation: 'Templates.remove',
    method: 'DELETE',
    path: TEMPLATE,
    access: 'session',
    role: 'member',
    summary: 'Delete a template with all versions; messages that name it are refused from then on',
  },
});

export const listTemplateVersions = request('list-template-versions', {
  request: ofTemplate,
  reply: z.array(templateVersion.omit({ html: true, text: true })),
  refusals: NOT_FOUND,
  http: {
    operation: 'Templates.listVersions',
    method: 'GET',
    path: `${TEMPLATE}/versions`,
    access: 'session',
    summary: 'List the versions of a template, the latest first',
  },
});

const rendering = ofTemplate.extend({
  version: z.int().min(1).optional().describe('The latest version if absent.'),
  variables: templateVariables.default({}),
});

export const templatePreview = z.object({
  version: z.int().positive(),
  subject: z.string(),
  html: z.string(),
  text: z.string().describe('As given, or derived from the HTML.'),
});
export type TemplatePreview = z.output<typeof templatePreview>;

export const previewTemplate = request('preview-template', {
  request: rendering,
  reply: templatePreview,
  refusals: { ...NOT_FOUND, invalid_email: 400 },
  http: {
    operation: 'Templates.preview',
    method: 'POST',
    path: `${TEMPLATE}/preview`,
    access: 'session',
    role: 'viewer',
    maxBodyBytes: MAX_BYTES,
    summary: 'Render a template without sending it',
  },
});

export const sendTestOfTemplate = request('send-test-of-template', {
  request: rendering.extend({
    from: z.string().describe('As in `POST /emails`.'),
    to: z.array(z.string()).min(1).max(MAX_RECIPIENTS),
  }),
  reply: emailRecord,
  refusals: { ...NOT_FOUND, ...USER_SENDING_REFUSALS },
  deadlineMs: 30_000,
  http: {
    operation: 'Templates.sendTest',
    method: 'POST',
    path: `${TEMPLATE}/test`,
    access: 'session',
    maxBodyBytes: MAX_BYTES,
    summary: 'Send a message with a template, by the rules of POST /emails',
  },
});
