import type { Patch } from './patches.ts'

const CALENDAR = [
  'domain/calendar/calendar.test.ts',
  'property: every decision on one SUT matches a naive calendar, without double booking',
] as const

export const domainPatches: readonly Patch[] = [
  {
    fault: 'windows that share an edge overlap',
    file: 'src/domain/calendar/window.ts',
    from: 'a.start < b.end && b.start < a.end',
    to: 'a.start <= b.end && b.start <= a.end',
    test: [
      'domain/calendar/free-windows.test.ts',
      'property: the free windows of a span are those found by trying every quarter',
    ],
  },
  {
    fault: 'an end after a quarter-hour is moved back to it',
    file: 'src/domain/calendar/window.ts',
    from: 'end: ceilToQuarter(end),',
    to: 'end: floorToQuarter(end),',
    test: CALENDAR,
  },
  {
    fault: 'overlaps are looked for from the end of the window on',
    file: 'src/domain/calendar/calendar.ts',
    from: 'for (const held of elementsFrom(calendar, placeEndingAfter(calendar, start))) {',
    to: 'for (const held of elementsFrom(calendar, placeEndingAfter(calendar, end))) {',
    test: ['domain/reservation/create.test.ts', 'a window is refused if it overlaps by one quarter on the grid'],
  },
  {
    fault: 'the turnaround before a window is forgotten',
    file: 'src/domain/calendar/calendar.ts',
    from: 'return [...before, ...findInTheWayOfEnd(sut, window, limit)].slice(0, limit)',
    to: 'return findInTheWayOfEnd(sut, window, limit)',
    test: [
      'domain/reservation/create.test.ts',
      'the turnaround begins at the real end: of a release, and not at all of a cancelled reservation',
    ],
  },
  {
    fault: 'time that a released reservation held is booked again',
    file: 'src/domain/calendar/calendar.ts',
    from: 'return { start: free, end }',
    to: 'return { start, end }',
    test: [
      'domain/calendar/held-time.test.ts',
      'after a release at 18:40:02, a reservation for now starts then and ends on the grid',
    ],
  },
  {
    fault: 'testers cancel the reservations of others',
    file: 'src/domain/reservation/rules.ts',
    from: "actor.role === 'tester' && actor._id !== user_id",
    to: "actor.role === 'auditor' && actor._id !== user_id",
    test: CALENDAR,
  },
  {
    fault: 'a quota is exceeded by one reservation',
    file: 'src/domain/reservation/quota.ts',
    from: 'reservations_max !== null && count + added > reservations_max',
    to: 'reservations_max !== null && count > reservations_max',
    test: [
      'domain/reservation/quota.test.ts',
      'as many reservations as the quota has are made, and the refusal of one more names no week',
    ],
  },
  {
    fault: 'a running reservation is cancelled, not released',
    file: 'src/domain/reservation/change.ts',
    from: 'if (held.start * 1000 <= now)',
    to: 'if (held.end * 1000 <= now)',
    test: [
      'domain/reservation/change.test.ts',
      'a running reservation is released at the next whole second, in the offset of its end',
    ],
  },
  {
    fault: 'each call keeps a reservation alive in the log',
    file: 'src/domain/reservation/change.ts',
    from: '!isFirst && now < keptAgainFrom(lifeOfReservation(held))',
    to: 'now < 0',
    test: [
      'domain/reservation/change.test.ts',
      'keeping is recorded at once, then only when less than half of the time is left, and nothing before the start',
    ],
  },
  {
    fault: 'requests of the same priority are granted the other way round',
    file: 'src/domain/request/queue.ts',
    from: 'b.priority - a.priority || a.revision - b.revision',
    to: 'b.priority - a.priority || b.revision - a.revision',
    test: [
      'processes/granting/model.test.ts',
      'random histories of requests, with crashes and two instances, obey the model of fairness',
    ],
  },
  {
    fault: 'requests are granted in their order, whatever their priority',
    file: 'src/domain/request/queue.ts',
    from: 'b.priority - a.priority || a.revision - b.revision',
    to: 'a.revision - b.revision',
    test: [
      'domain/request/queue.test.ts',
      'property: a SUT is offered to nobody while another who may have it goes first',
    ],
  },
  {
    fault: 'a SUT that lacks an excluded tag fits as if it had it',
    file: 'src/domain/matching/fit.ts',
    from: '&& !excluding.some((holds) => holds(profile))',
    to: '&& !excluding.every((holds) => holds(profile))',
    test: ['domain/matching/fit.test.ts', 'a SUT is out if any one criterion under not holds'],
  },
  {
    fault: 'the last administrator can be removed',
    file: 'src/domain/user/decide.ts',
    from: 'if (isLastAdministrator(state, user)) return refuseLast()\n  return E.right',
    to: 'return E.right',
    test: ['domain/user/changes.test.ts', 'the last administrator is neither removed nor given another role'],
  },
  {
    fault: 'a scope with one matching tag is fulfilled',
    file: 'src/domain/user/scope.ts',
    from: 'Object.entries(scope).every(',
    to: 'Object.entries(scope).some(',
    test: ['domain/user/scope.test.ts', 'a SUT fits a scope whose every tag it has with the same value'],
  },
  {
    fault: 'a retired port is used next, not the one longest free',
    file: 'src/domain/listen-port/decide.ts',
    from: 'released: [...released, listen_port] }',
    to: 'released: [listen_port, ...released] }',
    test: ['domain/listen-port/listen-port.test.ts', 'of the released ports, the one longest free is assigned next'],
  },
  {
    fault: 'a name that is a formula stays one',
    file: 'src/domain/values/csv-field.ts',
    from: 'quoteField(FORMULA.test(field) ?',
    to: 'quoteField(field === undefined ?',
    test: [
      'http/routes/csv-lists.test.ts',
      'a list of SUTs as CSV flattens monitoring, and no field is taken for a formula',
    ],
  },
  {
    fault: 'a series keeps to UTC, not to the wall clock',
    file: 'src/domain/series/windows.ts',
    from: 'basic(zonedAt(startOf(first), timeZone)',
    to: "basic(zonedAt(startOf(first), 'UTC')",
    test: ['domain/series/occurrences.test.ts', 'the wall clock is kept at each change of the clocks'],
  },
]
