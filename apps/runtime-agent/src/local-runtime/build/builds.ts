import type { BuildOrder, BuiltArtefact, LogWriter, ResolvedSource, Source } from '@postern/runtime';

/** Fetches sources, and builds and stores artefacts. */
export interface Builds {
  resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource>;
  build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<BuiltArtefact>;
  retainArtefacts(keep: ReadonlySet<string>): Promise<void>;
  /** Ends builds of a web service, and deletes its artefacts, caches and workspaces. */
  remove(webServiceId: string): Promise<void>;
  /** Ends builds that an earlier platform process started, and deletes their files. */
  reconcile(): Promise<void>;
}
