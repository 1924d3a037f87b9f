interface Route {
  readonly matches: RegExp;
  readonly methods: Set<string>;
}

/** The methods of each path: for 405 with `Allow`, for OPTIONS, and for the test that all routes are documented. */
export class RouteTable {
  readonly #routes = new Map<string, Route>();
  /** More specific patterns of each pattern, such as `/secrets/bulk` for `/secrets/:id`. */
  #specific: ReadonlyMap<string, readonly Route[]> | undefined;

  add(method: string | readonly string[], pattern: string): void {
    const route = this.#routes.get(pattern) ?? { matches: matcherOf(pattern), methods: new Set<string>() };
    for (const one of typeof method === 'string' ? [method] : method) route.methods.add(one);
    this.#routes.set(pattern, route);
    this.#specific = undefined;
  }

  /** Empty if no route matches. A wildcard counts only if no other route matches. */
  methodsOf(url: string): readonly string[] {
    const path = pathOf(url);
    const matching = [...this.#routes].filter(([, { matches }]) => matches.test(path));
    const exact = matching.filter(([pattern]) => !pattern.includes('*') && !this.isOfAnother(pattern, path));
    const chosen = exact.length > 0 ? exact : path.startsWith('/dashboard/api') ? [] : matching;
    const methods = new Set(chosen.flatMap(([, route]) => [...route.methods]));
    return methods.size > 0 ? [...methods.add('OPTIONS')].sort() : [];
  }

  /**
   * Whether a URL that matches a pattern belongs to a more specific one. The router selects the less specific pattern
   * if only that one has the method, but the documents describe it as another path.
   */
  isOfAnother(pattern: string, url: string): boolean {
    this.#specific ??= this.#findSpecific();
    return this.#specific.get(pattern)?.some(({ matches }) => matches.test(pathOf(url))) ?? false;
  }

  #findSpecific(): ReadonlyMap<string, readonly Route[]> {
    const routes = [...this.#routes].filter(([pattern]) => !pattern.includes('*'));
    // Patterns that differ only in their parameter names match each other.
    const within = ([pattern, { matches }]: readonly [string, Route]) =>
      routes.filter(([other, route]) => matches.test(other) && !route.matches.test(pattern)).map(([, route]) => route);
    const found = routes.map(route => [route[0], within(route)] as const);
    return new Map(found.filter(([, others]) => others.length > 0));
  }

  all(): readonly { readonly method: string; readonly pattern: string }[] {
    return [...this.#routes].flatMap(([pattern, { methods }]) => [...methods].map(method => ({ method, pattern })));
  }
}

const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? url;

/** Patterns of find-my-way: `:name` matches up to the next `/`, `*` matches the rest. */
const matcherOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split(/(:[A-Za-z_]+|\*)/)
      .map(part => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
      .join('')}$`,
  );
