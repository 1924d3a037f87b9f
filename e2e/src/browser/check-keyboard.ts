/// <reference lib="dom" />
import type { Page } from 'puppeteer-core';

/** The result of a walk through a page with the Tab key. */
interface Walk {
  readonly unreached: readonly string[];
  readonly withoutFocusRing: readonly string[];
}

const MARK = 'data-keyboard-check';
/** Upper bound of Tab presses, sufficient for the keyboard check of a long page. */
const MAX_STEPS = 400;

/**
 * Presses Tab from the start of the page: every control must get the focus and have a visible focus indicator. In a group
 * of radio buttons, the keyboard reaches one.
 */
export async function checkKeyboard(page: Page): Promise<readonly { rule: string; targets: string[] }[]> {
  const { unreached, withoutFocusRing } = await walk(page);
  const found = [
    { rule: 'not reached by keyboard', targets: [...unreached] },
    { rule: 'no visible focus', targets: [...withoutFocusRing] },
  ];
  return found.filter(({ targets }) => targets.length > 0);
}

const walk = async (page: Page): Promise<Walk> => {
  const count = await markControls(page);
  const withoutFocusRing: string[] = [];
  for (let step = 0; step < Math.min(count * 2 + 10, MAX_STEPS); step += 1) {
    await page.keyboard.press('Tab');
    const visited = await page.evaluate(visit, MARK);
    if (visited === 'done') break;
    if (visited !== undefined) withoutFocusRing.push(visited);
  }
  return { unreached: count > MAX_STEPS ? [] : await leftControls(page), withoutFocusRing };
};

/** Marks the elements that the keyboard must reach. @returns their number. */
const markControls = (page: Page): Promise<number> =>
  page.evaluate(mark => {
    (document.activeElement as HTMLElement | null)?.blur();
    window.getSelection()?.removeAllRanges();
    const controls = document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [tabindex="0"]',
    );
    const groups = new Set<string>();
    let marked = 0;
    for (const control of controls) {
      const { disabled, type, name } = control as HTMLInputElement;
      const isRepeatedRadio = type === 'radio' && groups.has(name);
      if (type === 'radio') groups.add(name);
      if (disabled || isRepeatedRadio || control.tabIndex < 0 || control.closest('[inert], dialog:not([open])'))
        continue;
      if (!control.checkVisibility({ visibilityProperty: true })) continue;
      control.setAttribute(mark, 'waits');
      marked += 1;
    }
    return marked;
  }, MARK);

/** Runs in the page. Returns the focused element if its focus is not visible, or `done` if all were visited. */
const visit = (mark: string): string | undefined => {
  const focused = document.activeElement as HTMLElement | null;
  if (!focused || focused === document.body) return undefined;
  const isNew = focused.getAttribute(mark) === 'waits';
  if (focused.hasAttribute(mark)) focused.setAttribute(mark, 'visited');
  const radios = focused instanceof HTMLInputElement && focused.type === 'radio';
  if (radios)
    for (const radio of document.getElementsByName(focused.name))
      if (radio.hasAttribute(mark)) radio.setAttribute(mark, 'visited');
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(focused);
  const shows = (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  if (isNew && !shows) return focused.outerHTML.slice(0, 120);
  return document.querySelector(`[${mark}="waits"]`) ? undefined : 'done';
};

const leftControls = (page: Page): Promise<string[]> =>
  page.evaluate(
    mark =>
      [...document.querySelectorAll(`[${mark}="waits"]`)].slice(0, 5).map(({ outerHTML }) => outerHTML.slice(0, 120)),
    MARK,
  );
