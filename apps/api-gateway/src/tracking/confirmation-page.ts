import { messagePage } from '../infrastructure/http/server/message-page.js';

/**
 * Asks for confirmation, because mail scanners open links. The form posts to the URL of the page. All texts must be trusted; they are
 * not escaped.
 */
export const confirmationPage = (title: string, text: string, button: string): string =>
  messagePage(
    title,
    `${text}<form method="post"><button type="submit" style="font:inherit;padding:.4em 1em">${button}</button></form>`,
  );
