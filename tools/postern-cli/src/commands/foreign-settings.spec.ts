import { describe, expect, it } from '@jest/globals';
import { foreignSettingsOf } from './foreign-settings.js';

const OWN = 'postern.events.email-send.>';
const consumer = (config: object) => ({ name: 'reader', config: { ack_policy: 'explicit', ...config } as never });

describe('Settings of a stream that no service configures', () => {
  it('do not exist in the stream and the consumers of an installation', () => {
    expect(foreignSettingsOf('email-send', { subjects: [OWN], sources: [] }, [consumer({})])).toEqual([]);
  });

  it('are subjects of other services, and everything that copies or forwards messages', () => {
    const config = {
      subjects: [OWN, 'postern.requests.>'],
      republish: { src: '>', dest: 'elsewhere' },
      sources: [{ name: 'postern-platform-management' }],
      subject_transform: { src: '>', dest: 'elsewhere' },
    };
    expect(foreignSettingsOf('email-send', config, [consumer({ deliver_subject: 'elsewhere' })])).toEqual([
      'stores postern.requests.>',
      'sends what it stores to elsewhere',
      'copies another stream',
      'changes subjects',
      'its consumer reader delivers to elsewhere',
    ]);
  });
});
