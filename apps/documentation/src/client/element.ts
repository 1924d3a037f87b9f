/** Attributes of an element; a function is a listener of the event in its name. */
export type Attributes = Readonly<Record<string, string | boolean | ((event: Event) => void)>>;

/** A new element. Children that are strings become text, never HTML. */
export const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.filter(child => child !== undefined));
  return made;
};

/** The element with this id. @throws if the page does not have it. */
export const byId = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
};
