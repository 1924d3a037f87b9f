const { join } = require('node:path');
const { VersionActions } = require('nx/release');

/**
 * Raises the version of a workspace for `nx release`, in its package.json and in the lockfile. Nothing is published to
 * a registry, and no package depends on a released one.
 */
class WorkspaceVersion extends VersionActions {
  validManifestFilenames = ['package.json'];
  excludeManifestsFromFormatting = true;

  get manifest() {
    return join(this.projectGraphNode.data.root, 'package.json');
  }

  async readCurrentVersionFromSourceManifest(tree) {
    const { version } = JSON.parse(tree.read(this.manifest, 'utf8'));
    return { currentVersion: version, manifestPath: this.manifest };
  }

  async readCurrentVersionFromRegistry() {
    throw new Error('Services are not in a registry; their version is in their package.json.');
  }

  async readCurrentVersionOfDependency() {
    return { currentVersion: null, dependencyCollection: null };
  }

  async updateProjectVersion(tree, newVersion) {
    const edit = (path, change) => {
      const content = JSON.parse(tree.read(path, 'utf8'));
      change(content);
      tree.write(path, `${JSON.stringify(content, null, 2)}\n`);
    };
    edit(this.manifest, manifest => {
      manifest.version = newVersion;
    });
    edit('package-lock.json', ({ packages }) => {
      packages[this.projectGraphNode.data.root].version = newVersion;
    });
    return [`wrote ${newVersion} to ${this.manifest} and the lockfile`];
  }

  async updateProjectDependencies() {
    return [];
  }
}

module.exports = WorkspaceVersion;
