import { MAX_EMAIL_BYTES } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { sizeOf } from '../infrastructure/http/admission/body-reader.js';
import { Problem } from '../infrastructure/http/errors/problem.js';
import { ReceivedBody, readJson } from '../infrastructure/http/validation/received-body.js';

/** @throws 413 if a message of so many bytes is too large without the content of its attachments. It need not be valid. */
export const assertEmailSize = (bytes: number, message: unknown): void => {
  if (bytes <= MAX_EMAIL_BYTES) return;
  const attachments = fieldOf(message, 'attachments');
  const contents = Array.isArray(attachments) ? attachments.map(attachment => fieldOf(attachment, 'content')) : [];
  const files = contents.reduce<number>((sum, content) => sum + (typeof content === 'string' ? content.length : 0), 0);
  if (bytes - files <= MAX_EMAIL_BYTES) return;
  const whole = files > 0 ? 'The message without its attachments' : 'The message';
  throw new Problem(413, `${whole} is larger than ${sizeOf(MAX_EMAIL_BYTES)}.`);
};

/**
 * Reads the JSON body of a request with a message. What is too large is refused before anything else that is wrong with it.
 * @param messageOf the message in the body.
 */
export const readSizedJson = ({ body }: FastifyRequest, messageOf: (value: unknown) => unknown): unknown => {
  const bytes = body instanceof ReceivedBody ? body.bytes.length : 0;
  let value: unknown;
  try {
    value = readJson(body);
  } catch (error) {
    assertEmailSize(bytes, undefined);
    throw error;
  }
  assertEmailSize(bytes, messageOf(value));
  return value;
};

export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
