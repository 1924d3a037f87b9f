/// <reference lib="dom" />
import type { Browser } from 'puppeteer-core';

const LOADS = 7;

/**
 * The time until a page paints its first content, in milliseconds: the median of several loads with an empty cache. The other page
 * shows what of it is the browser and the machine.
 */
export const firstPaints = async (browser: Browser, urls: readonly string[]): Promise<readonly number[]> => {
  const times = urls.map((): number[] => []);
  for (let load = 0; load < LOADS; load += 1)
    for (const [index, url] of urls.entries()) times[index]?.push(await firstPaint(browser, url));
  return times.map(each => each.sort((a, b) => a - b)[Math.floor(LOADS / 2)] ?? Number.NaN);
};

const firstPaint = async (browser: Browser, url: string): Promise<number> => {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    await page.goto(url);
    const entry = await page.waitForFunction(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    );
    return Number(await entry.jsonValue());
  } finally {
    await context.close();
  }
};
