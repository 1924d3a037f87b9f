import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { MANIFEST } from './registry.mjs';

/** As `helm push` stores it, so that `helm pull oci://…` reads it. */
export const pushChart = async (repository, archive, helm = 'helm') => {
  const description = execFileSync(helm, ['show', 'chart', archive], { encoding: 'utf8' });
  const fields = Object.fromEntries(
    [...description.matchAll(/^(apiVersion|name|description|type|version|appVersion|kubeVersion): (.*)$/gm)].map(
      ([, name, value = '']) => [name, value.replace(/^["'](.*)["']$/, '$1')],
    ),
  );
  const config = await repository.putBlob(
    Buffer.from(JSON.stringify(fields)),
    'application/vnd.cncf.helm.config.v1+json',
  );
  const content = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
  const layers = [await repository.putBlob(readFileSync(archive), content)];
  return repository.putManifest({ schemaVersion: 2, mediaType: MANIFEST, config, layers }, fields.version);
};
