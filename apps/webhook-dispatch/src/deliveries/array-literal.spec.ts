import { describe, expect, it } from '@jest/globals';
import { arrayOf } from './array-literal.js';

describe("the literal of PostgreSQL's arrays", () => {
  it.each([
    [[], '{}'],
    [[1, 2.5, undefined], '{1,2.5,NULL}'],
    [['accepted', '0198c0de-0000-7000-8000-000000000001'], '{accepted,0198c0de-0000-7000-8000-000000000001}'],
    [['', 'NULL', 'null'], '{"","NULL","null"}'],
    [['a "b", {c} \\d', 'two\nlines'], '{"a \\"b\\", {c} \\\\d","two\nlines"}'],
  ])('of %j is %s', (values, literal) => expect(arrayOf(values)).toBe(literal));
});
