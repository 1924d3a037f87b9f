const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the parameters of `path` if it matches `pattern` (`/services/:service_id`), otherwise undefined. A parameter is the id of a
 * resource, so that a mistyped address is a page that does not exist.
 */
export const matchPath = (pattern: string, path: string): Record<string, string> | undefined => {
  const patternSegments = pattern.split('/');
  const pathSegments = path.split('/');
  if (patternSegments.length !== pathSegments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of patternSegments.entries()) {
    const value = pathSegments[index] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== value) return undefined;
    } else if (UUID.test(value)) params[segment.slice(1)] = value;
    else return undefined;
  }
  return params;
};
