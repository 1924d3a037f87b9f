import type { WebService } from '@postern/contracts';
import { TextArea } from '../../components/form-controls.js';
import { textOfBuildArguments } from './build-arguments.js';
import { Optional } from './setting-fields.js';

export const DockerfileFields = ({ of }: { readonly of: WebService }) => (
  <>
    <Optional
      label="Dockerfile path"
      name="dockerfile_path"
      value={of.dockerfile_path ?? null}
      hint="Such as docker/web.Dockerfile, relative to the root directory. Leave empty for the file Dockerfile, if there is one."
    />
    <Optional
      label="Dockerfile target"
      name="docker_target"
      value={of.docker_target ?? null}
      hint="The stage that is built. Leave empty for the last one."
    />
    <TextArea
      label="Build arguments"
      name="build_args"
      rows={3}
      defaultValue={textOfBuildArguments(of.build_args ?? {})}
      placeholder="NODE_VERSION=24"
      hint="One NAME=value per line. ${NAME} in a value is a variable of the web service."
    />
  </>
);
