import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { areInstalled } from '../../tools.ts'
import { lab } from '../lab.ts'

const run = promisify(execFile)

test('khal shows what a calendar has, with hostile names, at the times of its own zone', async (t) => {
  if (!areInstalled(t, 'khal')) return
  const service = await lab(t, {}, { name: 'rig; 4, "left" \\x', tags: { rack: '4,5' } })
  for (const window of ['06:00-07:00', '09:00-10:00', '23:00-23:30']) await service.book('alice', window)
  const { json } = await service.book('alice', '12:00-13:00')
  await service.ask('alice', `POST /api/sut_reservation/${json._id}/cancel`)
  const folder = await mkdtemp(join(tmpdir(), 'khal-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const { text } = await service.ask('bob', 'GET /api/calendar.ics')
  await writeFile(join(folder, 'calendar.ics'), text)
  const config = `[calendars]
[[lab]]
path = ${folder}/lab
type = calendar
[sqlite]
path = ${folder}/db
[locale]
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
local_timezone = Europe/Berlin
default_timezone = Europe/Berlin
`
  await writeFile(join(folder, 'config'), config)
  const khal = (...words: readonly string[]) =>
    run('khal', ['-c', join(folder, 'config'), ...words], { env: { ...process.env, HOME: folder, LC_ALL: 'C.UTF-8' } })
  await khal('import', '--batch', '-a', 'lab', join(folder, 'calendar.ics'))
  const format = '{start-time}-{end-time} {title} {location} {categories} {status}'
  const words = ['--notstarted', '--format', format, '--day-format', '{date}', '2030-05-02', '2d']
  const { stdout } = await khal('list', ...words)
  const what = 'rig; 4, "left" \\x: alice rig; 4, "left" \\x vnc,rack=4,5'
  t.deepEqual(stdout.split('\n').slice(0, -1), [
    '2030-05-02',
    `08:00-09:00 ${what} CONFIRMED `,
    `11:00-12:00 ${what} CONFIRMED `,
    `14:00-15:00 Cancelled: ${what} CANCELLED `,
    '2030-05-03',
    `01:00-01:30 ${what} CONFIRMED `,
  ])
})
