import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, parseDocument } from 'yaml';

/** Sets the values of `given` in a document, whose comments stay. Lists are replaced. */
const setAll = (document, given, path = []) => {
  for (const [key, value] of Object.entries(given)) {
    const at = [...path, key];
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isGroup && isMap(document.getIn(at)) && document.getIn(at).items.length > 0) setAll(document, value, at);
    else document.setIn(at, document.createNode(value));
  }
};

/**
 * Writes the chart of one release of a service: the chart of any service, with the values and the image of this release as
 * defaults. @throws if the service has no chart.
 */
export const writeChart = (root, folder, /** @type {any} */ { service, version, digest }) => {
  const values = join(root, `k8s/values/${service}.yaml`);
  if (!existsSync(values)) throw new Error(`${service} has no chart: there is no k8s/values/${service}.yaml`);
  cpSync(join(root, 'k8s/charts/service'), folder, { recursive: true });
  const edit = (file, change) => {
    const document = parseDocument(readFileSync(join(folder, file), 'utf8'));
    change(document);
    writeFileSync(join(folder, file), document.toString({ lineWidth: 0 }));
  };
  edit('Chart.yaml', document => {
    document.set('name', service);
    document.set('description', `${service} of Postern`);
    document.set('version', version);
    document.set('appVersion', version);
  });
  edit('values.yaml', document => {
    setAll(document, parseDocument(readFileSync(values, 'utf8')).toJS());
    setAll(document, { image: { tag: version, ...(digest ? { digest } : {}) } });
  });
};
