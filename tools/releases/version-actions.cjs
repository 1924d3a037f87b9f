const { join } = require('node:path');
const { VersionActions } = require('nx/release');

/**
 * Raises the version of a workspace for `nx release`: in its package.json, in the lockfile, and where other workspaces
 * depend on exactly this version. Nothing is published to a registry.
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
    const { root } = this.projectGraphNode.data;
    const { name } = JSON.parse(tree.read(this.manifest, 'utf8'));
    const raiseDependency = manifest => {
      for (const kind of ['dependencies', 'devDependencies'])
        if (manifest[kind]?.[name] !== undefined) manifest[kind][name] = newVersion;
    };
    const { packages } = JSON.parse(tree.read('package-lock.json', 'utf8'));
    const isDependent = ([path, { dependencies, devDependencies }]) =>
      !path.includes('node_modules/') && { ...dependencies, ...devDependencies }[name] !== undefined;
    const dependents = Object.entries(packages).filter(isDependent);
    edit(this.manifest, manifest => {
      manifest.version = newVersion;
    });
    for (const [folder] of dependents) edit(join(folder, 'package.json'), raiseDependency);
    edit('package-lock.json', lockfile => {
      lockfile.packages[root].version = newVersion;
      for (const [folder] of dependents) raiseDependency(lockfile.packages[folder]);
    });
    return [`wrote ${newVersion} to ${this.manifest} and the lockfile`];
  }

  async updateProjectDependencies() {
    return [];
  }
}

module.exports = WorkspaceVersion;
