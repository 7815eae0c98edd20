import test from 'ava'
import {
  BEGINNING,
  type Entry,
  findingsIn,
  finds,
  monitored,
  ONE,
  OTHER,
  offline,
  online,
  retired,
  SUT,
  unmonitored,
  updated,
  went,
} from '../verify/morning.ts'

const BEGUN: readonly Entry[] = [...BEGINNING, ['05:11', monitored(60)]]
const ONLINE: readonly Entry[] = [...BEGUN, ['05:12', online, ONE]]

test('probes and their monitoring have no findings, whatever ends first', async (t) => {
  const ends: readonly (readonly Entry[])[] = [
    [
      ['05:13', offline, ONE],
      ['05:14', online, OTHER],
    ],
    [['05:22', offline, OTHER]],
    [
      ['05:13', updated({ port: 5999 })],
      ['05:13', online, OTHER],
      ['05:13:30', monitored(30)],
    ],
    [
      ['05:13', unmonitored],
      ['05:13:01', offline, ONE],
      ['05:14', monitored(60)],
      ['05:14', offline, OTHER],
    ],
    [
      ['05:13', retired],
      ['05:13:01', offline, ONE],
    ],
  ]
  for (const end of ends) t.deepEqual(await findingsIn([...ONLINE, ...end]), [])
})

test('a change that is none is found', async (t) => {
  await finds(t, /is a second SutWentOnline in a row/, [...ONLINE, ['05:13', online, OTHER]])
  await finds(t, /is a second SutWentOnline in a row/, [
    ...ONLINE,
    ['05:12:30', updated({ os: 'linux' })],
    ['05:13', online, OTHER],
  ])
  await finds(t, /without an effect/, [...BEGUN, ['05:12', monitored(60)]])
  await finds(t, /refused, sut_retired/, [...BEGUN, ['05:12', retired], ['05:13', monitored(30)]])
})

test('another cause of an outage has no findings, unless it is of another instance or too soon', async (t) => {
  const other = went('SutWentOffline', 'refused')
  const outage: readonly Entry[] = [...ONLINE, ['05:13', offline, ONE], ['05:14', other, ONE]]
  t.deepEqual(await findingsIn([...outage, ['06:14', offline, ONE]]), [])
  await finds(t, /for the second time within an hour/, [...outage, ['06:13:59', offline, ONE]])
  await finds(t, /changes the cause of another instance's outage/, [...outage, ['06:14', offline, OTHER]])
  await finds(t, /is a second SutWentOffline in a row/, [...outage, ['06:14', other, ONE]])
  t.deepEqual(await findingsIn([...ONLINE, ['05:13', went('SutWentOnline', 'no_password'), OTHER]]), [])
})

test('an instance that overrules another within ten minutes is found', async (t) => {
  await finds(t, /overrules another instance within ten minutes/, [...ONLINE, ['05:21:59.999', offline, OTHER]])
})

test('a change that names no instance, or another stream, is found', async (t) => {
  await finds(t, /does not name the instance/, [...BEGUN, ['05:12', online]])
  await finds(t, /does not name the instance/, [...BEGUN, ['05:12', online, { request_id: 'ABCDEFGHIJKLMNOP:1' }]])
  await finds(t, /is a SutWentOnline of the SUT .*, which does not belong in the stream sut-/, ONLINE, (events) => [
    ...events.slice(0, -1),
    { ...events.at(-1), stream: `sut-${SUT}`, revision: 3 },
  ])
})

test('the log of probes has the actor monitor alone', async (t) => {
  await finds(t, /is by the service under the name schedule/, [
    ...BEGUN,
    ['05:12', online, { ...ONE, actor: 'schedule' }],
  ])
})
