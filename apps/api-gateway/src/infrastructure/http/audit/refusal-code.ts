const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_input',
  403: 'forbidden',
  404: 'not_found',
  413: 'body_too_large',
  415: 'unsupported_media_type',
};

/** The code of a refusal of the gateway, which has only a status. */
export const codeOfStatus = (status: number): string => CODES[status] ?? `http_${status}`;
