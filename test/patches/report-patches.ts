import type { Patch } from './patches.ts'

const REPORTS = 'read-models/reports/reports.test.ts'

export const reportPatches: readonly Patch[] = [
  {
    fault: 'sessions of two instances count twice',
    file: 'src/read-models/reports/usage.ts',
    from: 'of union(sessions)',
    to: 'of sessions',
    test: [REPORTS, 'property: what is reported is what a count of every minute, request and refusal gives'],
  },
  {
    fault: 'tags count as they are now',
    file: 'src/read-models/reports/usage.ts',
    from: ' AND sut.position <= r.created',
    to: '',
    test: [REPORTS, 'a tag counts as it was when the reservation was made; without it the key is null, and last'],
  },
  {
    fault: 'a repeated hour has one bucket',
    file: 'src/domain/calendar/buckets.ts',
    from: "at.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY",
    to: 'Number.POSITIVE_INFINITY',
    test: [
      'domain/calendar/buckets.test.ts',
      'hours follow the wall clock: an hour that is repeated has two buckets, one that is skipped none',
    ],
  },
  {
    fault: 'testers see by whom machines are held',
    file: 'src/http/routes/reports/reports.ts',
    from: "user.role === 'tester' && by === 'user' ? { user_id: user._id } : { scope: user.scope }",
    to: '{ scope: user.scope }',
    test: ['http/routes/reports/reports.test.ts', 'a tester sees the machines in its scope, and of people only itself'],
  },
]
