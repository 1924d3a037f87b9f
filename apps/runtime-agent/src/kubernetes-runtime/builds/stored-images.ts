import type { Log } from '@postern/messaging';
import type { Cluster } from '../cluster.js';
import { imageOf } from '../objects/artefact-references.js';
import { buildName, deploymentOfTag, webServiceOfTag } from '../objects/names.js';
import type { Registry } from './registry.js';

/** The images in the registry; the tag of each contains the ids of its web service and deployment. */
export class StoredImages {
  readonly #digests = new Map<string, string>();
  /** Web services that were removed; after a restart, `retain` deletes their remaining images. */
  readonly #removed = new Set<string>();

  constructor(
    private readonly registry: Registry,
    private readonly repository: string,
    private readonly cluster: Cluster,
    private readonly log: Log,
  ) {}

  /** Keeps the images of these references and deployments; the registry's garbage collection removes unused layers. */
  async retain(references: ReadonlySet<string>, deployments: ReadonlySet<string>): Promise<void> {
    const kept = new Set([...references].map(reference => imageOf(reference).image));
    await this.#deleteUnless(
      (tag, digest) => deployments.has(deploymentOfTag(tag)) || kept.has(`${this.repository}@${digest}`),
    );
  }

  /** Deletes the images of a web service. An image with the same content as that of another web service is kept. */
  async remove(webServiceId: string): Promise<void> {
    this.#removed.add(webServiceId);
    await this.#deleteUnless(tag => !this.#removed.has(webServiceOfTag(tag) ?? ''));
  }

  /** A digest with several tags is kept if one of them is wanted. */
  async #deleteUnless(isWanted: (tag: string, digest: string) => boolean): Promise<void> {
    const digests = await this.#all();
    const wanted = new Set([...digests].filter(entry => isWanted(...entry)).map(([, digest]) => digest));
    for (const [tag, digest] of digests) {
      if (wanted.has(digest)) continue;
      if (!(await this.registry.delete(digest))) {
        this.log.warn({ repository: this.repository }, 'The registry does not support deletion; old images are kept');
        return;
      }
      this.#digests.delete(tag);
      await this.cluster.remove({ kind: 'Job', name: buildName(deploymentOfTag(tag)) });
    }
  }

  async #all(): Promise<ReadonlyMap<string, string>> {
    const digests = new Map<string, string>();
    for (const tag of await this.registry.tags()) {
      const digest = this.#digests.get(tag) ?? (await this.registry.digestOf(tag));
      if (!digest) continue;
      digests.set(tag, digest);
      this.#digests.set(tag, digest);
    }
    return digests;
  }
}
