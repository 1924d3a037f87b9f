/// <reference lib="dom" />
import type { Page } from 'puppeteer-core';

const TIMEOUT_MS = 120_000;

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
