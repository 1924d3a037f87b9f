/** A pattern of `_redirects` and `_headers`: segments, `:name` for one segment, and one `*` for any number of them. */
export interface PathPattern {
  readonly before: readonly string[];
  /** The segments behind the `*`; undefined without one. */
  readonly after: readonly string[] | undefined;
}

export type Parameters = Readonly<Record<string, string>>;

/** Segments of a path; a slash at the end makes no difference. */
export const segmentsOf = (path: string): readonly string[] => {
  const parts = path.replace(/^\//, '').split('/');
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts;
};

/** @returns undefined if the pattern is not supported. */
export const pathPattern = (text: string): PathPattern | undefined => {
  if (!text.startsWith('/')) return undefined;
  const segments = segmentsOf(text);
  if (segments.some(segment => segment !== '*' && segment.includes('*'))) return undefined;
  const splat = segments.indexOf('*');
  if (splat === -1) return { before: segments, after: undefined };
  const after = segments.slice(splat + 1);
  return after.includes('*') ? undefined : { before: segments.slice(0, splat), after };
};

/** @returns the values of the placeholders, the `*` as `splat`; undefined if the path does not match. */
export const matchPath = ({ before, after }: PathPattern, path: readonly string[]): Parameters | undefined => {
  const least = before.length + (after?.length ?? 0);
  if (path.length < least || (after === undefined && path.length > least)) return undefined;
  const found: Record<string, string> = {};
  const fits = (pattern: readonly string[], from: number) =>
    pattern.every((segment, place) => {
      const actual = path[from + place] ?? '';
      if (!segment.startsWith(':')) return segment === actual;
      found[segment.slice(1)] = actual;
      return actual !== '';
    });
  if (!fits(before, 0)) return undefined;
  if (after === undefined) return found;
  const end = path.length - after.length;
  if (!fits(after, end)) return undefined;
  return { ...found, splat: path.slice(before.length, end).join('/') };
};

/** Replaces `:name`; an unknown name stays as it is. */
export const fillIn = (text: string, parameters: Parameters): string =>
  text.replace(/:([A-Za-z_]\w*)/g, (whole, name: string) =>
    Object.hasOwn(parameters, name) ? parameters[name]! : whole,
  );
