const ROMAN: readonly (readonly [number, string])[] = [
  [1_000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

/**
 * The number of an item of an ordered list in the notation of its `type`; in digits if the notation cannot express the
 * number.
 */
export function listMark(type: string | undefined, number: number): string {
  const isCountable = Number.isInteger(number) && number >= 1 && number <= 3_999;
  switch (isCountable ? type : undefined) {
    case 'a':
      return letters(number);
    case 'A':
      return letters(number).toUpperCase();
    case 'i':
      return roman(number).toLowerCase();
    case 'I':
      return roman(number);
    default:
      return String(number);
  }
}

/** a … z, aa, ab … */
function letters(number: number): string {
  let mark = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    mark = String.fromCharCode(0x61 + ((rest - 1) % 26)) + mark;
  }
  return mark;
}

function roman(number: number): string {
  let mark = '';
  let rest = number;
  for (const [value, sign] of ROMAN) {
    for (; rest >= value; rest -= value) mark += sign;
  }
  return mark;
}
