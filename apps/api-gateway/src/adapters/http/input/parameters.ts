import { z } from 'zod';

/** Parts of paths and query strings, which arrive as text. */
export const id = z.uuid();

/** Decimal digits only: `1e2`, `0x10`, an empty text and a parameter given twice are no whole numbers. */
export const wholeNumber = (least: number, most: number) =>
  z.preprocess(
    text => (typeof text === 'string' && /^-?\d{1,15}$/.test(text) ? Number(text) : text),
    z.int().min(least).max(most),
  );

const MOST_OFFSET = 1_000_000_000;

/** A page of a list: `limit` 1 to 100 and `offset`. */
export const pageOf = (limit: number) =>
  z.strictObject({
    limit: wholeNumber(1, 100).default(limit),
    offset: wholeNumber(0, MOST_OFFSET).default(0),
  });

export const pageQuery = pageOf(20);
