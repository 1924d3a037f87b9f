import { type Language, sampleOf } from '@postern/contracts/request-samples';

export interface Example {
  /** The origin of the API, without a trailing slash. */
  readonly origin: string;
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** A program that sends one message. */
export const sendSnippet = (language: Language, { origin, key, from, to }: Example): string =>
  sampleOf(language, {
    method: 'POST',
    url: `${origin}/emails`,
    key: { header: 'Api-Key', prefix: '', value: key },
    body: JSON.stringify({ from, to: [to], subject: 'Hello', text: 'It works.' }, null, 2),
  });
