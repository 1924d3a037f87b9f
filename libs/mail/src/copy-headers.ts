import type { ComposedMessage } from './compose.js';
import { COPY_ID_HEADER } from './copy-id-header.js';
import type { HeaderLine } from './header-text.js';
import { type ListUnsubscribe, unsubscribeHeaders } from './list-unsubscribe.js';

/**
 * The copy with its signed id as the first header; its body is the same object. `alsoIn`: headers whose values a provider
 * repeats in its events.
 */
export function withCopyId(message: ComposedMessage, copyId: string, alsoIn: readonly string[] = []): ComposedMessage {
  return withHeaders(
    message,
    [COPY_ID_HEADER, ...alsoIn].map(name => ({ name, line: `${name}: ${copyId}` })),
  );
}

/** The copy with its own URL to unsubscribe with one click. */
export function withUnsubscribeUrl(message: ComposedMessage, how: ListUnsubscribe, url: string): ComposedMessage {
  return withHeaders(message, unsubscribeHeaders({ ...how, url, oneClick: true }));
}

function withHeaders(message: ComposedMessage, lines: readonly HeaderLine[]): ComposedMessage {
  const { shared, needsSmtpUtf8 } = message;
  return {
    headerLines: [...lines, ...message.headerLines],
    needsSmtpUtf8,
    ...(shared === undefined ? {} : { shared }),
    // A getter, so that the parts of a large body are joined only on demand.
    get body() {
      return message.body;
    },
  };
}
