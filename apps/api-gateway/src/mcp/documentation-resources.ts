import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface PageResource {
  readonly uri: string;
  readonly title: string;
}

/** The pages of the documentation as Markdown, by their addresses. */
export class Pages {
  #files: ReadonlyMap<string, { readonly file: string; readonly title: string }> | undefined;

  /** @param folder the built documentation. @param baseUrl the address of this installation, without a slash at its end */
  constructor(
    private readonly folder: string,
    private readonly baseUrl: string,
  ) {}

  list(): readonly PageResource[] {
    return [...this.#pages()].map(([uri, { title }]) => ({ uri, title }));
  }

  /** @throws if there is no such page. */
  read(uri: string): string {
    const page = this.#pages().get(uri);
    if (!page) throw new Error(`There is no page ${uri}.`);
    return readFileSync(join(this.folder, page.file), 'utf8');
  }

  /** None if the documentation is not built. */
  #pages() {
    this.#files ??= new Map(
      markdownFilesIn(this.folder).map(file => {
        const title = /^# (.+)$/m.exec(readFileSync(join(this.folder, file), 'utf8'))?.[1] ?? file;
        return [`${this.baseUrl}/docs/${file}`, { file, title }];
      }),
    );
    return this.#files;
  }
}

const markdownFilesIn = (folder: string): readonly string[] => {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return files.filter(name => name.endsWith('.md')).sort();
  } catch {
    return [];
  }
};
