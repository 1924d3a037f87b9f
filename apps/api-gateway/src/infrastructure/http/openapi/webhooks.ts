import { WEBHOOK_EVENT_EXAMPLES, WEBHOOK_EVENTS } from '@postern/contracts';
import type { AnswerSchemas } from './schemas.js';

const HEADERS = [
  {
    name: 'X-Service-Timestamp',
    description: 'Unix time in seconds. Reject the call if it differs from your clock by more than 5 minutes.',
    schema: { type: 'integer' },
    example: 1893553445,
  },
  {
    name: 'X-Service-Signature',
    description:
      'Lowercase hex of HMAC-SHA256 with the signing secret of the webhook, over `<X-Service-Timestamp>.<body>`. ' +
      'Compute it over the raw bytes of the body, and compare in constant time.',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    example: '2f7f0d1a6a3c1f5a9a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b',
  },
].map(header => ({ ...header, in: 'header', required: true }));

const DESCRIPTION =
  'Each event is delivered at least once; `email_id`, `event` and `timestamp` identify a duplicate. Verify the ' +
  'signature before you use the body. Calls that are not answered within 10 seconds, or are answered with 3xx or 5xx, ' +
  'are repeated with increasing delays for about 24 hours.';

const RESPONSES = {
  '2XX': { description: 'The event is accepted. The body of the response is ignored.' },
  '3XX': { description: 'The event is not accepted, and no redirect is followed. It is sent again later.' },
  '4XX': { description: 'The event is refused, for example with 401 for a wrong signature. It is not sent again.' },
  '5XX': { description: 'The event could not be processed. It is sent again later.' },
};

/** The webhook calls of Postern, for the section `webhooks` of a document. */
export const webhookCalls = (answers: AnswerSchemas, references: Set<string>): Record<string, object> =>
  Object.fromEntries(
    Object.entries(WEBHOOK_EVENTS).map(([kind, schema]) => {
      const reference = answers.reference(schema, `${kind}Event`);
      references.add(reference.$ref);
      const example = WEBHOOK_EVENT_EXAMPLES[kind as keyof typeof WEBHOOK_EVENTS];
      const post = {
        operationId: `receive${kind.charAt(0).toUpperCase()}${kind.slice(1)}Event`,
        tags: ['Webhooks'],
        summary: schema.description ?? kind,
        description: DESCRIPTION,
        security: [],
        parameters: HEADERS,
        requestBody: { required: true, content: { 'application/json': { schema: reference, example } } },
        responses: RESPONSES,
      };
      return [kind, { post }];
    }),
  );
