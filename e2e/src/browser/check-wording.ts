/// <reference lib="dom" />
import type { Page } from 'puppeteer-core';

/** Button labels that start with a synonym of a dashboard term; its README lists the terms. */
const OTHER_WORDS = [
  '^(New|Make|Submit|OK|Yes|Update|Modify|Lift|Drop|Destroy|Erase|Discard)\\b',
  '^Remove\\b(?! from list$| member$|$)',
  '^Add (key|webhook|project|database|service|user|cron job)\\b',
  '\\bnow$',
];

/** Violations of the dashboard's wording rules: an empty list without a next step, a time without its zone, synonyms. */
export const checkWording = (page: Page): Promise<readonly { rule: string; targets: string[] }[]> =>
  page.evaluate(sources => {
    const otherWords = sources.map(source => new RegExp(source));
    const textOf = (element: Element): string => element.textContent?.trim() ?? '';
    const all = (selector: string): Element[] => [...document.querySelectorAll(selector)];
    const empty = all('main .empty').filter(each => /^No [^.]* yet\.$/.test(textOf(each)) && !each.querySelector('a'));
    const zoneless = all('main time').filter(
      each => !/ (UTC|GMT|[A-Z]{3,5})([+-]\d+)?$/.test(each.getAttribute('title') ?? ''),
    );
    const bare = all('main :not(time, pre, code, option)').filter(each =>
      [...each.childNodes].some(
        node =>
          node.nodeType === Node.TEXT_NODE && /\d{4}, \d\d:\d\d(:\d\d)?(?!:?\d| [A-Z]{3})/.test(node.textContent ?? ''),
      ),
    );
    const synonyms = all('main button, dialog button').filter(each => otherWords.some(word => word.test(textOf(each))));
    const found = [
      { rule: 'empty list without a next step', elements: empty },
      { rule: 'time without its zone', elements: [...zoneless, ...bare] },
      { rule: 'another word for an action', elements: synonyms },
    ];
    return found
      .filter(({ elements }) => elements.length > 0)
      .map(({ rule, elements }) => ({ rule, targets: elements.slice(0, 5).map(each => each.outerHTML.slice(0, 160)) }));
  }, OTHER_WORDS);
