/// <reference lib="dom" />
import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { checkKeyboard } from './check-keyboard.js';
import { checkOpened } from './check-opened.js';
import { checkWording } from './check-wording.js';
import { openPage } from './page-actions.js';

export const WIDTHS = [390, 768, 1440] as const;
export const THEMES = ['light', 'dark'] as const;
/** Further widths at which a page must not scroll horizontally: that of WCAG 1.4.10, a phone, and a small laptop. */
const OTHER_WIDTHS = [320, 640, 1024] as const;

/** A violation on a page, with its location. */
export interface Finding {
  readonly path: string;
  readonly width: number;
  readonly theme: string;
  readonly rule: string;
  readonly targets: readonly string[];
}

interface Violation {
  readonly rule: string;
  readonly targets: readonly string[];
}

const WIDEST = 1440;
const HEIGHT = 900;
/** Duration of the CSS transitions of colors and positions. */
const TRANSITION_MS = 300;
const LOADED_WITHIN_MS = 120_000;
/** The number of elements above which it is printed, because axe needs minutes. */
const MANY_ELEMENTS = 5_000;

/** Opens a page once and checks it at every width and theme. */
export async function checkPage(page: Page, url: string, path: string): Promise<readonly Finding[]> {
  const failures: string[] = [];
  const onError = (error: unknown) => failures.push(error instanceof Error ? error.message : String(error));
  page.on('pageerror', onError);
  await openPage(page, url);
  await untilLoaded(page);
  await openDetails(page);
  await page.evaluate(axe.source);
  const findings: Finding[] = [];
  for (const theme of THEMES) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    for (const width of WIDTHS) {
      await page.setViewport({ width, height: HEIGHT });
      await new Promise(resolve => setTimeout(resolve, TRANSITION_MS));
      for (const { rule, targets } of await violations(page)) findings.push({ path, width, theme, rule, targets });
    }
  }
  for (const width of OTHER_WIDTHS) {
    await page.setViewport({ width, height: HEIGHT });
    await new Promise(resolve => setTimeout(resolve, TRANSITION_MS));
    for (const { rule, targets } of await tooWide(page)) findings.push({ path, width, theme: 'dark', rule, targets });
  }
  await page.setViewport({ width: WIDEST, height: HEIGHT });
  await untilFocusable(page);
  for (const { rule, targets } of [...(await checkWording(page)), ...(await checkKeyboard(page))])
    findings.push({ path, width: WIDEST, theme: 'dark', rule, targets });
  for (const { rule, targets } of await checkOpened(page, () => violations(page)))
    findings.push({ path, width: WIDEST, theme: 'opened', rule, targets });
  page.off('pageerror', onError);
  for (const message of failures) findings.push({ path, width: 0, theme: '', rule: `script: ${message}`, targets: [] });
  return findings;
}

const untilLoaded = (page: Page) =>
  page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'), { timeout: LOADED_WITHIN_MS });

/** A scrolling region leaves the order of the Tab key once a wider window shows all of it. */
const untilFocusable = (page: Page) =>
  page.waitForFunction(
    () =>
      [...document.querySelectorAll('main .scrolls[tabindex="0"]')].every(
        ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
          scrollWidth > clientWidth || scrollHeight > clientHeight,
      ),
    { timeout: LOADED_WITHIN_MS },
  );

/** Operations of a reference whose collapsed parts are opened: all of them have tens of thousands of elements. */
const OPENED_OPERATIONS = 12;

/** Opens collapsed elements, and waits for the content that they load. */
const openDetails = async (page: Page): Promise<void> => {
  await page.evaluate(most => {
    const operations = [...document.querySelectorAll('main section.operation')];
    const every = Math.ceil(operations.length / most);
    for (const closed of document.querySelectorAll<HTMLDetailsElement>('main details:not([open])')) {
      const operation = closed.closest('section.operation');
      if (!operation || operations.indexOf(operation) % every === 0) closed.open = true;
    }
  }, OPENED_OPERATIONS);
  await page.waitForNetworkIdle({ idleTime: 200, timeout: LOADED_WITHIN_MS, concurrency: 2 });
  await untilLoaded(page);
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  if (elements > MANY_ELEMENTS) console.log(`  ${elements} elements: ${page.url()}`);
};

/** The violated axe rules, and whether the page scrolls horizontally. */
const violations = async (page: Page): Promise<Violation[]> => [
  ...(await page.evaluate(async () => {
    const { axe: checker } = window as unknown as { axe: typeof axe };
    const results = await checker.run(document, { resultTypes: ['violations'] });
    return results.violations.map(({ id, nodes }) => ({
      rule: id,
      targets: nodes.slice(0, 5).map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary ?? ''}`),
    }));
  })),
  ...(await tooWide(page)),
];

/** Whether the page scrolls horizontally, and the elements that overflow. */
const tooWide = (page: Page): Promise<Violation[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const beyond = [...document.querySelectorAll('body *')].filter(
      element => element.getBoundingClientRect().right > clientWidth && !element.closest('.scrolls, pre'),
    );
    const shown = beyond.slice(0, 3).map(({ outerHTML }) => outerHTML.slice(0, 80));
    return [{ rule: 'scrolls sideways', targets: [`${scrollWidth} px in ${clientWidth} px`, ...shown] }];
  });
