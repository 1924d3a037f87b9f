import { messagePage } from '../infrastructure/http/server/message-page.js';

/** For a link with a token that Postern did not sign. */
export const INVALID_LINK_PAGE = messagePage(
  'This link is not valid',
  'It may be incomplete or changed. Open the original email and try again.',
);
