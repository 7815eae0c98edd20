import type { Patch } from './patches.ts'

export const webhookPatches: readonly Patch[] = [
  {
    fault: 'webhooks are sent to link-local addresses',
    file: 'src/processes/webhooks/addresses.ts',
    from: 'FORBIDDEN.check(plain, family) || ',
    to: '',
    test: [
      'processes/webhooks/addresses.test.ts',
      'link-local, unspecified, multicast and metadata addresses are never sent to',
    ],
  },
  {
    fault: 'what a name resolves to when it is connected to is not judged',
    file: 'src/processes/webhooks/send.ts',
    from: 'const allowed = found.filter(({ address }) => isAllowed(address, port, isEncrypted))',
    to: 'const allowed = [...found]',
    test: [
      'processes/webhooks/failing.test.ts',
      'a name that resolves to another address after the check is not sent to',
    ],
  },
  {
    fault: 'events of one SUT are sent side by side',
    file: 'src/processes/webhooks/delivery.ts',
    from: '&& !busy.has(sutId) ',
    to: '',
    test: [
      'processes/webhooks/delivery.test.ts',
      'while an event waits for its next attempt none is begun, and the first that failed is tried first',
    ],
  },
  {
    fault: 'the position is behind events that are under way',
    file: 'src/processes/webhooks/delivery.ts',
    from: 'queue.before() ?? read',
    to: 'read',
    test: ['processes/webhooks/delivery.test.ts', 'the position is before the first event that is not delivered'],
  },
  {
    fault: 'what was delivered before a replay ends it',
    file: 'src/domain/webhook/decide.ts',
    from: ' || webhook.begun !== command.begun',
    to: '',
    test: ['domain/webhook/decide.test.ts', 'what was delivered before a replay does not undo it'],
  },
  {
    fault: 'a new secret ends the former one',
    file: 'src/processes/webhooks/receiver.ts',
    from: 'isDouble ? [secret, former] : [secret]',
    to: '[secret]',
    test: ['processes/webhooks/delivering.test.ts', 'a new secret signs beside the former one for a day'],
  },
]
