import type { Service } from '../../setup/services.mjs';

/** A list of services in a shared file. The file keeps its order, and a new service comes last. */
export interface ServiceList {
  readonly file: string;
  /** The names that it must have. */
  readonly names: (services: readonly Service[]) => readonly string[];
  readonly read: (text: string) => readonly string[];
  /** The text with these names. */
  readonly write: (text: string, names: readonly string[]) => string;
}

export interface Entries {
  readonly file: string;
  /** What stands before the first entry. */
  readonly after: RegExp;
  /** One entry, with its name in the first group. */
  readonly entry: RegExp;
  readonly write: (name: string) => string;
  readonly of: (service: Service) => boolean;
  /** Entries that are no services. */
  readonly others?: readonly string[];
  readonly separator?: string;
}

const kebab = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** A list of entries that follow one another. */
export const entries = ({ file, after, entry, write, of, others = [], separator = '' }: Entries): ServiceList => {
  const present = (text: string) => {
    const start = after.exec(text);
    if (!start) throw new Error(`${file} has no ${after}`);
    const from = start.index + start[0].length;
    const pattern = new RegExp(entry, 'y');
    pattern.lastIndex = from;
    const found: { readonly name: string; readonly text: string }[] = [];
    let end = from;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      found.push({ name: kebab(match[1] as string), text: match[0] });
      end = pattern.lastIndex;
    }
    return { from, end, found };
  };
  return {
    file,
    names: services => [...services.filter(of).map(({ name }) => name), ...others],
    read: text => present(text).found.map(({ name }) => name),
    write: (text, names) => {
      const { from, end, found } = present(text);
      const kept = found.filter(({ name }) => names.includes(name)).map(each => each.text);
      const added = names.filter(name => !found.some(each => each.name === name)).map(write);
      const all = [...kept, ...added].map(each => (separator ? each.replace(/,?\s*$/, '') : each));
      const last = separator && found.at(-1)?.text.trimEnd().endsWith(separator) ? separator : '';
      return `${text.slice(0, from)}${all.join(separator)}${last}${text.slice(end)}`;
    },
  };
};

type Place = Pick<Entries, 'file' | 'after' | 'of' | 'others'>;

/** Strings in code or JSON. */
export const strings = (place: Place): ServiceList =>
  entries({
    ...place,
    entry: /\s*['"]([a-z0-9-]+)['"]\s*,?/,
    write: name => (place.file.endsWith('.json') ? ` "${name}"` : ` '${name}'`),
    separator: ',',
  });

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Lines of one form. */
export const lines = (place: Place & Pick<Entries, 'write'>): ServiceList => {
  const [before = '', ...rest] = place.write('NAME').split('NAME').map(escaped);
  return entries({ ...place, entry: new RegExp(`${before}([A-Za-z0-9_-]+)${rest.join('[A-Za-z0-9_-]+')}`) });
};
