/// <reference lib="dom" />
import type { Page } from 'puppeteer-core';

const TIMEOUT_MS = 120_000;

const NETWORK_CHANGES = 30;

/**
 * Opens a page. Chromium aborts all requests when the machine gets or loses a network interface, as it does with each
 * instance of a web service; such a request is repeated.
 */
export const openPage = async (page: Page, url: string, changes = NETWORK_CHANGES): Promise<void> => {
  try {
    await page.goto(url, { waitUntil: 'networkidle2', timeout: 60_000 });
  } catch (error) {
    if (changes === 0 || !String(error).includes('ERR_NETWORK_CHANGED')) throw error;
    // Otherwise the error page of this attempt may still arrive during the next one.
    await page.goto('about:blank');
    await openPage(page, url, changes - 1);
  }
};

/** Opens the form for a new resource, which is collapsed while there are others. */
export const openForm = async (page: Page, title: string): Promise<void> => {
  await page.waitForFunction(
    wanted => {
      const forms = [...document.querySelectorAll<HTMLDetailsElement>('details.collapsible')];
      const summary = forms
        .map(form => form.querySelector('summary'))
        .find(each => each?.textContent?.trim() === wanted);
      if (summary && !summary.closest('details')?.open) summary.click();
      return summary !== undefined;
    },
    { timeout: TIMEOUT_MS },
    title,
  );
};

/** Types into the field with this name. */
export const fill = async (page: Page, name: string, text: string): Promise<void> => {
  const field = await page.waitForSelector(`input[name=${name}]`, { timeout: TIMEOUT_MS });
  await field?.type(text);
};

/** Waits for an element with this text and clicks it. */
export const clickButton = async (page: Page, text: string, selector = 'main button'): Promise<void> => {
  const found = await page.waitForFunction(
    (wanted, among) =>
      [...document.querySelectorAll<HTMLButtonElement>(among)].find(
        each => each.textContent?.trim().startsWith(wanted) && !each.disabled,
      ),
    { timeout: TIMEOUT_MS },
    text,
    selector,
  );
  await (found as unknown as { click(): Promise<void> }).click();
};

/** Waits until an element contains this text. */
export const untilText = async (page: Page, text: string, selector = 'main'): Promise<void> => {
  await page.waitForFunction(
    (wanted, among) => [...document.querySelectorAll(among)].some(each => each.textContent?.includes(wanted)),
    { timeout: TIMEOUT_MS },
    text,
    selector,
  );
};

/** The first code block that contains a text. @throws if there is none. */
export const codeOf = async (page: Page, text: string, selector = 'main pre'): Promise<string> => {
  const blocks = await page.$$eval(selector, found => found.map(each => each.textContent ?? ''));
  const code = blocks.find(block => block.includes(text));
  if (code === undefined) throw new Error(`${page.url()} has no code with ${text}`);
  return code;
};

/** A selector for the code after a heading of a document. */
export const sectionOf = async (page: Page, heading: string): Promise<string> => {
  const id = await page.$$eval(
    'main h2',
    (found, wanted) => found.find(each => each.textContent?.trim().startsWith(wanted))?.id,
    heading,
  );
  if (!id) throw new Error(`${page.url()} has no section ${heading}`);
  return `#${escaped(id)} ~ * pre, #${escaped(id)} ~ pre`;
};

const escaped = (id: string): string => id.replaceAll(/[^\w-]/g, character => `\\${character}`);
