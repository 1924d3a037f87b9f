/// <reference lib="dom" />
import type { HTTPRequest, Page } from 'puppeteer-core';
import { REMOTE_IMAGE } from './email-content.js';
import { clickButton, openForm, openPage, untilText } from './page-actions.js';

/** The pages of one message, of messages with a tag, of a template and of bounce rules. @throws what they do instead. */
export const checkEmailPages = async (page: Page, pages: EmailPages): Promise<void> => {
  await contentOfMessage(page, pages.delivered);
  await remoteImages(page, pages.delivered);
  await sentAgain(page, pages.delivered);
  await messagesWithTag(page, pages.delivered);
  await bounceRule(page, pages);
  await versionOfTemplate(page, pages.template);
};

/** URLs. */
export interface EmailPages {
  readonly delivered: string;
  readonly bounced: string;
  readonly settings: string;
  readonly template: string;
}

const contentOfMessage = async (page: Page, url: string): Promise<void> => {
  await openPage(page, url);
  const frame = await page.waitForSelector('iframe.mail', { timeout: 120_000 });
  const shown = await frame?.contentFrame().then(inner => inner?.waitForSelector('h1'));
  if ((await shown?.evaluate(heading => heading.textContent)) !== 'Thanks')
    throw new Error('the HTML body is not shown');
  await clickButton(page, 'Headers');
  await untilText(page, 'Message-ID', 'dl.record dt');
  await clickButton(page, 'Source');
  await untilText(page, 'Content-Type: text/html', 'main pre');
  if (!page.url().endsWith('?part=raw')) throw new Error(`the part is not in the URL: ${page.url()}`);
};

/** The policy of the frame blocks images of other servers until the user asks for them. */
const remoteImages = async (page: Page, url: string): Promise<void> => {
  const failures: string[] = [];
  const onFailure = (request: HTTPRequest) => {
    if (request.url() === REMOTE_IMAGE) failures.push(request.failure()?.errorText ?? '');
  };
  const wasSent = () => failures.some(reason => !/csp/i.test(reason));
  page.on('requestfailed', onFailure);
  await openPage(page, url);
  await untilText(page, 'Load remote images', 'main button');
  await page.waitForNetworkIdle({ idleTime: 200, concurrency: 2 });
  if (wasSent()) throw new Error('a remote image is requested before the user asks for it');
  await clickButton(page, 'Load remote images');
  await page.waitForNetworkIdle({ idleTime: 1_000, concurrency: 2 });
  if (!wasSent()) throw new Error('remote images are not requested');
  page.off('requestfailed', onFailure);
};

/** The form is gone after a success, and the new message is one click away. */
const sentAgain = async (page: Page, url: string): Promise<void> => {
  await openPage(page, url);
  await openForm(page, 'Send again');
  await clickButton(page, 'Send as a new message');
  await clickButton(page, 'Show the new message', 'main .notice a');
  await page.waitForFunction(from => location.href !== from, {}, url);
  await untilText(page, 'Your receipt', 'main h2');
};

const messagesWithTag = async (page: Page, url: string): Promise<void> => {
  await openPage(page, url);
  await clickButton(page, 'order: 4711', 'main dd a');
  await untilText(page, 'Your receipt', 'main table');
  const tag = await page.$eval('main input[name=tag]', field => (field as HTMLInputElement).value);
  if (tag !== 'order:4711') throw new Error(`the list is filtered by the tag ${tag}`);
  await page.$eval('main input[name=tag]', field => {
    (field as HTMLInputElement).value = 'order:unknown';
  });
  await clickButton(page, 'Search');
  await untilText(page, 'No messages match these filters.');
};

const bounceRule = async (page: Page, { bounced, settings }: EmailPages): Promise<void> => {
  await openPage(page, bounced);
  await clickButton(page, 'This was classified wrongly');
  await untilText(page, 'New bounce rule', 'dialog[open] h2');
  const phrase = await page.$eval('dialog[open] textarea', field => field.value);
  if (phrase === '' || /^\d|@/.test(phrase)) throw new Error(`the phrase ${JSON.stringify(phrase)} is suggested`);
  await replace(page, 'dialog[open] textarea', 'words that the reply does not contain');
  await clickButton(page, 'Create rule', 'dialog[open] button');
  await untilText(page, 'no bounce of this message', 'dialog[open]');
  await replace(page, 'dialog[open] textarea', phrase);
  await clickButton(page, 'Create rule', 'dialog[open] button');
  await untilText(page, 'soft instead of hard, by a rule of the email service', 'main ol.history');
  if (await page.$('dialog[open]')) throw new Error('the form stays open after a rule was created');

  await openPage(page, settings);
  await untilText(page, 'Policy (soft)', 'main table');
  await clickButton(page, 'Delete', 'main table button');
  await clickButton(page, 'Delete rule', 'dialog[open] button');
  await untilText(page, 'No bounce rules yet.');
};

const versionOfTemplate = async (page: Page, url: string): Promise<void> => {
  await openPage(page, url);
  await untilText(page, 'Version 1.');
  const variables = 'main textarea[name=variables]';
  await replace(page, variables, '{"name": "<b>Ada</b>"}');
  await clickButton(page, 'Show preview');
  const frame = await page.waitForSelector('iframe.mail');
  const paragraph = await frame?.contentFrame().then(inner => inner?.waitForSelector('p'));
  const text = await paragraph?.evaluate(each => each.textContent);
  if (text !== 'Thanks, <b>Ada</b>!') throw new Error(`the preview shows ${JSON.stringify(text)}`);
  await replace(page, variables, '{}');
  await clickButton(page, 'Show preview');
  await untilText(page, 'variables.name');
  await replace(page, 'main textarea[name=html]', '<p>Thank you, {{name}}!</p>');
  await clickButton(page, 'Save');
  await untilText(page, 'Version 2.');
  await untilText(page, 'Saved.', 'main .notice');
  // Once everything is saved, the page lets the user leave.
  await page.waitForFunction(() => window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
};

const replace = async (page: Page, selector: string, text: string): Promise<void> => {
  const field = await page.waitForSelector(selector);
  await field?.evaluate(each => (each as HTMLTextAreaElement).select());
  await field?.type(text);
};
