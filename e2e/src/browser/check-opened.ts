/// <reference lib="dom" />
import type { HTTPRequest, Page } from 'puppeteer-core';

const NARROW = { width: 390, height: 900 };
const WIDE = { width: 1440, height: 900 };
const SETTLED_MS = 300;
const IDLE_WITHIN_MS = 120_000;
const REFUSAL = {
  status: 400,
  contentType: 'application/json',
  headers: { 'error-code': 'invalid_input' },
  body: JSON.stringify({ error: 'name must have at most 100 characters.' }),
};

type Check<Found> = () => Promise<readonly Found[]>;

/** Checks what a page shows only later: each kind of its dialogs, and its forms after the API has refused them. */
export const checkOpened = async <Found>(page: Page, check: Check<Found>): Promise<readonly Found[]> => [
  ...(await checkDialogs(page, check)),
  ...(await checkRefusedForms(page, check)),
];

const inBothWidths = async <Found>(page: Page, check: Check<Found>): Promise<Found[]> => {
  const found: Found[] = [];
  for (const [viewport, theme] of [[NARROW, 'light'] as const, [WIDE, 'dark'] as const]) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    await page.setViewport(viewport);
    await new Promise(resolve => setTimeout(resolve, SETTLED_MS));
    found.push(...(await check()));
  }
  return found;
};

/** The rows of a list have the same dialog, so one of each kind is opened. */
const checkDialogs = async <Found>(page: Page, check: Check<Found>): Promise<Found[]> => {
  const found: Found[] = [];
  const seen = new Set<string>();
  for (const dialog of await page.$$('main dialog')) {
    const kind = await dialog.$$eval('button', buttons => buttons.map(button => button.textContent).join(' '));
    if (seen.has(kind)) continue;
    seen.add(kind);
    await dialog.evaluate(each => (each as HTMLDialogElement).showModal());
    found.push(...(await inBothWidths(page, check)));
    await dialog.evaluate(each => (each as HTMLDialogElement).close());
  }
  return found;
};

/** Submits all forms. Nothing reaches the API: the browser answers each command with a refusal. */
const checkRefusedForms = async <Found>(page: Page, check: Check<Found>): Promise<Found[]> => {
  const refuse = (request: HTTPRequest) =>
    void (request.method() === 'GET' ? request.continue() : request.respond(REFUSAL)).catch(() => undefined);
  await page.setRequestInterception(true);
  page.on('request', refuse);
  try {
    const submitted = await page.$$eval('main form', forms => {
      for (const form of forms as HTMLFormElement[]) {
        form.noValidate = true;
        form.requestSubmit();
      }
      return forms.length;
    });
    if (submitted === 0) return [];
    await page.waitForNetworkIdle({ idleTime: 200, timeout: IDLE_WITHIN_MS, concurrency: 2 });
    return await inBothWidths(page, check);
  } finally {
    page.off('request', refuse);
    await page.setRequestInterception(false);
  }
};
