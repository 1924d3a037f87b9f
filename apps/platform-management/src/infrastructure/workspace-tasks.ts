interface WorkspaceTask {
  readonly workspaceId: string;
  readonly done: Promise<void>;
}

/** Runs one task of an id at a time, and a limited number in all and of one workspace. */
export class WorkspaceTasks {
  readonly #running = new Map<string, WorkspaceTask>();

  constructor(private readonly limits: { readonly inAll: number; readonly ofWorkspace: number }) {}

  /** Starts the task unless the id or the limits forbid it. The task must not reject. */
  start(id: string, workspaceId: string, task: () => Promise<void>): void {
    if (this.#running.has(id) || this.#running.size >= this.limits.inAll) return;
    const ofWorkspace = [...this.#running.values()].filter(each => each.workspaceId === workspaceId);
    if (ofWorkspace.length >= this.limits.ofWorkspace) return;
    const done = task().finally(() => this.#running.delete(id));
    this.#running.set(id, { workspaceId, done });
  }

  async allDone(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }
}
