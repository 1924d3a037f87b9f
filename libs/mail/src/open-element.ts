import { listMark } from './list-marks.js';
import type { TextBlock } from './text-block.js';

/** An open element. */
export interface OpenElement {
  readonly name: string;
  readonly parent: OpenElement | undefined;
  /** Levels below the body. */
  readonly depth: number;
  /** Neither the element nor its content is converted. */
  isLeftOut: boolean;
  /** The mark in front of the element if it is a list item. */
  itemMark: string | undefined;
  children: number;
  list?: OpenList;
  link?: OpenLink;
}

/** A link with a target. */
export interface OpenLink {
  readonly target: string;
  /** The words of the link, without white space. */
  words: string;
}

/** An ordered or unordered list, and its items so far. */
export interface OpenList {
  readonly isNested: boolean;
  readonly type: string | undefined;
  /** The number of the next item; undefined in an unordered list. */
  next: number | undefined;
  readonly items: { readonly mark: string; readonly block: TextBlock }[];
}

/** Attributes of an element by lower-case name. */
export type Attributes = Readonly<Record<string, string>>;

/** An element without children. */
export function newElement(
  name: string,
  parent: OpenElement | undefined,
  depth: number,
  isLeftOut: boolean,
  itemMark?: string,
): OpenElement {
  return { name, parent, depth, isLeftOut, itemMark, children: 0 };
}

/** A list without items. */
export function newList({ name, parent }: OpenElement, attributes: Attributes): OpenList {
  const start = Number(attributes['start'] || '1');
  return {
    isNested: parent?.name === 'li',
    type: attributes['type'],
    next: name === 'ol' ? (Number.isSafeInteger(start) ? start : 1) : undefined,
    items: [],
  };
}

/** The mark in front of the next element of a list; empty if it is not an item. */
export function nextMark(list: OpenList, name: string): string {
  if (name !== 'li') return '';
  const mark = list.next === undefined ? ' * ' : ` ${listMark(list.type, list.next++)}. `;
  return list.isNested ? mark.trimStart() : mark;
}
