import { Notice } from '../../components/notice.js';
import { asSentence } from '../../formatting.js';

interface ReasonProps {
  readonly of: string;
  readonly isFailure: boolean;
}

/** Why a deployment failed: the words of the platform, and after them the output of the build or the instance as it was. */
export const Reason = ({ of: reason, isFailure }: ReasonProps) => {
  const [sentence = '', ...output] = reason.split('\n');
  return (
    <Notice kind={isFailure ? 'bad' : 'plain'}>
      {asSentence(sentence)}
      {output.length > 0 && <pre>{output.join('\n')}</pre>}
    </Notice>
  );
};
