import { CompositionError } from './composition-error.js';
import type { HeaderLine } from './header-text.js';

/** How to unsubscribe (RFC 2369, RFC 8058); at least one of `url`, `mailto` and `hosted`. */
export interface ListUnsubscribe {
  readonly url?: string;
  readonly mailto?: string;
  /** Needs an https URL. */
  readonly oneClick: boolean;
  /** Each copy has a URL of Postern, see `withUnsubscribeUrl`. */
  readonly hosted?: boolean;
}

const UNSUBSCRIBE_URL = /^https?:\/\/[\x21-\x3b\x3d\x3f-\x7e]{1,900}$/;

/** For mail with a single URL. */
export const unsubscribeFromUrl = (url: string | undefined): ListUnsubscribe | undefined =>
  url === undefined ? undefined : { url, oneClick: url.startsWith('https:') };

/** The header fields; none for a hosted page, whose URL each copy has. */
export function unsubscribeHeaders(how: ListUnsubscribe | undefined): HeaderLine[] {
  if (how === undefined || (how.hosted && how.url === undefined)) return [];
  const { url, mailto, oneClick } = how;
  if (url !== undefined && !UNSUBSCRIBE_URL.test(url)) throw new CompositionError('the unsubscribe URL is malformed');
  const places = [url, mailto && `mailto:${encodeURI(mailto)}`].filter(place => place !== undefined && place !== '');
  const name = 'List-Unsubscribe';
  const where = { name, line: `${name}:\r\n ${places.map(place => `<${place}>`).join(',\r\n ')}` };
  if (!oneClick) return [where];
  return [where, { name: `${name}-Post`, line: `${name}-Post: ${name}=One-Click` }];
}
