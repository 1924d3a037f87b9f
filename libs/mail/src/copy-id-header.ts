import { COPY_ID_HEADER, type ComposedMessage } from './compose.js';

/** The copy with its signed id as the first header; its body is the same object. */
export function withCopyId(message: ComposedMessage, copyId: string): ComposedMessage {
  const { shared, needsSmtpUtf8 } = message;
  return {
    headerLines: [{ name: COPY_ID_HEADER, line: `${COPY_ID_HEADER}: ${copyId}` }, ...message.headerLines],
    needsSmtpUtf8,
    ...(shared === undefined ? {} : { shared }),
    // A getter, so that the parts of a large body are joined only on demand.
    get body() {
      return message.body;
    },
  };
}
