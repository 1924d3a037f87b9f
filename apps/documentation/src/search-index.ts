import type { Page } from './navigation.js';
import { urlOf } from './page-template.js';

/** What the search finds: a page, or one section of it. */
export interface SearchEntry {
  readonly id: number;
  readonly url: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

const ENTITY: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const textOf = (html: string): string =>
  html
    .replace(/<a class="anchor".*?<\/a>/g, '')
    .replace(/<button.*?<\/button>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITY[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** One entry per section of the page, so that a result leads to the place itself. */
export const entriesOf = (page: Page, html: string): readonly Omit<SearchEntry, 'id'>[] =>
  html.split(/(?=<h[23] id=)/).map(section => {
    const [, id, heading] = /^<h[23] id="([^"]+)">(.*?) <a class="anchor"/.exec(section) ?? [];
    return {
      url: id ? `${urlOf(page)}#${id}` : urlOf(page),
      page: page.title,
      heading: heading ? textOf(heading) : '',
      text: textOf(section.replace(/^<h[1-3][\s\S]*?<\/h[1-3]>/, '')),
    };
  });
